package bench

import (
	"cmp"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/load"
)

// Rates changes the rates of running open loops. Its zero value is ready for use.
type Rates struct {
	mu      sync.Mutex
	streams []*steadyRate // being measured
}

// steadyRate is a stream with a changeable rate.
type steadyRate struct {
	stream  string
	planned float64 // turns per second of all clients
	start   time.Time
	warmup  time.Duration
	pace    load.Pace
}

// RateChange is a change of the rate of a stream.
type RateChange struct {
	Stream   string // its name
	At       time.Time
	From, To float64 // turns per second
}

// Limits of a rate, as a multiple of the planned one.
const (
	leastFactor = 1.0 / 1000
	maxFactor   = 1000
)

// Change multiplies the rates of the streams being measured by a factor, and returns the changes: none in closed loops, for rates that
// change over time, and in the warm-up.
func (r *Rates) Change(factor float64) (list []RateChange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		now := clock.Now()
		at := now.Sub(s.start)
		before := s.pace.Factor()
		after := min(max(before*factor, leastFactor), maxFactor)
		if at < s.warmup || after == before {
			continue
		}
		s.pace.Change(at, after)
		list = append(list, RateChange{s.stream, now, s.planned * before, s.planned * after})
	}
	return list
}

// Now returns the present changeable rates of the streams being measured.
func (r *Rates) Now() (list []RateChange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		rate := s.planned * s.pace.Factor()
		list = append(list, RateChange{Stream: s.stream, At: s.start, From: rate, To: rate})
	}
	return list
}

// begin makes the steady rates of streams changeable until end is called.
func (r *Rates) begin(streams []*streamRun) (end func()) {
	if r == nil {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range streams {
		rate := s.Rate
		if level, ok := s.Schedule.Steady(); ok {
			rate = level
		}
		if rate <= 0 || s.load.Schedule == nil {
			continue
		}
		steady := &steadyRate{stream: cmp.Or(s.Name, title(s.Stream)), planned: rate, start: s.load.Start, warmup: s.load.Warmup}
		s.load.Pace = &steady.pace
		r.streams = append(r.streams, steady)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.streams = nil
	}
}
