package replay

import (
	"math"
	"sync"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/trace"
)

// room tracks the sizes of a replay's objects in a store of limited size: sizes come from the trace, which also replaces objects.
type room struct {
	mu    sync.Mutex
	sizes map[uint64]int64 // of existing objects; empty if the store is unlimited
}

// replace uploads or copies an object in place of the existing one, by do. It returns load.ErrDone if the store is full. Nothing else uses
// the object meanwhile.
func (r *room) replace(w *work.Worker, object uint64, size int64, do func() error) error {
	more := max(0, size-r.size(object))
	err := w.Set.Reserve(more)
	if err != nil {
		return err
	}
	if err = do(); err != nil {
		w.Set.Free(more)
		return err
	}
	r.set(w, object, size, more)
	return nil
}

// set notes the new size of an object, with room already taken for it, and releases room that is no longer needed.
func (r *room) set(w *work.Worker, object uint64, size, taken int64) {
	if w.Set.Room() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w.Set.Free(r.sizes[object] + taken - size)
	if r.sizes == nil {
		r.sizes = map[uint64]int64{}
	}
	if r.sizes[object] = size; size == 0 {
		delete(r.sizes, object)
	}
}

// empty notes that an object was deleted.
func (r *room) empty(w *work.Worker, object uint64) { r.set(w, object, 0, 0) }

// size returns the size of an object; 0 if it does not exist.
func (r *room) size(object uint64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sizes[object]
}

// Contents returns nil: the contents of an object depend on the turn that uploaded it. In a loop even the sizes are unknown, since putting
// objects back is not recorded.
func (r *Replay) Contents(*dataset.Layout) (open work.OpenContents, sized bool) { return nil, !r.Loop }

// Turns returns the number of operations.
func (r *Replay) Turns() uint64 {
	if r.Loop {
		return math.MaxUint64
	}
	return uint64(r.Summary.Operations)
}

// Estimate returns the cost of operations of the trace, with the same share of each kind.
func (r *Replay) Estimate(t work.Turns) (c work.Cost) {
	part := float64(t.Count) / float64(max(1, r.Summary.Operations))
	of := func(n int64) int64 { return int64(math.Ceil(float64(n) * part)) }
	for _, k := range r.Summary.Kinds {
		c.Request(k.Kind, uint64(of(k.Operations)))
		switch bytes := of(k.Bytes); {
		case k.Kind.Upload():
			c.Sent += bytes
			if k.Kind == op.PutPart {
				c.Sent += of(k.NoSize) * trace.MinPart
			}
		case k.Kind.MovesBytes():
			c.Received += bytes
		}
	}
	c.Objects = uint64(min(of(r.Summary.Objects.Count), max(0, r.Summary.Objects.Count-r.Summary.Objects.First)))
	c.Stored = c.Sent
	return c
}

// EstimateUpload returns the cost of the upload of objects that are read before they are written.
func (r *Replay) EstimateUpload(t work.Turns) (c work.Cost) {
	c.Request(op.Put, t.Count)
	c.Objects = t.Count
	c.Sent = int64(float64(r.Summary.Objects.FirstBytes) * float64(t.Count) / float64(max(1, r.Summary.Objects.First)))
	c.Stored = c.Sent
	return c
}
