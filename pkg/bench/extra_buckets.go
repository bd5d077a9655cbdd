package bench

import (
	"context"
	"errors"
	"fmt"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Extra buckets are created and deleted as the measured work. They are always empty: data sets claim their names in buckets that stay until
// the end. Their own names contain the ID of the run, so that no other run can have them.

// createExtraBuckets creates the extra buckets that a task deletes, unless another task creates them.
func createExtraBuckets(ctx context.Context, r *Run, t *task, set *dataset.DataSet) error {
	if !preparesExtraBuckets(r.plan, t) {
		return nil
	}
	if set.Extra.Named {
		set.Extra.Exist()
		return forgetKept(ctx, r)
	}
	traits := work.Traits{
		Effect:  work.Adds,
		Records: work.Records{Kinds: []op.Kind{op.CreateBucket}},
	}
	workers := r.workers(min(len(r.slots), t.set.extra), r.slots, 1, &traits, r.workerOptions(set, op.PhasePrepare))
	abort, release := abortAfter(ctx)
	defer release()
	o := load.Options{Concurrency: len(workers), Turns: uint64(t.set.extra), Grace: grace, Abort: abort}
	_, err := load.Run(ctx, o, func(ctx context.Context, turn load.Turn) error {
		w := workers[turn.Worker]
		err := w.Perform(ctx, turn, func(ctx context.Context, w *work.Worker) error { return w.CreateBucket(ctx) })
		if err == nil || errors.Is(err, load.ErrDone) || ctx.Err() != nil { // another task's preparation made them
			return nil
		}
		return fmt.Errorf("preparation: make bucket %q: %w", w.Last().Key, err)
	})
	return err
}

// forgetKept removes the claims of runs that kept objects from buckets that hold nothing else, or whose objects the run deletes: the
// buckets are about to be deleted, and must be empty. The plan's Force permits it.
func forgetKept(ctx context.Context, r *Run) error {
	for _, b := range r.buckets {
		var kept []string
		others := false
		err := searchAll(ctx, b.session(0), ops.Listing{}, func(key string) error {
			switch {
			case !generator.IsTemplateClaim(key):
				others = true
			case readClaim(ctx, b.session(0), key).State == claimKept:
				kept = append(kept, key)
			}
			return nil
		})
		if err != nil && !refused(err) {
			return err
		}
		if others && r.plan.onlyBuckets() {
			continue
		}
		for _, key := range kept {
			if err := ops.Delete(ctx, b.session(0), &s3.Call{Key: key, Size: -1}); err != nil {
				return fmt.Errorf("remove the claim of an earlier run in bucket %q: %w", b.bucket.Name(), err)
			}
		}
	}
	return nil
}

// cleanExtraBuckets deletes the extra buckets that exist.
func cleanExtraBuckets(ctx context.Context, r *Run) error {
	var names []string
	for _, set := range r.sets {
		if set.Extra != nil {
			names = append(names, set.Extra.Left()...)
		}
	}
	if len(names) == 0 {
		return nil
	}
	sessions := make([]s3.Session, min(len(names), len(r.slots)))
	for i := range sessions {
		sessions[i] = r.unmeasured(i)
	}
	_, err := removeExtraBuckets(ctx, sessions, names, nil)
	return err
}
