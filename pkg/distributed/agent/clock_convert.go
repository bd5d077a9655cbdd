package agent

import (
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// phaseEnded is closed when the phase ends because the throughput of all clients is stable.
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

// endPhase ends a phase at the instant that the coordinator has chosen. Repetitions change nothing.
func (j *job) endPhase(s protocol.Stop) error {
	if s.Phase < 0 || s.Phase >= bench.MaxPhases {
		return transport.Violationf("invalid phase %d", s.Phase)
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

// setWaitReason sets what other coordinators learn about why the client is busy.
func (j *job) setWaitReason(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waitReason = text
}

// toLocal converts a time of the coordinator's clock to this machine's.
func (j *job) toLocal(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return protocol.LocalTime(time.Unix(0, ns).Add(j.offset))
}

// toCoordinator converts a time of this machine's clock to the coordinator's.
func (j *job) toCoordinator(t time.Time) int64 { return t.Add(-j.offset).UnixNano() }
