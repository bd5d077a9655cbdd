package replay

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/trace"
)

// uploads are the unfinished multipart uploads of a replay, at most one for each object, since not every trace tells uploads of an
// object apart. Whatever a trace lacks is sent unmeasured: the begin of an upload, if that was before the trace, or a part to complete.
type uploads struct {
	mu   sync.Mutex
	open map[uint64]*upload // by object
	made atomic.Int64       // requests that are not in the trace
}

// upload is a multipart upload. Its begin and end run alone on the object; parts may run in parallel.
type upload struct {
	mu    sync.Mutex
	id    string // empty: it has not begun
	parts map[int]ops.Part
	last  int // number that a part without one got

	stored int64 // bytes of parts, as the store has to have room for them
}

// take reserves room for a part. It returns load.ErrDone if the store is full.
func (u *upload) take(w *work.Worker, size int64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := w.Set.Reserve(size)
	if err == nil {
		u.stored += size
	}
	return err
}

// do performs an operation of an upload of an object. source is the key to copy a part from.
func (u *uploads) do(
	ctx context.Context, w *work.Worker, o *trace.Operation, object dataset.Object, source string, room *room,
) error {
	if o.Kind == op.CreateUpload {
		return w.Op(ctx, o.Kind, func(rec *op.Op) error {
			rec.Objects = 0
			return u.begin(ctx, w, object, rec, &upload{})
		})
	}
	up, err := u.of(ctx, w, object)
	if err != nil {
		return w.Op(ctx, o.Kind, func(rec *op.Op) error { rec.Key = object.Key; return err })
	}
	switch o.Kind {
	case op.PutPart, op.CopyPart:
		return up.part(ctx, w, o, object, source)
	case op.AbortUpload:
		if err = up.abort(ctx, w, object); err == nil {
			w.Set.Free(up.stored)
		}
	default:
		if err = up.complete(ctx, w, o, object, &u.made); err == nil {
			room.set(w, object.Index, up.stored, up.stored)
		}
	}
	if err == nil {
		u.mu.Lock()
		delete(u.open, object.Index)
		u.mu.Unlock()
		w.Set.Uploads.Remove(object.Index, up.id)
	}
	return err
}

// begin begins an upload, which replaces another one on the object; the clean-up aborts the latter.
func (u *uploads) begin(ctx context.Context, w *work.Worker, object dataset.Object, rec *op.Op, up *upload) (err error) {
	if up.id, err = ops.CreateUpload(ctx, w.S3, w.Object(object, rec)); err != nil {
		return err
	}
	up.parts = map[int]ops.Part{}
	w.Set.Uploads.Add(object.Index, ops.Upload{Key: object.Key, ID: up.id})
	u.mu.Lock()
	defer u.mu.Unlock()
	u.open[object.Index] = up
	return nil
}

// of returns the upload of an object. If the trace has not begun one, of does.
func (u *uploads) of(ctx context.Context, w *work.Worker, object dataset.Object) (*upload, error) {
	u.mu.Lock()
	up := u.open[object.Index]
	if up == nil {
		up = &upload{}
		u.open[object.Index] = up
	}
	u.mu.Unlock()
	up.mu.Lock()
	defer up.mu.Unlock()
	if up.id != "" {
		return up, nil
	}
	u.made.Add(1)
	return up, w.Unmeasured(ctx, func() error { return u.begin(ctx, w, object, &op.Op{Kind: op.CreateUpload}, up) })
}

// number returns the number of a part; the trace may lack it.
func (u *upload) number(part int) int {
	if part > 0 {
		return part
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last++
	return u.last
}

// add adds a part that the server has.
func (u *upload) add(part ops.Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.parts[part.Number] = part
}

// part uploads or copies a part. A part that failed in the trace does not become part of the object.
func (u *upload) part(ctx context.Context, w *work.Worker, o *trace.Operation, object dataset.Object, source string) error {
	number := u.number(o.Part)
	return w.Op(ctx, o.Kind, func(rec *op.Op) error {
		rec.Objects = 0
		c := w.Object(object, rec)
		var part ops.Part
		var err error
		if o.Kind == op.CopyPart {
			c.Offset, c.Length = max(0, o.Offset), o.Length
			rec.Copied = max(0, o.Size)
			if err = u.take(w, rec.Copied); err != nil {
				return err
			}
			part, err = ops.CopyPart(ctx, w.S3, c, &w.Doc, source, u.id, number)
		} else {
			part, err = u.put(ctx, w, c, object.Index, number, o.Size)
			rec.Bytes = c.Bytes
		}
		if err == nil && !o.Failed() {
			u.add(part)
		}
		return err
	})
}

// put uploads a part. A part of unknown size gets the minimum size.
func (u *upload) put(ctx context.Context, w *work.Worker, c *s3.Call, object uint64, number int, size int64) (ops.Part, error) {
	if size < 0 {
		size = trace.MinPart
	}
	if err := u.take(w, size); err != nil {
		return ops.Part{}, err
	}
	c.Body, c.Size = w.BodyPart(object, int64(number-1)*size, size), size
	return ops.PutPart(ctx, w.S3, c, u.id, number)
}

// complete makes an object of the parts; there must be at least one.
func (u *upload) complete(ctx context.Context, w *work.Worker, o *trace.Operation, object dataset.Object, made *atomic.Int64) error {
	if len(u.parts) == 0 {
		made.Add(1)
		if err := w.Unmeasured(ctx, func() error {
			part, err := u.put(ctx, w, w.Object(object, &op.Op{Kind: op.PutPart}), object.Index, 1, max(0, o.Size))
			if err == nil {
				u.add(part)
			}
			return err
		}); err != nil {
			return w.Op(ctx, o.Kind, func(rec *op.Op) error { rec.Key = object.Key; return err })
		}
	}
	var parts []ops.Part
	for _, number := range slices.Sorted(maps.Keys(u.parts)) {
		parts = append(parts, u.parts[number])
	}
	w.Set.MarkPending(object.Index, true)
	return w.Op(ctx, o.Kind, func(rec *op.Op) error {
		c := w.Object(object, rec)
		return w.Set.Stored(object.Index, c, ops.CompleteUpload(ctx, w.S3, c, u.id, parts))
	})
}

func (u *upload) abort(ctx context.Context, w *work.Worker, object dataset.Object) error {
	return w.Op(ctx, op.AbortUpload, func(rec *op.Op) error {
		rec.Objects = 0
		return ops.AbortUpload(ctx, w.S3, w.Object(object, rec), u.id)
	})
}
