package replay

import "warp/pkg/bench/dataset"

// replayChanges knows which objects of a trace that is replayed in a loop are not what they were before the first pass: those that it reads before
// it writes them, and then overwrites or deletes. It is used in the order of turns, by one thread at a time.
type replayChanges struct {
	below         uint64 // objects with lower numbers are read before they are written
	pass          uint64
	changed, used dataset.Bitmap // by object; used: in this pass
}

func newReplayChanges(below uint64) *replayChanges {
	return &replayChanges{below: below}
}

// use adds an operation of a pass on an object, and reports whether the object must be put back before.
func (c *replayChanges) use(pass, object uint64, writes bool) (putBack bool) {
	if object >= c.below {
		return false
	}
	if pass != c.pass {
		c.pass = pass
		c.used.Clear()
	}
	putBack = c.changed.Has(object) && !c.used.Has(object)
	switch {
	case writes:
		c.changed.Set(object)
	case putBack:
		c.changed.Remove(object)
	}
	c.used.Set(object)
	return putBack
}
