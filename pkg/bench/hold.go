package bench

// Hold is what a turn may use of its data set: an object to work on, or objects to delete. Of a data set that changes it is acquired before
// the turn, so that no other turn deletes the one or uses the others, and released after it. Without it, the turn has no object.
type Hold struct {
	set     *DataSet // that what is held must be given back to; nil: nothing must be
	object  uint64
	has     bool // an object
	reading bool
	doomed  []uint64 // to be deleted
	again   bool     // these may be deleted already
	same    bool     // each turn has the object of the operation before
}

// acquire gets what a turn needs of a data set that changes. It returns false if there is nothing, and then holds nothing.
func (h *Hold) acquire(set *DataSet, t *Traits, turn uint64) (ok bool) {
	h.release()
	h.set = set
	picks, takes := t.Picks, t.Takes
	if t.Needs != nil {
		picks, takes = t.Needs(turn)
	}
	if picks {
		h.object, h.reading = set.live.read(&set.Access, turn)
		h.has = h.reading
		return h.has
	}
	for k := range takes {
		i, again, ok := set.live.take(&set.Access, turn*takes+k)
		if !ok {
			return k > 0
		}
		h.doomed, h.again = append(h.doomed, i), h.again || again
	}
	return true
}

// use holds an object that needs no release: of a data set that does not change, or one that the turn itself uploads.
func (h *Hold) use(object uint64) {
	if h.reading {
		panic("a turn that holds an object uses another one")
	}
	h.object, h.has = object, true
}

// Object returns the object that is held.
func (h *Hold) Object() uint64 {
	if !h.has {
		panic("a turn uses an object that it does not hold")
	}
	return h.object
}

// release ends the use of what is held. It keeps the memory, and whether turns have the object of the operation before.
func (h *Hold) release() {
	if h.reading {
		h.set.live.release(h.object)
	}
	if len(h.doomed) > 0 {
		h.set.live.settled(len(h.doomed))
	}
	*h = Hold{doomed: h.doomed[:0], same: h.same}
}
