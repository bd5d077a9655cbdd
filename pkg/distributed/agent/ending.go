package agent

import (
	"errors"
	"fmt"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/runinfo"
)

// runEnd is how the benchmark went on this client.
func (r *reporter) runEnd() protocol.RunEnd {
	r.mu.Lock()
	defer r.mu.Unlock()
	return protocol.RunEnd{Interrupted: r.measured.Interrupted, Stable: r.measured.Stable, Warnings: transport.TextsOf(r.measured.Warnings), Connections: r.measured.Connections, Engine: transport.PeerText(r.measured.Engine), Client: r.summary}
}

// ownEnd is the end of the recording. An unfinished measurement is marked as interrupted.
func (r *reporter) ownEnd() *runinfo.End {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.measured == nil {
		return &runinfo.End{Interrupted: true, Client: r.observer.Samples()}
	}
	end := runinfo.EndOf(r.measured, r.observer.Samples())
	end.Engine, end.ClockEnd = r.measured.Engine, r.endClock
	return end
}

// cutReason is why the recording has only a part of the benchmark; empty: it has all of it.
func (r *reporter) cutReason(recorded int64) transport.PeerText {
	var why []error
	r.mu.Lock()
	interrupted := r.measured.Interrupted
	r.mu.Unlock()
	if stopped := r.job.stoppedBy(); interrupted && stopped != nil && stopped != errStopped {
		why = append(why, stopped)
	}
	if seen := r.rec.seen(); recorded < seen {
		why = append(why, fmt.Errorf("recorded %d of %d operations: %w", recorded, seen, r.rec.failed))
	}
	if len(why) == 0 {
		return ""
	}
	return protocol.Short(errors.Join(why...))
}

// warn adds a warning to the result of this client.
func (r *reporter) warn(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.measured.Warnings = append(r.measured.Warnings, fmt.Sprintf(format, args...))
}

// summarize sums up the client itself over the time of the benchmark.
func (r *reporter) summarize(s *aggregate.Snapshot) {
	from, to := s.Benchmark()
	if to.IsZero() {
		return
	}
	here := func(t time.Time) time.Time { return t.Add(r.correction.Offset) } // samples are of a second: its drift does not matter
	if sum := r.observer.Summary(here(from), here(to)); sum.Samples > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.summary = &sum
	}
}
