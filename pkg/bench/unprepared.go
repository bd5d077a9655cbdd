package bench

import (
	"errors"
	"fmt"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// mayGoAway reports whether an upload of the preparation that failed may succeed when it is tried again.
func mayGoAway(err error) bool { return s3.Temporary(err) || s3.AsError(err).Status == 0 }

// unprepared returns the error of a preparation that ends since an object could not be uploaded, or finished, in so many tries.
func unprepared(kind op.Kind, number, all uint64, tries int, err error) error {
	var request *work.FailedRequest
	if errors.As(err, &request) {
		kind = request.Kind
	}
	text := ""
	if tries > 1 {
		text = fmt.Sprintf(" (tried %d times)", tries)
	}
	return fmt.Errorf("preparation: %s of object %d of %d: %w%s", kind, number, all, err, text)
}

// uploaders returns workers of the preparation.
func (r *Run) uploaders(threads int, set *dataset.DataSet, u *uploader) []*work.Worker {
	o := r.workerOptions(set, op.PhasePrepare)
	o.Target = &r.plan.Target
	return r.workers(threads, r.slots, u.traits.LaneCount(), &u.traits, o)
}
