package replay

import "warp/pkg/bench/dataset"

// changeSet knows the objects that a pass of a looped trace reads first and then overwrites or deletes: they must be put back before
// the next pass. It is used in the order of turns, by one thread at a time.
type changeSet struct {
	below         uint64 // objects with lower numbers are read before they are written
	pass          uint64
	changed, used dataset.Bitmap // by object; used: in this pass
}

func newChangeSet(below uint64) *changeSet {
	return &changeSet{below: below}
}

// use adds an operation of a pass on an object, and reports whether the object must be put back first.
func (c *changeSet) use(pass, object uint64, writes bool) (putBack bool) {
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
