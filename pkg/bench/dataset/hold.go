package dataset

// Hold is a turn's hold on its data set: an object to work on, or objects to delete. If the data set changes, the turn acquires it first
// and releases it at its end, so that no other turn deletes the former or uses the latter.
type Hold struct {
	set          *DataSet // receives the objects when they are released; nil: they need no release
	object       uint64
	has          bool // an object is held
	reading      bool
	deletions    []uint64 // objects to delete
	maybeDeleted bool     // an earlier turn may have deleted some of them
}

// Need is what a turn needs of a changing data set: an object to use, or objects to delete.
type Need struct {
	Picks      bool
	MaxDeletes uint64
}

// Acquire gets what a turn needs of a changing data set. It returns false and holds nothing if no object is available.
func (h *Hold) Acquire(set *DataSet, need Need, turn uint64) (ok bool) {
	h.Release()
	h.set = set
	if need.Picks {
		h.object, h.reading = set.live.read(&set.Access, turn)
		h.has = h.reading
		return h.has
	}
	for k := range need.MaxDeletes {
		i, again, ok := set.live.take(&set.Access, turn*need.MaxDeletes+k)
		if !ok {
			return k > 0
		}
		h.deletions, h.maybeDeleted = append(h.deletions, i), h.maybeDeleted || again
	}
	return true
}

// Use holds an object that needs no release, because its data set does not change or the turn uploads the object itself.
func (h *Hold) Use(object uint64) {
	if h.reading {
		panic("a turn that holds an object uses another one")
	}
	h.object, h.has = object, true
}

// Has reports whether an object is held.
func (h *Hold) Has() bool { return h.has }

// Object returns the held object. It panics without one, as after Release.
func (h *Hold) Object() uint64 {
	if !h.has {
		panic("a turn uses an object that it does not hold")
	}
	return h.object
}

// Deletions returns the objects to delete.
func (h *Hold) Deletions() []uint64 { return h.deletions }

// MaybeDeleted reports whether an earlier turn may have deleted these already.
func (h *Hold) MaybeDeleted() bool { return h.maybeDeleted }

// Restore gives back an object that was not deleted after all.
func (h *Hold) Restore(object uint64) { h.set.live.restore(object) }

// ReturnUncertain gives back an object that may be deleted although the request failed. No turn reads it; a later turn takes it again.
func (h *Hold) ReturnUncertain(object uint64) { h.set.live.putUncertain(object) }

// Release releases the objects. It keeps the memory.
func (h *Hold) Release() {
	if h.reading {
		h.set.live.release(h.object)
	}
	if len(h.deletions) > 0 {
		h.set.live.settled(len(h.deletions))
	}
	*h = Hold{deletions: h.deletions[:0]}
}
