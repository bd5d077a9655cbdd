package bench

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"warp/pkg/bench/dataset"
	"warp/pkg/s3"
	"warp/pkg/s3/preflight"
)

// Objects of a data set are spread over several buckets by their index. Each bucket is guarded separately: it has claims of the run on all
// names, and is searched, cleaned and removed by itself.

// makeClaims makes the claims of the run on the names of its objects in each bucket.
func makeClaims(r *Run, threads int) {
	run := cmp.Or(r.plan.RunID, randomText())
	for n := range max(1, r.plan.Target.Buckets) {
		session := func(slot int) s3.Session { return unmeasuredAt(r.slots[slot].session, r.plan.Target, n) }
		r.buckets = append(r.buckets, &claims{
			plan:      r.plan,
			bucket:    preflight.OpenNumber(r.env.Store, n),
			number:    n,
			sets:      r.sets,
			session:   session,
			threads:   threads,
			run:       run,
			recording: r.env.Recording,
			keys:      map[*dataset.DataSet]string{},
			earlier:   map[*dataset.DataSet]*keptObjects{},
		})
	}
	for i, set := range r.plan.sets {
		if set.extra > 0 {
			names := extraNames(&r.plan.Target, run, set, r.share.Index)
			if set.namedExtra {
				names = r.plan.Target.BucketName
			}
			r.sets[i].Extra = dataset.NewExtraBuckets(names, set.extra, r.env.Store.Region(0))
			r.sets[i].Extra.Named = set.namedExtra
		}
	}
}

// claimNames claims the names of all data sets that the run makes.
func claimNames(ctx context.Context, r *Run) error {
	for _, b := range r.buckets {
		if err := b.claimAll(ctx); err != nil {
			return err
		}
		if b.unlisted {
			r.warnNow("the server drops the empty part of names such as %q: objects are found by their names, but not by listings or warp clean",
				r.sets[0].Keys.Key(0))
		}
	}
	for _, b := range r.buckets {
		b.replaceKept(ctx)
	}
	return nil
}

// madeBucket reports whether the run made one of the buckets.
func madeBucket(r *Run) bool {
	return slices.ContainsFunc(r.buckets, func(b *claims) bool { return b.made })
}

// cleanBuckets removes what the run made.
func cleanBuckets(ctx context.Context, r *Run) error {
	errs := []error{cleanExtraBuckets(ctx, r)}
	var empty []*cleanup // the buckets that the run made
	var removed map[string]*atomic.Uint64
	for _, b := range r.buckets {
		c := newCleanup(ctx, r, b, r.orphans())
		if b != r.buckets[0] {
			c.removed = removed // so that progress shows all
		}
		removed = c.removed
		errs = append(errs, c.clean(ctx))
		if c.made && !r.plan.keeps() && c.succeeded() {
			empty = append(empty, c)
		}
	}
	if len(empty) > 0 {
		_, err := r.env.Group.Barrier(ctx, StageRemove, nil)
		for _, c := range empty {
			if err == nil {
				c.removeBucket(ctx, c.env.Observer)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// withdraw removes everything that a refused run has put into its buckets, and returns the leftovers as a *CleanupError.
func withdraw(ctx context.Context, r *Run) error {
	var errs []error
	for _, b := range r.buckets {
		if !b.any() && !b.bucket.Written() {
			continue
		}
		c := newCleanup(ctx, r, b, nil)
		c.remove(ctx, c.remover, false)
		c.confirmEmpty(ctx, c.placesOfClaims(false))
		errs = append(errs, c.failure(c.sets[0].Keys.Root()))
	}
	return errors.Join(errs...)
}
