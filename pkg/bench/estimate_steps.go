package bench

import (
	"math"
	"slices"

	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

// objectCounts is the maximum number of objects in each data set; math.MaxUint64 if unknown.
type objectCounts map[*setPlan]uint64

// preparedObjects returns the objects of the preparation.
func preparedObjects(c *Compiled) objectCounts {
	there := objectCounts{}
	for _, set := range c.sets {
		if !set.later {
			there[set] = set.objects
		}
	}
	return there
}

// add counts the new objects of a task.
func (n objectCounts) add(t *task, objects uint64, open bool) {
	switch {
	case !t.traits.AddsObjects:
	case open || objects > math.MaxUint64-n[t.set]:
		n[t.set] = math.MaxUint64
	default:
		n[t.set] += objects
	}
}

// estimate returns the work of a step; ok is false if it sends no requests, or an unknown number.
func (n objectCounts) estimate(r *Run, s *Step) (e Estimate, ok bool) {
	set := namedSet(r.plan, s.set())
	if set == nil {
		return e, false
	}
	objects := n[set]
	if s.Prepare != "" {
		n[set] = max(objects, set.objects)
		objects = set.objects
	}
	if objects > work.MaxObjects {
		return e, false
	}
	share := 1.0
	if s.Sample > 0 {
		share = s.Sample
	}
	count := uint64(math.Ceil(float64(objects) * share))
	e.Turns = count
	number := slices.Index(r.plan.sets, set)
	switch {
	case s.Prepare != "":
		e.Cost = estimateSet(r, number, count)
	case s.Verify != "":
		e.Download(op.Get, work.Turns{Count: count, Set: r.sets[number]})
	default:
		n[set] = 0
		e.Request(op.Delete, (count+ops.MaxEntries-1)/ops.MaxEntries)
	}
	return e, true
}
