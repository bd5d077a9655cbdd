package coordinator

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/gate"
)

// stepsFrom and stepsTo say how long before and after now the operations of a client can have ended, by its own clock.
const (
	stepsFrom = 24 * time.Hour
	stepsTo   = time.Minute
)

// checkSteps returns the watch of operations that a client sent, and an error if it cannot have counted them.
func checkSteps(watches []protocol.Watch, s *protocol.Steps) (of protocol.Watch, err error) {
	if s.Watch < 0 || s.Watch >= len(watches) || len(s.Steps) > protocol.MaxSteps {
		return of, transport.Violationf("sent %d steps of window %d", len(s.Steps), s.Watch)
	}
	of = watches[s.Watch]
	now, length := clock.Now(), int64(gate.StepLength(of.Over))
	for i := range s.Steps {
		step := &s.Steps[i]
		switch {
		case !validName(string(step.Kind)) || step.Kind == "":
			return of, transport.Violationf("invalid kind %.40q of operations", step.Kind)
		case step.Number < now.Add(-stepsFrom).UnixNano()/length || step.Number > now.Add(stepsTo).UnixNano()/length:
			return of, transport.Violationf("sent operations that ended at no time of this run")
		case step.Errors < 0 || step.Considered < 0 || step.Requests < step.Errors+step.Considered:
			return of, transport.Violationf("sent %d failed and %d successful of %d operations", step.Errors, step.Considered, step.Requests)
		}
	}
	return of, nil
}
