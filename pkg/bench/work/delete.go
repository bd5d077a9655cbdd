package work

import (
	"context"
	"errors"
	"net/http"

	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// NotDeleted records that the deletion of taken objects failed. Objects that certainly remain are put back. The others are no longer
// read, since the run itself would cause the 404: a later turn takes them again, and then a 404 is not an error.
func NotDeleted(w *Worker, err error, objects ...uint64) {
	if !w.Set.Changes() {
		return
	}
	status := statusOf(err)
	for _, i := range objects {
		switch {
		case s3.IsNotFound(err) || status == http.StatusNotFound:
			w.Set.MarkDeleted(i)
		case !w.use.MaybeDeleted() && (!w.Call.MaybeSent || refuses(status) || isPermanent(err)):
			w.use.Restore(i)
		default:
			w.use.ReturnUncertain(i)
		}
	}
}

// statusOf returns the status of an error response; 0 without a response.
func statusOf(err error) int {
	var e *s3.Error
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// isPermanent reports whether the response to a multi-delete says that an object was not deleted, for good.
func isPermanent(err error) bool {
	e := s3.AsError(err)
	return e.Status == 0 && e.Code != "" && !s3.Temporary(err)
}

// refuses reports whether a status means that the request was not performed. A server, or a proxy in front of it, may send any other
// status although it was.
func refuses(status int) bool {
	return status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// MaybeDeleted reports whether an earlier request may have deleted what the one in w.Call is about: a request of an earlier turn, or the
// same one before it was sent again.
func (w *Worker) MaybeDeleted() bool { return w.use.MaybeDeleted() || w.Call.Resent+w.Call.Retries > 0 }

// Delete deletes object i of the data set.
func (w *Worker) Delete(ctx context.Context, i uint64) error {
	return w.Op(ctx, op.Delete, func(rec *op.Op) error {
		rec.Objects = 0
		err := ops.Delete(ctx, w.S3, w.Object(w.Set.At(i), rec))
		if err == nil || w.MaybeDeleted() && statusOf(err) == http.StatusNotFound {
			rec.Objects = 1
			w.Set.MarkDeleted(i)
			return nil
		}
		NotDeleted(w, err, i)
		return err
	})
}
