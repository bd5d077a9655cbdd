package bench

import (
	"errors"
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/units"
)

// trialsExpected is the number of trials that the statistics of a search are planned for. Most searches perform 20 to 30.
const trialsExpected = 40

// CheckStatistics returns an error if a run on a number of clients would have too many statistics for a report.
func (c *Compiled) CheckStatistics(clients int) error {
	var errs []error
	sum := c.demand(1, len(prepareKinds), clients, c.threads())
	for _, s := range c.streams {
		kinds := s.kinds()
		if kinds > aggregate.MaxKinds {
			const text = "phase %q: %d kinds of operations, with labels and outcomes (want at most %d): use fewer tasks, or several phases"
			errs = append(errs, fmt.Errorf(text, s.Name, kinds, aggregate.MaxKinds))
		}
		trials := c.trials(s)
		sum.Add(c.demand(trials, kinds, clients, s.Concurrency))
		sum.Add(s.accesses(trials))
	}
	if n := sum.Bytes(); n > aggregate.MaxMemory {
		errs = append(errs, fmt.Errorf("%v (want at most %s): use fewer phases, points, tasks, hosts or clients, or measure them in several runs",
			sum, units.Size(aggregate.MaxMemory)))
	}
	return errors.Join(errs...)
}

// BoundsBytes returns the maximum size of a client's bounds as JSON.
func (c *Compiled) BoundsBytes() int64 {
	sum := aggregate.BoundsBytes(len(prepareKinds), c.threads())
	for _, s := range c.streams {
		sum += aggregate.BoundsBytes(s.kinds()*c.trials(s), s.Concurrency)
	}
	return sum
}

// trials returns the planned number of statistics for each kind of a stream.
func (c *Compiled) trials(s *stream) int {
	if c.Phases[s.phase].Search != nil {
		return trialsExpected
	}
	return 1
}

// prepareKinds are the kinds of operations that most preparations record.
var prepareKinds = []op.Kind{op.Put, op.CreateUpload, op.PutPart, op.CompleteUpload}

// demand returns the memory for statistics of phases with these kinds and threads on all clients.
func (c *Compiled) demand(phases, kinds, clients, threads int) aggregate.Demand {
	return aggregate.NewDemand(phases*kinds, len(c.Target.Hosts), clients, max(1, c.Target.Buckets), clients*threads)
}

// accesses returns the memory for first and last reads of objects, as far as the objects are known before the run.
func (s *stream) accesses(trials int) (d aggregate.Demand) {
	objects := make(map[work.LabelledKind]uint64)
	for _, t := range s.tasks {
		if t.set == nil {
			continue
		}
		for _, k := range t.traits.Recorded() {
			if k == op.Get || k == op.MultipartGet {
				objects[work.LabelledKind{Kind: k, Label: t.label}] += t.set.objects
			}
		}
	}
	for _, n := range objects {
		d.Add(aggregate.NewAccesses(trials, n))
	}
	return d
}

// kinds returns the maximum number of kinds of operations that the stream records, each with a label and an outcome of its own.
func (s *stream) kinds() int {
	all := make(map[work.LabelledKind]int) // outcomes other than success
	for _, t := range s.tasks {
		others := len(t.expected())
		if t.Retry != nil {
			others++ // the attempts
		}
		for _, k := range t.traits.Recorded() {
			key := work.LabelledKind{Kind: k, Label: t.label}
			all[key] = max(all[key], others)
		}
	}
	n := len(all)
	for _, others := range all {
		n += others
	}
	return n
}
