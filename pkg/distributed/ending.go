package distributed

import (
	"errors"
	"fmt"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/runinfo"
)

// runEnd is how the benchmark went on a client, for the coordinator.
type runEnd struct {
	Interrupted bool              `json:"interrupted,omitempty"`
	Stable      bool              `json:"stable,omitempty"`
	Warnings    peerTexts         `json:"warnings,omitempty"`
	Connections bench.Connections `json:"connections,omitzero"`
	Engine      peerText          `json:"engine,omitempty"` // what sent the requests
	Client      *observe.Summary  `json:"client,omitempty"` // how the client itself did while it measured
}

// ended is how the benchmark went on this client.
func (r *relay) ended() runEnd {
	r.mu.Lock()
	defer r.mu.Unlock()
	return runEnd{r.measured.Interrupted, r.measured.Stable, textsOf(r.measured.Warnings), r.measured.Connections, peerText(r.measured.Engine), r.summary}
}

// ownEnd is the same for the recording. Before all is measured it tells nothing but that.
func (r *relay) ownEnd() *runinfo.End {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.measured == nil {
		return &runinfo.End{Interrupted: true, Client: r.self.Samples()}
	}
	end := runinfo.EndOf(r.measured, r.self.Samples())
	end.Engine, end.ClockEnd = r.measured.Engine, r.parting
	return end
}

// cut is why what is recorded is only a part of what the client was to measure; empty: it is all of it.
func (r *relay) cut(recorded int64) peerText {
	var why []error
	r.mu.Lock()
	interrupted := r.measured.Interrupted
	r.mu.Unlock()
	if stopped := r.job.stoppedBy(); interrupted && stopped != nil && stopped != errStopped {
		why = append(why, stopped)
	}
	if seen := r.rec.seen.Load(); recorded < seen {
		why = append(why, fmt.Errorf("it recorded %d of %d operations: %w", recorded, seen, r.rec.failed))
	}
	if len(why) == 0 {
		return ""
	}
	return short(errors.Join(why...))
}

// warn adds a warning to the result of this client.
func (r *relay) warn(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.measured.Warnings = append(r.measured.Warnings, fmt.Sprintf(format, args...))
}

// summarize finds out how the client did in the time of which the figures tell.
func (r *relay) summarize(s *aggregate.Snapshot) {
	from, to := s.Benchmark()
	if to.IsZero() {
		return
	}
	here := func(t time.Time) time.Time { return t.Add(r.correct.offset) } // samples are of a second: its drift does not matter
	if sum := r.self.Summary(here(from), here(to)); sum.Samples > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.summary = &sum
	}
}
