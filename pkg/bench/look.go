package bench

import (
	"context"

	"warp/pkg/s3"
)

// look makes sure, before anything is measured or written, that the store can do what the plan asks for, and that the
// run will not touch what it did not make.
func (r *run) look(ctx context.Context) error {
	if r.plan.readsOnly() {
		return s3.PreflightRead(ctx, r.plan.Target, r.set.keys.Root())
	}
	_, err := r.env.Group.Once(ctx, "bucket", func(ctx context.Context) (_ []byte, err error) {
		r.made, err = r.store.Bucket().Ensure(ctx)
		return nil, err
	})
	if err != nil {
		return err
	}
	err = r.preflight(ctx)
	if err != nil && r.claimed != "" {
		c := r.cleaner(nil)
		c.detectVersions(context.WithoutCancel(ctx), r.set.versioned.Load())
		r.unclaim(context.WithoutCancel(ctx), c, false) // best effort, as below
	}
	if err != nil && r.made {
		_, _ = r.env.Group.Meet(context.WithoutCancel(ctx), StageRemove, err) // the others may be at work in it
		_ = r.store.Bucket().Remove(ctx)                                      // best effort: it is empty, and the error above is what matters
	}
	return err
}

// preflight writes, reads and deletes one tiny object, and takes the names of the run.
func (r *run) preflight(ctx context.Context) error {
	// A name like that of a claim: no data, and of this run alone, even if another one with the same seed begins now. Clients
	// that share data use different directories: some servers remove one with its last object while others put into it.
	dir := r.set.keys.Dir(int(r.share.Index % uint64(r.set.keys.Dirs())))
	r.probe = dir + lastPart(r.claims()) + randomText()
	if err := s3.Preflight(ctx, r.plan.Target, r.probe); err != nil {
		return err
	}
	switch {
	case !r.plan.makes():
		return nil
	case !r.plan.SharedData:
		return r.claim(ctx)
	}
	// Once another client has begun to upload, its objects would look like those of an earlier run.
	_, err := r.env.Group.Once(ctx, "free", func(ctx context.Context) ([]byte, error) { return nil, r.claim(ctx) })
	return err
}
