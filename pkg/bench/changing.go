package bench

import (
	"errors"
	"net/http"

	"warp/pkg/s3"
)

// joins reports whether the task can work on a data set that changes meanwhile.
func (s *task) joins() bool {
	t := &s.traits
	return !t.Existing && t.names() == 0 && (t.Joins || t.Picks || t.Fills || t.Takes > 0)
}

// bounds returns the first and the last but one number of the objects to choose from, if those below end may exist.
func (a *Access) bounds(end uint64) (low, high uint64) {
	if a.last == 0 {
		return 0, end
	}
	return a.first - 1, min(a.last, end)
}

// spread returns a place for a turn among n.
func (a *Access) spread(turn, n uint64) uint64 {
	if a.steady {
		return a.index(turn)
	}
	return a.Among(turn, n)
}

// inOrder reports whether objects are used from the oldest on.
func (a *Access) inOrder() bool { return a.choice.InOrder() }

// held is what a turn has of a data set that changes.
type held struct {
	picked  uint64 // object that is used
	same    bool   // it is that of the operation before
	reading bool
	taken   []uint64 // objects to be deleted
}

// hold gets what a turn needs. It returns false if there is nothing.
func (h *held) hold(set *DataSet, t *Traits, turn uint64) bool {
	if t.Picks {
		h.picked, h.reading = set.live.read(&set.Access, turn)
		return h.reading
	}
	h.taken = h.taken[:0]
	for k := range t.Takes {
		i, ok := set.live.take(&set.Access, turn*t.Takes+k)
		if !ok {
			return k > 0
		}
		h.taken = append(h.taken, i)
	}
	return true
}

// release ends the use of the object of a turn.
func (h *held) release(set *DataSet) {
	if h.reading {
		set.live.release(h.picked)
		h.reading = false
	}
}

// NotDeleted records that objects which were taken were not deleted. Those that certainly remain are put back. The others are not
// used any more, since the run would cause a 404 itself, and are left to the clean-up.
func NotDeleted(w *Worker, err error, objects ...uint64) {
	var e *s3.Error
	status := 0
	if errors.As(err, &e) {
		status = e.Status
	}
	if w.Set.live == nil || w.Call.Begun && (!refuses(status) || status == http.StatusNotFound) {
		return
	}
	for _, i := range objects {
		w.Set.live.restore(i)
	}
}
