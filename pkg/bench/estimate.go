package bench

import (
	"math"
	"slices"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
)

// Estimate is the planned work of a part of a run on one client.
type Estimate struct {
	Phase  int    // index of the phase; -1: the preparation
	Stream int    // index among the streams of the phase, or among its steps
	Step   bool   // it is a step
	Turns  uint64 // at most
	Open   bool   // Turns is unknown, since only a time or an interrupt ends the part: the figures are for a million turns
	work.Cost
}

// million is the number of turns of an open estimate.
const million = 1_000_000

// Estimates returns the work of the preparation and of each stream, in the order of the plan.
func Estimates(c *Compiled) ([]Estimate, error) {
	r := &Run{plan: c, share: dataset.SoleClient}
	if err := r.makeSets(); err != nil {
		return nil, err
	}
	list, there := []Estimate{estimatePreparation(r)}, preparedObjects(c)
	for phase := range c.Phases {
		for i := range c.Phases[phase].Steps {
			if e, ok := there.estimate(r, &c.Phases[phase].Steps[i]); ok {
				e.Phase, e.Stream, e.Step = phase, i, true
				list = append(list, e)
			}
		}
		for i, s := range c.phaseStreams(phase) {
			e := Estimate{Phase: phase, Stream: i}
			e.Turns, e.Open = turnsOf(r, s, there)
			if e.Open {
				e.Turns = million
			}
			for k, turns := range turnsOfTasks(s, e.Turns) {
				cost := estimateTask(r, s.tasks[k], turns)
				e.Join(cost)
				there.add(s.tasks[k], cost.Objects, e.Open)
			}
			list = append(list, e)
		}
	}
	return list, nil
}

// turnsOfTasks divides a stream's turns among its tasks, including the operations that follow others.
func turnsOfTasks(s *stream, turns uint64) []uint64 {
	sum := work.Share(0)
	for _, w := range s.weights {
		sum += w
	}
	list := make([]uint64, len(s.tasks))
	for k := range s.tasks {
		if k < len(s.weights) {
			list[k] = uint64(math.Round(float64(turns) * float64(s.weights[k]/sum)))
			continue
		}
		n := &s.Tasks[s.tasks[k].number]
		list[k] = list[taskIndex(s, n.After-1)] * max(1, uint64(n.Count))
	}
	return list
}

// Need estimates the bytes of the prepared data sets in the store.
func (c *Compiled) Need() (bytes int64) {
	r := &Run{plan: c, share: dataset.SoleClient}
	if r.makeSets() != nil {
		return 0 // the run will say why
	}
	for i, set := range c.sets {
		bytes += estimateSet(r, i, set.objects).Stored
	}
	return bytes
}

// estimatePreparation returns the work before the first phase.
func estimatePreparation(r *Run) Estimate {
	e := Estimate{Phase: -1}
	for i, set := range r.plan.sets {
		if set.later || set.objects == 0 {
			continue
		}
		e.Join(estimateSet(r, i, set.objects))
	}
	for _, t := range r.plan.tasks {
		if preparesExtraBuckets(r.plan, t) {
			e.Request(op.CreateBucket, uint64(t.set.extra))
		}
	}
	e.Turns = e.Objects
	return e
}

// estimateSet returns the cost of uploading objects of a data set.
func estimateSet(r *Run, number int, objects uint64) (c work.Cost) {
	set := r.plan.sets[number]
	t := work.Turns{Count: objects, Threads: r.plan.threads(), Set: r.sets[number], PartSize: r.plan.Target.Uploads.PartSize}
	first := r.plan.tasks[slices.IndexFunc(r.plan.tasks, func(t *task) bool { return t.set == set })]
	if u, ok := first.workload.(work.Source); ok {
		c = u.EstimateUpload(t)
	} else if first.traits.PartSize > 0 {
		c.Parts(op.PutPart, &work.Parts{PartSize: work.Size(first.traits.PartSize)}, t)
	} else {
		c.Upload(op.Put, t)
	}
	for _, kind := range first.traits.Finishes {
		c.Request(kind, objects)
	}
	return c
}

// estimateTask returns the cost of a task's turns.
func estimateTask(r *Run, t *task, turns uint64) work.Cost {
	c := work.EstimateTurns(t.workload, work.Turns{
		Count:    turns,
		Threads:  t.Concurrency,
		Set:      r.views[slices.Index(r.plan.tasks, t)],
		PartSize: r.plan.Target.Uploads.PartSize,
	})
	if t.Retry != nil { // each may need all attempts
		c.Times(uint64(t.Retry.Max) + 1)
	}
	return c
}

// turnsOf returns the maximum number of turns of a stream; open: only a time or an interrupt ends it.
func turnsOf(r *Run, s *stream, there objectCounts) (turns uint64, open bool) {
	turns = math.MaxUint64
	set := r.views[slices.Index(r.plan.tasks, s.tasks[0])]
	if u := s.until(set, dataset.SoleClient, true); u.turns > 0 {
		turns = u.turns
	}
	if s.Timed {
		turns = min(turns, s.tasks[0].workload.(Timed).Turns())
	} else if s.Duration > 0 && s.open() && s.Portion == nil {
		if sched, err := scheduleOf(s, 1); err == nil && sched != nil {
			turns = min(turns, load.Turns(sched, s.Warmup+s.Duration))
		}
	}
	if s.Bytes > 0 {
		if one := bytesOf(r, s); one > 0 {
			turns = min(turns, uint64(math.Ceil(float64(s.Bytes)/one)))
		}
	}
	turns = min(turns, turnsThere(r.plan, s, there))
	return turns, turns == math.MaxUint64
}

// turnsThere returns the number of turns that find something to do; math.MaxUint64: unlimited.
func turnsThere(c *Compiled, s *stream, there objectCounts) uint64 {
	t := s.tasks[0]
	traits := &t.traits
	switch {
	case len(s.weights) > 1:
	case traits.MaxDeletes > 0 && traits.NeedsOf == nil && !traits.Existing && there[t.set] <= work.MaxObjects && hasPasses(c, t):
		return (there[t.set] + traits.MaxDeletes - 1) / traits.MaxDeletes
	case traits.Extra != nil && !slices.ContainsFunc(c.tasks, func(o *task) bool { return o != t && o.set == t.set && o.traits.Extra != nil }):
		return uint64(t.set.extra)
	}
	return math.MaxUint64
}

// bytesOf returns the mean number of bytes that a turn of a stream transfers.
func bytesOf(r *Run, s *stream) float64 {
	var c work.Cost
	for k, turns := range turnsOfTasks(s, dataset.SizeSamples) {
		c.Join(estimateTask(r, s.tasks[k], turns))
	}
	return float64(c.Sent+c.Received) / dataset.SizeSamples
}
