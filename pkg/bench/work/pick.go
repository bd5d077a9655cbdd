package work

import "warp/pkg/bench/dataset"

// Pick returns the object to use in this turn. In a changing data set, it exists and is not deleted meanwhile.
func (w *Worker) Pick() dataset.Object {
	if !w.Set.Changes() && !w.use.same {
		w.use.Use(w.Set.Index(w.Turn.N))
	}
	return w.Set.At(w.use.Object())
}

// Deletions returns the objects to delete in this turn, which no other turn uses; nil unless the data set changes.
func (w *Worker) Deletions() []uint64 { return w.use.Deletions() }

// Found reports whether there was an object for the turn to use or delete; see Traits.Needs. If not, the turn must upload one.
func (w *Worker) Found() bool { return w.use.Has() || len(w.use.Deletions()) > 0 }

// Acquire gets what a turn needs of a changing data set. It returns false if there is nothing to get.
func (w *Worker) Acquire(need dataset.Need, turn uint64) bool {
	return w.use.Acquire(w.Set, need, turn)
}

// Release gives back what the turn holds.
func (w *Worker) Release() { w.use.Release() }

// FollowSame sets whether each turn uses the object of the operation it follows.
func (w *Worker) FollowSame(same bool) { w.use.same = same }

// UseSame holds the object of the operation that the turn follows, after FollowSame.
func (w *Worker) UseSame(first *Worker) bool {
	if w.use.same {
		w.use.Use(first.use.Object())
	}
	return w.use.same
}
