package work

import (
	"context"
	"errors"
	"io"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// inParts reports whether an object is uploaded in parts because of its size.
func (w *Worker) inParts(o *dataset.Object) bool {
	return w.requests.partSize > 0 && o.Size > w.requests.partSize && w.Auth == s3.AuthHeader
}

// Put uploads object i of the data set. It returns load.ErrDone if the store is full.
func (w *Worker) Put(ctx context.Context, i uint64) error {
	o := w.Set.Object(i)
	if w.inParts(&o) {
		return w.upload(ctx, op.MultipartPut, upload{Object: o, parts: LargeParts(w.requests.partSize)})
	}
	return w.PutAs(ctx, o, w.Body(i, o.Size))
}

// PutAs uploads an object of the data set with contents of its own. It returns load.ErrDone if the store is full.
func (w *Worker) PutAs(ctx context.Context, o dataset.Object, body io.ReaderAt) error {
	if w.inParts(&o) {
		return w.upload(ctx, op.MultipartPut, upload{Object: o, parts: LargeParts(w.requests.partSize), body: body})
	}
	if err := w.Set.Reserve(o.Size); err != nil {
		return err
	}
	kind, send := op.Put, ops.Put
	if w.Auth == s3.AuthForm {
		kind, send = op.Post, ops.Post
	}
	err := w.Op(ctx, kind, func(rec *op.Op) error {
		c := w.Object(o, rec)
		c.Body = body
		err := send(ctx, w.S3, c)
		if rec.Bytes = c.Bytes; kind == op.Post && err == nil {
			rec.Bytes = o.Size // the form adds its own fields
		}
		return w.Set.Stored(o.Index, c, err)
	})
	if err != nil {
		w.Set.Free(o.Size)
	}
	return err
}

// PutNew uploads a new object and returns its index.
func (w *Worker) PutNew(ctx context.Context) (uint64, error) {
	i := w.Set.New()
	w.use.Use(i)
	err := w.Put(ctx, i)
	if errors.Is(err, load.ErrDone) || err != nil && !w.Call.MaybeSent {
		w.Set.Unsent(i) // it was never sent
	}
	w.uploaded(i, err)
	return i, err
}

// uploaded records the end of the upload of a new object.
func (w *Worker) uploaded(i uint64, err error) {
	if err != nil {
		w.Set.Failed(i, true)
	}
	w.Set.Settle(i, err == nil)
}

// Append appends size bytes to object i of the data set, which holds offset bytes so far. It returns load.ErrDone if the store is full.
func (w *Worker) Append(ctx context.Context, i uint64, offset, size int64) error {
	if err := w.Set.Reserve(size); err != nil {
		return err
	}
	err := w.Op(ctx, op.Append, func(rec *op.Op) error {
		c := w.Object(dataset.Object{Key: w.Set.Key(i), Bucket: w.Set.BucketOf(i), Size: size}, rec)
		c.Body = w.BodyPart(i, offset, size)
		err := ops.Append(ctx, w.S3, c, offset)
		rec.Bytes = c.Bytes
		return err
	})
	if err != nil {
		w.Set.Free(size)
	}
	return err
}

// Overwrite replaces an object, with contents of the turn's own.
func Overwrite(ctx context.Context, w *Worker, o dataset.Object) error {
	body := w.Body(generator.Mix(o.Index, w.Turn.N), o.Size)
	if w.inParts(&o) {
		up := upload{Object: o, parts: LargeParts(w.requests.partSize), body: body}
		return w.composite(ctx, op.MultipartPut, &up)
	}
	return w.Op(ctx, op.Put, func(rec *op.Op) error {
		c := w.Object(o, rec)
		c.Body = body
		err := ops.Put(ctx, w.S3, c)
		rec.Bytes = c.Bytes
		return w.Set.Stored(o.Index, c, err)
	})
}
