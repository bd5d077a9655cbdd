package bench

import (
	"context"
	"errors"
	"fmt"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// isTransient reports whether a failed upload of the preparation may succeed in another try.
func isTransient(err error) bool { return s3.Temporary(err) || s3.AsError(err).Status == 0 }

// unprepared returns the error of a preparation with an object that could not be uploaded or finished, after a number of tries.
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
	if r.plan.Target.Uploads.PartSize > 0 {
		u.traits.PutInParts()
	}
	o := r.workerOptions(set, op.PhasePrepare)
	o.Target = &r.plan.Target
	return r.workers(threads, r.slots, u.traits.LaneCount(), &u.traits, o)
}

// uploader uploads the objects of a data set.
type uploader struct {
	traits work.Traits
	kind   op.Kind
	put    func(ctx context.Context, w *work.Worker, i uint64) error
}

// newUploader uploads each object by one request.
func newUploader() *uploader {
	return &uploader{work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.Put}},
	}, op.Put, func(ctx context.Context, w *work.Worker, i uint64) error { return w.Put(ctx, i) }}
}

// newPartUploader uploads objects one after another, each in parallel parts, one for each lane.
func newPartUploader(partSize int64, lanes int) *uploader {
	p := &work.Parts{PartSize: work.Size(partSize), Concurrency: min(lanes, work.MaxLanes)}
	traits := work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: work.PartKinds, Rare: work.PartFailureKinds},
		Use:     work.Use{Lanes: p.Concurrency},
	}
	return &uploader{traits, op.MultipartPut, func(ctx context.Context, w *work.Worker, i uint64) error { return w.PutParts(ctx, i, p) }}
}

// upload uploads object i in one of a number of turns, and retries temporary errors. Each try is recorded as an operation.
func (u *uploader) upload(ctx context.Context, w *work.Worker, t load.Turn, i, turns uint64) error {
	again := func(err error) bool { return !work.IsFault(err) && !errors.Is(err, load.ErrDone) && isTransient(err) }
	tries := 0
	err := work.RetryWhile(ctx, work.UploadTries, again, func() (bool, error) {
		tries++
		return false, w.Perform(ctx, t, func(ctx context.Context, w *work.Worker) error { return u.put(ctx, w, i) })
	})
	switch {
	case err == nil:
		w.Set.Settle(i, true)
		return nil
	case work.IsFault(err):
		return err
	case errors.Is(err, load.ErrDone):
		return errors.New("preparation: the store is full; use fewer --objects or a smaller --obj.size")
	case ctx.Err() != nil:
		return nil
	}
	return unprepared(u.kind, t.N+1, turns, tries, err)
}
