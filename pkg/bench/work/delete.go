package work

import (
	"context"
	"errors"
	"net/http"

	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// NotDeleted records that objects which were taken were not deleted. Those that certainly remain are put back. Others are not
// read any more, since the run would cause a 404 itself: a later turn takes them again, and then a 404 is no error.
func NotDeleted(w *Worker, err error, objects ...uint64) {
	if !w.Set.Changes() {
		return
	}
	status := statusOf(err)
	for _, i := range objects {
		switch {
		case s3.NotThere(err) || status == http.StatusNotFound:
			w.Set.Gone(i)
		case !w.use.MaybeDeleted() && (!w.Call.MaybeSent || refuses(status) || said(err)):
			w.use.Restore(i)
		default:
			w.use.Doubt(i)
		}
	}
}

// statusOf returns the status of a response that is an error; 0: there was none.
func statusOf(err error) int {
	var e *s3.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// said reports whether a multi-delete says of an object that it was not deleted, and that this is for good.
func said(err error) bool {
	e := s3.AsError(err)
	return e.Status == 0 && e.Code != "" && !s3.Temporary(err)
}

// refuses reports whether a response with this status says that the request was not performed. A server, or a proxy before
// it, may send others after it was.
func refuses(status int) bool {
	return status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// Delete deletes object i of the data set.
func (w *Worker) Delete(ctx context.Context, i uint64) error {
	return w.Op(ctx, op.Delete, func(rec *op.Op) error {
		rec.Objects = 0
		err := ops.Delete(ctx, w.S3, w.Object(w.Set.At(i), rec))
		if err == nil || w.use.MaybeDeleted() && statusOf(err) == http.StatusNotFound {
			rec.Objects = 1
			w.Set.Gone(i)
			return nil
		}
		NotDeleted(w, err, i)
		return err
	})
}
