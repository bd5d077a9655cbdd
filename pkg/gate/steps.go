package gate

import (
	"slices"
	"sync"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// Step counts the operations of one kind that ended in a step of time of a phase. A sliding window is a number of steps. Steps of several
// clients add up.
type Step struct {
	Number     int64           `json:"n"` // since 1970, in steps
	Kind       op.Kind         `json:"op"`
	Requests   int64           `json:"requests"`
	Errors     int64           `json:"errors,omitempty"`
	Considered int64           `json:"considered,omitempty"`
	Latency    *hist.Histogram `json:"latency,omitempty"`
	TTFB       *hist.Histogram `json:"ttfb,omitempty"`
}

// StepLength returns the length of the steps of a window.
func StepLength(over time.Duration) time.Duration { return over / stepsOver }

// Steps counts operations for a Watch elsewhere: on a client, for the coordinator. It is an op.Sink.
type Steps struct {
	phase  string
	length int64
	offset time.Duration // of the clock of the operations from that of the watch

	mu    sync.Mutex
	kinds map[op.Kind]map[int64]*aggregate.Group
}

// NewSteps returns Steps for the sliding windows of a phase.
func NewSteps(phase string, over, offset time.Duration) *Steps {
	return &Steps{phase: phase, length: int64(StepLength(over)), offset: offset, kinds: map[op.Kind]map[int64]*aggregate.Group{}}
}

// Write counts operations.
func (s *Steps) Write(ops []op.Op) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range ops {
		if o := &ops[i]; o.Phase == s.phase {
			count(stepOf(s.kinds, o.Kind, o.End.Add(-s.offset).UnixNano()/s.length), o, true)
		}
	}
	return nil
}

// Close does nothing.
func (s *Steps) Close() error { return nil }

// Take returns the steps that ended before a time, of the clock of the watch, and forgets them.
func (s *Steps) Take(before time.Time) (list []Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := before.UnixNano() / s.length
	for kind, steps := range s.kinds {
		for n, g := range steps {
			if n < end {
				list = append(list, Step{n, kind, g.Requests, g.Errors, g.Considered, g.Latency, g.TTFB})
				delete(steps, n)
			}
		}
	}
	slices.SortFunc(list, func(a, b Step) int { return int(a.Number - b.Number) })
	return list
}

// stepOf returns the figures of a kind of operation in a step.
func stepOf(kinds map[op.Kind]map[int64]*aggregate.Group, kind op.Kind, step int64) *aggregate.Group {
	if kinds[kind] == nil {
		kinds[kind] = map[int64]*aggregate.Group{}
	}
	g := kinds[kind][step]
	if g == nil {
		g = &aggregate.Group{Kind: kind}
		kinds[kind][step] = g
	}
	return g
}

// count adds an operation to the figures of a step.
func count(g *aggregate.Group, o *op.Op, latencies bool) {
	if g.Requests++; o.Failed() {
		g.Errors++
		return
	}
	if g.Considered++; !latencies {
		return
	}
	if g.Latency == nil {
		g.Latency = hist.New(hist.Coarse)
	}
	g.Latency.Record(int64(o.Latency()))
	if d, ok := o.TTFB(); ok {
		if g.TTFB == nil {
			g.TTFB = hist.New(hist.Coarse)
		}
		g.TTFB.Record(int64(d))
	}
}
