package bench

import (
	"math"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/load"
)

// Timed is a Workload that says when its turns are due, and how late they may be sent.
type Timed interface {
	Schedule() load.Schedule  // nil: turns of a closed loop, which wait themselves
	SendWithin(time.Duration) // 0: no limit
	Turns() uint64            // how many there are; math.MaxUint64: there is no end
}

// scheduleOf returns when the turns of all clients together are due; nil in a closed loop.
func scheduleOf(s *stream, clients uint64) (load.Schedule, error) {
	shape := s.Schedule
	switch {
	case !s.open():
		return nil, nil
	case s.Timed:
		return s.tasks[0].workload.(Timed).Schedule(), nil
	case shape.IsZero():
		shape = load.Constant(s.Rate * float64(clients))
	}
	return shape.Delayed(s.Warmup, s.Arrivals, generator.Mix(s.seed, dataset.StreamArrivals))
}

// ThreadsAt returns how many threads of a client are at work in a phase so long after its start; 0: their number does not change.
func ThreadsAt(ph *Phase, since time.Duration) (threads int) {
	changes := false
	for _, s := range ph.Streams() {
		if s.Threads.IsZero() {
			threads += s.Concurrency
			continue
		}
		changes, threads = true, threads+int(math.Round(s.Threads.Level(since-s.Warmup)))
	}
	if !changes {
		return 0
	}
	return threads
}

// AllTime returns the streams with an active window of their whole time, since their load is not a constant number of busy threads: open
// loops, and threads over time.
func AllTime(p *Plan) (names []string) {
	for i := range p.Phases {
		for _, s := range p.Phases[i].Streams() {
			if s.open() || !s.Threads.IsZero() {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// Pauses returns how long the threads of closed loops pause between turns at most, by stream.
func Pauses(p *Plan) map[string]time.Duration {
	pauses := map[string]time.Duration{}
	for i := range p.Phases {
		for _, s := range p.Phases[i].Streams() {
			if !s.Think.IsZero() {
				pauses[s.Name] = s.Think.Longest()
			}
		}
	}
	return pauses
}

// Order returns the names of the streams that run in parallel, by their phases.
func Order(p *Plan) (order aggregate.Order) {
	for i := range p.Phases {
		var names []string
		for _, s := range p.Phases[i].Streams() {
			names = append(names, s.Name)
		}
		if len(names) > 1 {
			order = append(order, names)
		}
	}
	return order
}
