package coordinator

import (
	"math"
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

// takeSteps passes on operations of a client in sliding windows.
func takeSteps(c *coordinator, m *member, s *protocol.Steps) error {
	if s.Watch < 0 || s.Watch >= len(c.opts.Watches) || len(s.Steps) > protocol.MaxSteps {
		return transport.Violationf("sent %d steps of window %d", len(s.Steps), s.Watch)
	}
	of := c.opts.Watches[s.Watch]
	now, length := clock.Now(), int64(gate.StepLength(of.Over))
	for i := range s.Steps {
		step := &s.Steps[i]
		switch {
		case !validName(string(step.Kind)) || step.Kind == "":
			return transport.Violationf("invalid kind %.40q of operations", step.Kind)
		case step.Number < now.Add(-stepsFrom).UnixNano()/length || step.Number > now.Add(stepsTo).UnixNano()/length:
			return transport.Violationf("sent operations that ended at no time of this run")
		case step.Errors < 0 || step.Considered < 0 || step.Requests < step.Errors+step.Considered:
			return transport.Violationf("sent %d failed and %d successful of %d operations", step.Errors, step.Considered, step.Requests)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m.known[s.Watch] = max(m.known[s.Watch], s.UpTo)
	until := knownBefore(c, s.Watch)
	c.observe(func(o Observer) {
		if w, ok := o.(WindowObserver); ok {
			w.Steps(of, s.Steps, until)
		}
	})
	return nil
}

// knownBefore returns the time before which the operations of all clients in the windows of a watch are known, but for those of clients that are
// lost; c.mu is held.
func knownBefore(c *coordinator, watch int) time.Time {
	least := int64(math.MaxInt64)
	for _, m := range c.members {
		if m.err == nil {
			least = min(least, m.known[watch])
		}
	}
	return time.Unix(0, least)
}
