package work

import (
	"context"
	"errors"
	"fmt"
	"io"

	"warp/pkg/bench/dataset"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// PutNewParts is PutNew in parts.
func (w *Worker) PutNewParts(ctx context.Context, p *Parts) (uint64, error) {
	i := w.Set.New()
	w.use.Use(i)
	err := w.PutParts(ctx, i, p)
	w.uploaded(i, err)
	return i, err
}

// PutParts uploads object i of the data set in parts, as many at once as the worker has lanes. If that fails, it aborts the
// upload. It returns load.ErrDone if the store is full.
func (w *Worker) PutParts(ctx context.Context, i uint64, p *Parts) error {
	return w.upload(ctx, op.MultipartPut, upload{Object: w.Set.Object(i), parts: p})
}

// CopyParts has the server copy o to a new key in parts, as many at once as the worker has lanes. If that fails, it aborts the
// upload. It returns load.ErrDone if the store is full.
func (w *Worker) CopyParts(ctx context.Context, o dataset.Object, p *Parts) error {
	i := w.Set.NewCopy()
	up := upload{Object: dataset.Object{Index: i, Key: w.Set.Keys.Key(i), Bucket: w.Set.BucketOf(i), Size: o.Size}, parts: p}
	up.source = w.CopySource(&o)
	return w.upload(ctx, op.MultipartCopy, up)
}

// upload makes an object in parts, and records it as a whole too.
func (w *Worker) upload(ctx context.Context, kind op.Kind, up upload) error {
	if err := w.Set.Reserve(up.Size); err != nil {
		w.Set.Unsent(up.Index)
		return err
	}
	err := w.composite(ctx, kind, &up)
	if err == nil {
		return nil
	}
	w.Set.Free(up.Size)
	if !up.begun {
		w.Set.Unsent(up.Index)
	}
	return err
}

// composite makes an object in parts. If that fails, it aborts the upload.
func (w *Worker) composite(ctx context.Context, kind op.Kind, up *upload) error {
	err := w.Composite(kind, up.Object, func() error { return up.put(ctx, w) })
	if err == nil {
		w.Set.Uploads.Remove(up.Index, up.id)
		return nil
	}
	up.abort(ctx, w)
	return err
}

// upload is an upload or copy of an object in parts, in progress.
type upload struct {
	dataset.Object
	parts  *Parts
	source string      // of a copy; empty: the contents are uploaded
	body   io.ReaderAt // contents; nil: the data set's
	id     string
	begun  bool // the server may know it
	made   []ops.Part
}

func (u *upload) put(ctx context.Context, w *Worker) error {
	err := w.persist(ctx, op.CreateUpload, func(rec *op.Op) error { return u.create(ctx, w, rec) })
	if err != nil && !errors.Is(err, errUnsent) {
		return err
	}
	n := u.parts.Number(u.Size)
	u.made = make([]ops.Part, n)
	part := u.putPart
	if u.source != "" {
		part = u.copyPart
	}
	each := w.Parallel
	if u.body != nil { // one reader for all parts
		each = w.oneByOne
	}
	if err := each(ctx, n, part); err != nil {
		return err
	}
	return w.persist(ctx, op.CompleteUpload, func(rec *op.Op) error { return u.complete(ctx, w, rec) })
}

// errUnsent has nothing recorded of an upload that begins with its first part, without a request before.
var errUnsent = fmt.Errorf("%w: no request", load.ErrDone)

func (u *upload) create(ctx context.Context, w *Worker, rec *op.Op) (err error) {
	rec.Objects = 0
	c := w.Object(u.Object, rec)
	u.id, err = ops.CreateUpload(ctx, w.S3, c)
	u.begun = err == nil || c.MaybeSent
	if err == nil {
		w.Set.Uploads.Add(u.Index, ops.Upload{Key: u.Key, ID: u.id})
	}
	if err == nil && c.Requests == 0 && w.S3.Dialect().Name() != s3.StoreS3 {
		return errUnsent
	}
	return err
}

func (u *upload) putPart(ctx context.Context, w *Worker, k int) error {
	return w.persist(ctx, op.PutPart, func(rec *op.Op) (err error) {
		rec.Objects = 0
		c := w.Object(u.Object, rec)
		offset, length := u.parts.Part(u.Size, k)
		if c.Size = length; u.body != nil {
			c.Body = io.NewSectionReader(u.body, offset, length)
		} else {
			c.Body = w.BodyPart(u.Index, offset, length)
		}
		u.made[k], err = ops.PutPart(ctx, w.S3, c, u.id, k+1)
		rec.Bytes = c.Bytes
		return err
	})
}

// copyPart has the server copy part k.
func (u *upload) copyPart(ctx context.Context, w *Worker, k int) error {
	return w.Op(ctx, op.CopyPart, func(rec *op.Op) (err error) {
		rec.Objects = 0
		c := w.Object(u.Object, rec)
		if len(u.made) > 1 { // S3 copies ranges only of objects of more than 5 MiB
			c.Offset, c.Length = u.parts.Part(u.Size, k)
		}
		_, rec.Copied = u.parts.Part(u.Size, k)
		u.made[k], err = ops.CopyPart(ctx, w.S3, c, &w.Doc, u.source, u.id, k+1)
		return err
	})
}

func (u *upload) complete(ctx context.Context, w *Worker, rec *op.Op) error {
	err := ops.CompleteUpload(ctx, w.S3, w.Object(u.Object, rec), u.id, u.made)
	return w.Set.Stored(u.Index, &w.Call, err)
}

// abort aborts the upload. If there is no time, or the server does not respond, the clean-up does it.
func (u *upload) abort(ctx context.Context, w *Worker) {
	if u.id == "" || ctx.Err() != nil {
		return
	}
	err := w.Op(ctx, op.AbortUpload, func(rec *op.Op) error {
		rec.Objects = 0
		err := ops.AbortUpload(ctx, w.S3, w.Object(u.Object, rec), u.id)
		if s3.IsNotFound(err) && !s3.NoBucket(err) {
			return nil // it was completed, though no response said so
		}
		return err
	})
	if err == nil {
		w.Set.Uploads.Remove(u.Index, u.id)
	}
}

// persist performs an operation of a multipart upload. In the preparation, which needs all parts, it retries temporary errors.
func (w *Worker) persist(ctx context.Context, kind op.Kind, do func(rec *op.Op) error) error {
	if w.origin.stream != op.PhasePrepare {
		return w.Op(ctx, kind, do)
	}
	return RetryWhile(ctx, UploadTries, s3.Temporary, func() (bool, error) { return false, w.Op(ctx, kind, do) })
}
