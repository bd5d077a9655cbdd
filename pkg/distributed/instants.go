package distributed

import (
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
)

// settled is closed when the phase is to end because the throughput of all clients is stable.
func (j *job) settled(phase int) chan struct{} {
	j.mu.Lock()
	defer j.mu.Unlock()
	ch := j.stable[phase]
	if ch == nil {
		ch = make(chan struct{})
		j.stable[phase] = ch
	}
	return ch
}

// settle ends a phase at the instant that the coordinator has chosen. What it says of that phase once more changes nothing.
func (j *job) settle(s stop) error {
	if s.Phase < 0 || s.Phase >= bench.MaxPhases {
		return &violation{fmt.Sprintf("it ended phase %d", s.Phase)}
	}
	over := j.settled(s.Phase)
	j.mu.Lock()
	again := j.settling[s.Phase]
	j.settling[s.Phase] = true
	j.mu.Unlock()
	if again {
		return nil
	}
	time.AfterFunc(j.here(s.At).Sub(clock.Now()), func() {
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
func (j *job) idle(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waits = text
}

// here turns a time of the coordinator's clock into this machine's.
func (j *job) here(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return localTime(time.Unix(0, ns).Add(j.offset))
}

// localTime gives an instant of the wall clock the monotonic reading that clock.Now has, so that both can be subtracted.
func localTime(t time.Time) time.Time {
	now := clock.Now()
	return now.Add(time.Duration(t.UnixNano() - now.UnixNano()))
}

// there turns a time of this machine's clock into the coordinator's.
func (j *job) there(t time.Time) int64 { return t.Add(-j.offset).UnixNano() }
