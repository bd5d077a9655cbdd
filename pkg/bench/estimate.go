package bench

import (
	"math"
	"slices"

	"warp/pkg/load"
	"warp/pkg/op"
)

// Estimate is what a part of a run does on one client, as far as its plan says.
type Estimate struct {
	Phase    int    // index of the phase; -1: the preparation
	Stream   int    // index among the streams of the phase, or among its steps
	Step     bool   // it is a step
	Turns    uint64 // at most
	Open     bool   // Turns is not known, since only a time or an interrupt ends the part: the figures are of a million turns
	Objects  uint64 // that are uploaded
	Sent     int64  // bytes of contents
	Received int64
	Requests []Requests
}

// Requests is how many requests of a kind are sent.
type Requests struct {
	Kinds []op.Kind // one; or several, each of which may be the kind of a turn
	Count uint64
}

// Million is the number of turns that an open estimate is about.
const Million = 1_000_000

// Estimates returns what the preparation and each stream do, in the order of the plan.
func Estimates(c *Compiled) ([]Estimate, error) {
	r := &Run{plan: c, share: whole}
	if err := r.makeSets(); err != nil {
		return nil, err
	}
	list, there := []Estimate{estimatePreparation(c)}, preparedObjects(c)
	for phase := range c.Phases {
		for i := range c.Phases[phase].Steps {
			if e, ok := there.estimate(c, &c.Phases[phase].Steps[i]); ok {
				e.Phase, e.Stream, e.Step = phase, i, true
				list = append(list, e)
			}
		}
		for i, s := range c.phaseStreams(phase) {
			e := Estimate{Phase: phase, Stream: i}
			e.Turns, e.Open = turnsOf(r, s)
			if e.Open {
				e.Turns = Million
			}
			for k, turns := range turnsOfTasks(s, e.Turns) {
				e.add(s.tasks[k], turns)
				there.add(s.tasks[k], turns, e.Open)
			}
			list = append(list, e)
		}
	}
	return list, nil
}

// turnsOfTasks returns how many of a stream's turns are those of each task, and how many operations follow these.
func turnsOfTasks(s *stream, turns uint64) []uint64 {
	sum := Share(0)
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

// estimatePreparation returns what is uploaded before the first phase.
func estimatePreparation(c *Compiled) Estimate {
	e := Estimate{Phase: -1}
	for _, set := range c.sets {
		if set.later || set.objects == 0 {
			continue
		}
		bytes := dataSize(set.spec.Sizes, set.seed, set.objects)
		e.Objects, e.Sent = e.Objects+set.objects, e.Sent+bytes
		e.Requests = append(e.Requests, Requests{[]op.Kind{op.Put}, requestsOf(c, set, bytes, set.objects)})
	}
	e.Turns = e.Objects
	return e
}

// turnsOf returns how many turns a stream has at most; open: only a time or an interrupt ends it.
func turnsOf(r *Run, s *stream) (turns uint64, open bool) {
	turns = math.MaxUint64
	set := r.views[slices.Index(r.plan.tasks, s.tasks[0])]
	if u := s.until(set, whole, true); u.turns > 0 {
		turns = u.turns
	}
	if s.Duration > 0 && s.open() && s.Portion == nil {
		if sched, err := scheduleOf(s, 1); err == nil && sched != nil {
			turns = min(turns, load.Turns(sched, s.Warmup+s.Duration))
		}
	}
	if s.Bytes > 0 {
		if one := bytesOf(s); one > 0 {
			turns = min(turns, uint64(math.Ceil(float64(s.Bytes)/one)))
		}
	}
	return turns, turns == math.MaxUint64
}

// bytesOf returns the mean size of what a turn of a stream transfers.
func bytesOf(s *stream) float64 {
	var e Estimate
	for k, turns := range turnsOfTasks(s, sizeSamples) {
		e.add(s.tasks[k], turns)
	}
	return float64(e.Sent+e.Received) / sizeSamples
}

// add adds turns of a task.
func (e *Estimate) add(t *task, turns uint64) {
	kinds := t.traits.Kinds
	bytes := dataSize(t.set.spec.Sizes, t.set.seed, turns)
	requests := turns
	switch {
	case slices.ContainsFunc(kinds, op.Kind.Whole) && t.traits.PartSize > 0:
		requests = uint64(bytes/t.traits.PartSize) + 2*turns
	case !slices.ContainsFunc(kinds, op.Kind.MovesBytes):
		bytes = 0
	case len(t.traits.Ranges) > 0:
		read, by := readOf(t, turns)
		requests = max(requests, by)
		if !slices.ContainsFunc(kinds, op.Kind.Upload) {
			bytes = read
		}
	}
	if t.Retry != nil { // each may need all attempts
		requests *= uint64(t.Retry.Max) + 1
		bytes *= int64(t.Retry.Max) + 1
	}
	if slices.ContainsFunc(kinds, op.Kind.Upload) {
		e.Sent += bytes
		e.Objects += turns
	} else {
		e.Received += bytes
	}
	e.Requests = append(e.Requests, Requests{kinds, requests})
}

// readOf estimates how many bytes a task reads that reads ranges of objects, and by how many requests.
func readOf(t *task, turns uint64) (bytes int64, requests uint64) {
	if turns == 0 {
		return 0, 0
	}
	var sums [2]float64
	k := min(turns, sizeSamples)
	for i := range k {
		b, r := t.traits.Ranges.Estimate(t.set.spec.Sizes.At(t.set.seed, i), i)
		sums[0], sums[1] = sums[0]+b, sums[1]+r
	}
	each := float64(turns) / float64(k)
	return int64(sums[0] * each), uint64(math.Round(sums[1] * each))
}
