package bench

import (
	"context"
	"fmt"
	"strings"

	"warp/pkg/generator"
	"warp/pkg/s3"
)

// preflightIndex names the tiny object of the preflight: one of the run's own names, far beyond those it will use.
const preflightIndex = 1 << 62

// ofPreflight gives a test for the names of the tiny objects of all clients, each with a host's number at its end.
func (p *Plan) ofPreflight(clients uint64) func(key string) bool {
	names := make(map[string]bool, clients)
	for i := range clients {
		names[generator.NewKeys(p.Data, p.seedOf(i), p.threads()).Key(preflightIndex+i)] = true
	}
	return func(key string) bool {
		return names[key[:max(0, strings.LastIndexByte(key, '.'))]]
	}
}

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
	if err != nil && r.made {
		_, _ = r.env.Group.Meet(context.WithoutCancel(ctx), StageRemove, err) // the others may be at work in it
		_ = r.store.Bucket().Remove(ctx)                                      // best effort: it is empty, and the error above is what matters
	}
	return err
}

// preflight writes, reads and deletes one tiny object, and looks whether the names of the run are free.
func (r *run) preflight(ctx context.Context) error {
	if err := s3.Preflight(ctx, r.plan.Target, r.set.keys.Key(preflightIndex+r.share.Index)); err != nil {
		return err
	}
	if !r.plan.SharedData {
		return r.free(ctx)
	}
	// Once another client has begun to upload, its objects would look like those of an earlier run.
	_, err := r.env.Group.Once(ctx, "free", func(ctx context.Context) ([]byte, error) { return nil, r.free(ctx) })
	return err
}

// free complains if there are objects with names of the run.
func (r *run) free(ctx context.Context) error {
	taken, err := r.set.taken(ctx, r.workers[0].S3)
	if err != nil {
		return fmt.Errorf("look for objects of an earlier run: %w", err)
	}
	if taken && !r.plan.Force {
		return fmt.Errorf("bucket %q already holds objects of a run with seed %d: it is under way, or kept its data; "+
			"use another --seed or --prefix, or --force to overwrite and delete them", r.plan.Target.Bucket, r.plan.Seed)
	}
	return nil
}
