package bench

import (
	"context"

	"warp/pkg/s3"
)

// preflight makes sure, before anything is measured or written, that the store can do what the plan needs, and that the
// run will not touch what it did not make.
func (r *Run) preflight(ctx context.Context) error {
	if r.plan.readsOnly() {
		for _, set := range r.sets {
			if err := s3.PreflightRead(ctx, r.plan.Target, set.Keys.Root()); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := r.env.Group.Once(ctx, "bucket", func(ctx context.Context) (_ []byte, err error) {
		r.made, err = r.store.Bucket().Ensure(ctx)
		return nil, err
	})
	if err != nil {
		return err
	}
	if err = r.preflightWrite(ctx); err != nil {
		ctx := context.WithoutCancel(ctx)
		if r.claimed() { // best effort, as below
			r.unclaim(ctx, r.cleaners(ctx, nil), false)
		}
		if r.made {
			_, _ = r.env.Group.Barrier(ctx, StageRemove, err) // the others may be at work in it
			_ = r.store.Bucket().Remove(ctx)                  // best effort: it is empty, and the error above is what matters
		}
	}
	return err
}

// preflightWrite writes, reads and deletes one tiny object, and takes the names of the run.
func (r *Run) preflightWrite(ctx context.Context) error {
	// A name like that of a claim: no data, and of this run alone, even if another one with the same seed begins now. Clients
	// that share data use different directories: some servers remove one with its last object while others put into it.
	keys := &r.sets[0].Keys
	dir := keys.Dir(int(r.share.Index % uint64(keys.Dirs())))
	r.probe = dir + lastPart(r.claims(r.sets[0])) + randomText()
	if err := s3.Preflight(ctx, r.plan.Target, r.probe); err != nil {
		return err
	}
	if !r.plan.SharedData {
		return r.claimAll(ctx)
	}
	// Once another client has begun to upload, its objects would look like those of an earlier run.
	_, err := r.env.Group.Once(ctx, "free", func(ctx context.Context) ([]byte, error) { return nil, r.claimAll(ctx) })
	return err
}
