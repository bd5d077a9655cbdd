package work

import (
	"context"

	"warp/pkg/bench/dataset"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// CopyNew has the server copy o to a new key. It returns load.ErrDone if the store is full.
func CopyNew(ctx context.Context, w *Worker, o dataset.Object) error {
	return createOnServer(ctx, w, op.Copy, o.Size, func(c *s3.Call) error { return ops.Copy(ctx, w.S3, c, w.CopySource(&o)) })
}

// ComposeNew has the server make an object of others, which are in one bucket. It returns load.ErrDone if the store is full.
func ComposeNew(ctx context.Context, w *Worker, sources []string, size int64) error {
	return createOnServer(ctx, w, op.Compose, size, func(c *s3.Call) error { return ops.Compose(ctx, w.S3, c, sources) })
}

// createOnServer has the server make an object of contents that it stores.
func createOnServer(ctx context.Context, w *Worker, kind op.Kind, size int64, send func(c *s3.Call) error) error {
	if err := w.Set.Reserve(size); err != nil {
		return err
	}
	i := w.Set.NewCopy()
	err := w.Op(ctx, kind, func(rec *op.Op) error {
		rec.Copied = size
		return send(w.Object(dataset.Object{Key: w.Set.Key(i), Bucket: w.Set.BucketOf(i), Size: size}, rec))
	})
	if err != nil {
		w.Set.Free(size)
	}
	return err
}

// CopyObject has the server copy a source, which may be the object itself, to an object of the data set.
func CopyObject(ctx context.Context, w *Worker, o dataset.Object, source string, itself bool) error {
	send := ops.Copy
	if itself {
		send = ops.CopyOnto
	}
	return w.Op(ctx, op.Copy, func(rec *op.Op) error {
		rec.Copied = o.Size
		c := w.Object(o, rec)
		return w.Set.Stored(o.Index, c, send(ctx, w.S3, c, source))
	})
}

// CopySource returns where a copy of o is made from.
func (w *Worker) CopySource(o *dataset.Object) string {
	bucket := w.buckets.first
	if o.Bucket > 0 {
		bucket = w.buckets.names[o.Bucket]
	}
	return ops.CopySource(bucket, ops.ObjectID{Key: o.Key, Version: o.Version})
}
