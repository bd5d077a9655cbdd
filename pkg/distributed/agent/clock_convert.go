package agent

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// settled is closed when the phase is to end because the throughput of all clients is stable.
func (j *job) phaseEnded(phase int) chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	ch := j.phaseEnds[phase]
	if ch == nil {
		ch = make(chan struct{})
		j.phaseEnds[phase] = ch
	}
	return ch
}

// settle ends a phase at the instant that the coordinator has chosen. What it says of that phase once more changes nothing.
func (j *job) endPhase(s protocol.Stop) error {
	if s.Phase < 0 || s.Phase >= bench.MaxPhases {
		return transport.Violationf("it ended phase %d", s.Phase)
	}
	over := j.phaseEnded(s.Phase)
	j.mu.Lock()
	again := j.endingPhases[s.Phase]
	j.endingPhases[s.Phase] = true
	j.mu.Unlock()
	if again {
		return nil
	}
	time.AfterFunc(j.toLocal(s.At).Sub(clock.Now()), func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		select {
		case <-over:
		default:
			close(over)
		}
	})
	return nil
}

// idle says what the client waits for, for other coordinators.
func (j *job) setWaitReason(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waitReason = text
}

// here turns a time of the coordinator's clock into this machine's.
func (j *job) toLocal(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return protocol.LocalTime(time.Unix(0, ns).Add(j.offset))
}

// there turns a time of this machine's clock into the coordinator's.
func (j *job) toCoordinator(t time.Time) int64 { return t.Add(-j.offset).UnixNano() }
