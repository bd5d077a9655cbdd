package bench

import (
	"math"
	"slices"

	"warp/pkg/bench/dataset"
	"warp/pkg/load"
)

// hasPasses reports whether turns of a task go through its data set: objects do not join it meanwhile, and others do not delete any.
func hasPasses(c *Compiled, t *task) bool {
	if t.traits.MaxDeletes == 0 {
		return !c.changesIn(t.of.phase, t.set)
	}
	return !slices.ContainsFunc(c.phaseStreams(t.of.phase), func(s *stream) bool { return s.addsTo(t.set) || s != t.of && s.changes(t.set) })
}

// until is the end of a client's part of a stream, besides its duration.
type until struct {
	turns  uint64 // 0: no limit
	bytes  int64  // 0: no limit
	noPart bool   // there are more clients than turns or bytes, and nothing is left for this client
}

// until returns the end of a client's part. Clients that do not share a sequence of requests have passes of their own.
func (s *stream) until(set *dataset.DataSet, share load.Share, one bool) until {
	turns := uint64(math.MaxUint64)
	if s.Ops > 0 {
		turns = share.Of(s.Ops)
	}
	if s.Passes > 0 {
		all := math.Ceil(s.Passes * float64(turnsOfPass(s.tasks[0], set)))
		if all >= math.MaxInt64 {
			all = math.MaxInt64
		}
		if n := uint64(all); one {
			turns = min(turns, share.Of(n))
		} else {
			turns = min(turns, n)
		}
	}
	u := until{bytes: int64(share.Of(uint64(s.Bytes))), noPart: turns == 0}
	if turns < math.MaxUint64 {
		u.turns = turns
	}
	u.noPart = u.noPart || s.Bytes > 0 && u.bytes == 0
	return u
}

// turnsOfPass returns the number of turns of a task that use each object of the data set once.
func turnsOfPass(t *task, set *dataset.DataSet) uint64 {
	if n := t.traits.MaxDeletes; n > 0 && set.Changes() {
		return (set.Accessible() + n - 1) / n
	}
	return t.traits.Pass(set)
}
