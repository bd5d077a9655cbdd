package bench

import (
	"errors"
	"fmt"

	"warp/pkg/bench/dataset"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// failedRequest is the error of a request of the preparation.
type failedRequest struct {
	kind op.Kind
	error
}

func (f *failedRequest) Unwrap() error { return f.error }

// failedRequest returns the error of a request; in the preparation, which ends with it, it says which request failed, at which host.
func (w *Worker) failedRequest(kind op.Kind, err error) error {
	if err == nil || w.target == nil || kind.Whole() {
		return err
	}
	return &failedRequest{kind, preflight.Explain(w.target, &w.Call, err)}
}

// mayGoAway reports whether an upload of the preparation that failed may succeed when it is tried again.
func mayGoAway(err error) bool { return s3.Temporary(err) || s3.AsError(err).Status == 0 }

// unprepared returns the error of a preparation that ends since an object could not be uploaded, or finished, in so many tries.
func unprepared(kind op.Kind, number, all uint64, tries int, err error) error {
	var request *failedRequest
	if errors.As(err, &request) {
		kind = request.kind
	}
	text := ""
	if tries > 1 {
		text = fmt.Sprintf(" (tried %d times)", tries)
	}
	return fmt.Errorf("preparation: %s of object %d of %d: %w%s", kind, number, all, err, text)
}

// uploaders returns workers of the preparation.
func (r *Run) uploaders(threads int, set *dataset.DataSet, u *uploader) []*Worker {
	workers := r.workers(threads, r.slots, u.traits.lanes(), set, op.PhasePrepare, &u.traits)
	for _, w := range workers {
		for _, lane := range w.lanes {
			lane.target = &r.plan.Target
		}
	}
	return workers
}
