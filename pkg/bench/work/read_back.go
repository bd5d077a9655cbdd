package work

import (
	"context"

	"warp/pkg/bench/dataset"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Change performs an operation that sets a value of an object by a single request.
func (w *Worker) Change(
	ctx context.Context, kind op.Kind, o dataset.Object, what dataset.Setting, value int64, send func(c *s3.Call) error,
) error {
	return w.Op(ctx, kind, func(rec *op.Op) error {
		return w.Set.Settings(what).Change(o.Index, value, func() error { return send(w.Object(o, rec)) })
	})
}

// ReadBack performs an operation that reads a value set by Change, by a single request. If the value is known, check compares it.
func (w *Worker) ReadBack(
	ctx context.Context, kind op.Kind, o dataset.Object, what dataset.Setting, read func(c *s3.Call) error, check func(want int64) error,
) error {
	return w.Op(ctx, kind, func(rec *op.Op) error {
		was := w.Set.Settings(what).Last(o.Index)
		err := read(w.Object(o, rec))
		if value, known := was.Still(); err == nil && known {
			return check(value)
		}
		return err
	})
}
