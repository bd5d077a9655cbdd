package work

import (
	"context"

	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

// CreateBucket makes an extra bucket. It returns load.ErrDone if all exist already.
func (w *Worker) CreateBucket(ctx context.Context) error {
	extra := w.Set.Extra
	n, ok := extra.ToCreate()
	if !ok {
		return load.ErrDone
	}
	err := w.Op(ctx, op.CreateBucket, func(rec *op.Op) error {
		rec.Key = extra.Name(n)
		w.Call.Other = rec.Key
		return ops.CreateBucket(ctx, w.S3, &w.Call, extra.Region, false)
	})
	extra.Created(n, err)
	return err
}
