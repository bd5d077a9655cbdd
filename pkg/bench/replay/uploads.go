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

// replayUploads are the uploads in parts of a replay that are not over, one for each object: what belongs to an upload is not in every trace. What a
// trace lacks of an upload is made without being measured: its begin, if that was before the trace, or a part to complete.
type replayUploads struct {
	mu   sync.Mutex
	open map[uint64]*replayUpload // by object
	made atomic.Int64             // requests that are not in the trace
}

// replayUpload is an upload in parts. Its begin and its end are alone on the object; parts may be uploaded together.
type replayUpload struct {
	mu    sync.Mutex
	id    string // empty: it has not begun
	parts map[int]ops.Part
	last  int // number that a part without one got

	stored int64 // bytes of parts, as the store has to have room for them
}

// take reserves room for a part. It returns load.ErrDone if there is none.
func (u *replayUpload) take(w *work.Worker, size int64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := w.Set.Reserve(size)
	if err == nil {
		u.stored += size
	}
	return err
}

// do performs an operation of an upload of an object. source is what a part is copied from.
func (u *replayUploads) do(ctx context.Context, w *work.Worker, o *trace.Operation, object dataset.Object, source string, room *replayRoom) error {
	if o.Kind == op.CreateUpload {
		return w.Op(ctx, o.Kind, func(rec *op.Op) error {
			rec.Objects = 0
			return u.begin(ctx, w, object, rec, &replayUpload{})
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

// begin begins an upload, which takes the place of another one on the object. That stays for the clean-up.
func (u *replayUploads) begin(ctx context.Context, w *work.Worker, object dataset.Object, rec *op.Op, up *replayUpload) (err error) {
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

// of returns the upload of an object. If the trace has not begun one, it is begun now.
func (u *replayUploads) of(ctx context.Context, w *work.Worker, object dataset.Object) (*replayUpload, error) {
	u.mu.Lock()
	up := u.open[object.Index]
	if up == nil {
		up = &replayUpload{}
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

// number returns the number of a part that may have none in the trace.
func (u *replayUpload) number(part int) int {
	if part > 0 {
		return part
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last++
	return u.last
}

// add adds a part that the server has.
func (u *replayUpload) add(part ops.Part) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.parts[part.Number] = part
}

// part uploads or copies a part. One that failed in the trace is no part of the object.
func (u *replayUpload) part(ctx context.Context, w *work.Worker, o *trace.Operation, object dataset.Object, source string) error {
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

// put uploads a part. One of an unknown size is as small as a part may be.
func (u *replayUpload) put(ctx context.Context, w *work.Worker, c *s3.Call, object uint64, number int, size int64) (ops.Part, error) {
	if size < 0 {
		size = trace.MinPart
	}
	if err := u.take(w, size); err != nil {
		return ops.Part{}, err
	}
	c.Body, c.Size = w.BodyPart(object, int64(number-1)*size, size), size
	return ops.PutPart(ctx, w.S3, c, u.id, number)
}

// complete makes an object of the parts. There must be one.
func (u *replayUpload) complete(ctx context.Context, w *work.Worker, o *trace.Operation, object dataset.Object, made *atomic.Int64) error {
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
	w.Set.Making(object.Index, true)
	return w.Op(ctx, o.Kind, func(rec *op.Op) error {
		c := w.Object(object, rec)
		return w.Set.Stored(object.Index, c, ops.CompleteUpload(ctx, w.S3, c, u.id, parts))
	})
}

// abort ends the upload without an object.
func (u *replayUpload) abort(ctx context.Context, w *work.Worker, object dataset.Object) error {
	return w.Op(ctx, op.AbortUpload, func(rec *op.Op) error {
		rec.Objects = 0
		return ops.AbortUpload(ctx, w.S3, w.Object(object, rec), u.id)
	})
}
