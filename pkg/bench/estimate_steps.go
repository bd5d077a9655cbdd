package bench

import (
	"math"

	"warp/pkg/op"
	"warp/pkg/s3"
)

// objectCounts is how many objects data sets have at most; math.MaxUint64: it is not known.
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

// add counts what turns of a task upload.
func (n objectCounts) add(t *task, turns uint64, open bool) {
	switch {
	case !t.traits.Fills:
	case open || turns > math.MaxUint64-n[t.set]:
		n[t.set] = math.MaxUint64
	default:
		n[t.set] += turns
	}
}

// estimate returns what a step does; ok is false if it sends no requests, or it is not known how many.
func (n objectCounts) estimate(c *Compiled, s *Step) (e Estimate, ok bool) {
	set := namedSet(c, s.set())
	if set == nil {
		return e, false
	}
	objects := n[set]
	if s.Prepare != "" {
		n[set] = max(objects, set.objects)
		objects = set.objects
	}
	if objects > MaxObjects {
		return e, false
	}
	share := 1.0
	if s.Sample > 0 {
		share = s.Sample
	}
	count := uint64(math.Ceil(float64(objects) * share))
	e.Turns = count
	switch bytes := dataSize(set.spec.Sizes, set.seed, count); {
	case s.Prepare != "":
		e.Objects, e.Sent, e.Requests = count, bytes, []Requests{{[]op.Kind{op.Put}, requestsOf(c, set, bytes, count)}}
	case s.Verify != "":
		e.Received, e.Requests = bytes, []Requests{{[]op.Kind{op.Get}, count}}
	default:
		n[set] = 0
		e.Requests = []Requests{{[]op.Kind{op.Delete}, (count + s3.MaxEntries - 1) / s3.MaxEntries}}
	}
	return e, true
}

// requestsOf returns how many requests upload objects of a data set.
func requestsOf(c *Compiled, set *setPlan, bytes int64, objects uint64) uint64 {
	requests := objects
	for _, t := range c.tasks {
		if t.set == set && t.traits.PartSize > 0 {
			requests = max(requests, uint64(bytes/t.traits.PartSize)+2*objects)
		}
	}
	return requests
}
