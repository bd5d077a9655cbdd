package dataset

// Hold is what a turn may use of its data set: an object to work on, or objects to delete. Of a data set that changes it is acquired before
// the turn, so that no other turn deletes the one or uses the others, and released after it. Without it, the turn has no object.
type Hold struct {
	set     *DataSet // that what is held must be given back to; nil: nothing must be
	object  uint64
	has     bool // an object
	reading bool
	doomed  []uint64 // to be deleted
	again   bool     // these may be deleted already
}

// Need is what a turn uses of a data set that changes: an object, or objects to delete.
type Need struct {
	Picks bool
	Takes uint64 // at most
}

// Acquire gets what a turn needs of a data set that changes. It returns false if there is nothing, and then holds nothing.
func (h *Hold) Acquire(set *DataSet, need Need, turn uint64) (ok bool) {
	h.Release()
	h.set = set
	if need.Picks {
		h.object, h.reading = set.live.read(&set.Access, turn)
		h.has = h.reading
		return h.has
	}
	for k := range need.Takes {
		i, again, ok := set.live.take(&set.Access, turn*need.Takes+k)
		if !ok {
			return k > 0
		}
		h.doomed, h.again = append(h.doomed, i), h.again || again
	}
	return true
}

// Use holds an object that needs no release: of a data set that does not change, or one that the turn itself uploads.
func (h *Hold) Use(object uint64) {
	if h.reading {
		panic("a turn that holds an object uses another one")
	}
	h.object, h.has = object, true
}

// Has reports whether an object is held.
func (h *Hold) Has() bool { return h.has }

// Object returns the object that is held. It panics if there is none, as after Release.
func (h *Hold) Object() uint64 {
	if !h.has {
		panic("a turn uses an object that it does not hold")
	}
	return h.object
}

// Doomed returns the objects to delete.
func (h *Hold) Doomed() []uint64 { return h.doomed }

// MaybeDeleted reports whether an earlier turn may have deleted these already.
func (h *Hold) MaybeDeleted() bool { return h.again }

// Restore gives back an object that was to be deleted, and was not.
func (h *Hold) Restore(object uint64) { h.set.live.restore(object) }

// Doubt gives back an object whose deletion failed, though it may have been carried out. No turn reads it, and a later one takes it again.
func (h *Hold) Doubt(object uint64) { h.set.live.doubt(object) }

// Release ends the use of what is held. It keeps the memory.
func (h *Hold) Release() {
	if h.reading {
		h.set.live.release(h.object)
	}
	if len(h.doomed) > 0 {
		h.set.live.settled(len(h.doomed))
	}
	*h = Hold{doomed: h.doomed[:0]}
}
