package bench

import (
	"fmt"
	"slices"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/load"
)

// partOf returns a client's part of the load of a stream; ok is false if it has none, since the stream is on other clients. A client
// that is alone performs all streams.
func partOf(s *Stream, of load.Share) (part load.Share, ok bool) {
	if len(s.Clients) == 0 || of.Total <= 1 {
		return of, true
	}
	i := slices.Index(s.Clients, of.Index)
	return load.Share{Index: uint64(max(0, i)), Total: uint64(len(s.Clients))}, i >= 0
}

// OnClient reports whether a client has a part in a stream, by its number from 0.
func OnClient(s *Stream, index uint64) bool {
	return len(s.Clients) == 0 || slices.Contains(s.Clients, index)
}

// uses reports whether a client works on a data set. It uploads no other.
func uses(c *Compiled, set *setPlan, client load.Share) bool {
	return c.SharedData || slices.ContainsFunc(c.tasks, func(t *task) bool {
		_, ok := partOf(t.Stream, client)
		return t.set == set && ok
	})
}

// checkClients returns an error for a choice of clients that cannot be made.
func checkClients(s *stream, p *Plan) (errs []error) {
	for i, n := range s.Clients {
		if n >= maxClients || slices.Contains(s.Clients[:i], n) {
			errs = append(errs, fmt.Errorf("stream %q: invalid clients %d (want numbers from 0, each once)", s.Name, s.Clients))
			break
		}
	}
	if len(s.Clients) == 0 {
		return errs
	}
	if p.Phases[s.phase].Search != nil {
		errs = append(errs, fmt.Errorf("stream %q: a search is on all clients", s.Name))
	}
	if p.SharedData && slices.ContainsFunc(s.tasks, func(t *task) bool { return t.traits.Effect != work.Reads }) {
		errs = append(errs, option.Errorf("shared-data", "stream %q is on some clients, which can only read a data set that all share", s.Name))
	}
	return errs
}

// checkPart returns an error for streams on clients that do not exist.
func checkPart(c *Compiled, part load.Share) error {
	for _, s := range c.streams {
		if part.Total > 1 && slices.ContainsFunc(s.Clients, func(n uint64) bool { return n >= part.Total }) {
			return fmt.Errorf("stream %q: on clients %d of %d (want smaller numbers)", s.Name, s.Clients, part.Total)
		}
	}
	return nil
}

// leaveOut shows a phase in which this client has no part.
func leaveOut(r *Run, i int) {
	ph := &r.plan.Phases[i]
	r.env.Observer.Stage(Stage{Name: StageBenchmark, Phase: i, Streams: ph.Names(), Workload: ph.Title(), Start: clock.Now(), Done: func() uint64 { return 0 }})
}
