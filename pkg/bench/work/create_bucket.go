package work

import (
	"context"
	"net/http"

	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
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
		err := ops.CreateBucket(ctx, w.S3, &w.Call, extra.Region, false)
		if extra.Named && s3.AsError(err).Status == http.StatusConflict {
			return nil // it is there
		}
		return err
	})
	extra.Created(n, err)
	return err
}
