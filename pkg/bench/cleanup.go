package bench

import (
	"context"
	"slices"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// cleanup removes what the run made on this client, and nothing else: its objects with all their versions, its unfinished uploads and
// claims, and the bucket if the run made it and it is empty now.
type cleanup struct {
	*remover
	*claims
	env     *Env
	orphans []uint64 // indices of lost clients; their parts are removed too
	used    []spot   // where objects were
}

func newCleanup(ctx context.Context, r *Run, in *claims, orphans []uint64) *cleanup {
	rm := newRemover(in.bucket, in.threads, in.session, nil)
	c := &cleanup{remover: rm, claims: in, env: &r.env, orphans: orphans}
	versioned := slices.ContainsFunc(c.sets, func(s *dataset.DataSet) bool { return s.HasVersions() })
	c.detectVersions(ctx, c.sets[0].Keys.Claims(), versioned)
	return c
}

// clean removes what the run made in the bucket.
func (c *cleanup) clean(ctx context.Context) error {
	for _, set := range c.sets {
		c.abortAll(ctx, set.Uploads.Of(func(i uint64) bool { return set.BucketOf(i) == c.number })) // even with --keep-data: they are not data
	}
	c.removeObjects(ctx)
	c.stay = true
	c.remove(ctx, c.remover, len(c.orphans) > 0)
	c.confirmEmpty(ctx, append(c.placesOfClaims(len(c.orphans) > 0), c.used...))
	for _, set := range c.sets {
		c.removeDirectories(ctx, set.Keys.InBucket(c.number))
	}
	c.remark(c.env.Observer)
	return c.failure(c.sets[0].Keys.Root())
}

// removeObjects removes objects and uploads: by name, unless it must search, for versions, for an unknown number of objects of lost
// clients, or for names that do not follow from the numbers of objects.
func (c *cleanup) removeObjects(ctx context.Context) {
	orphans, used, total := len(c.orphans) > 0, uint64(0), uint64(0)
	for i, set := range c.sets {
		if c.plan.sets[i].keep {
			continue
		}
		used, total = used+set.Used(), total+set.Left()
	}
	if used == 0 && !orphans {
		return
	}
	sweep := func(set *dataset.DataSet) bool { return c.versions || orphans || set.Keys.Named() }
	if slices.ContainsFunc(c.sets, sweep) {
		total = 0
	}
	if c.known && !c.versions {
		c.kept.unlisted += int(used) //nolint:gosec // far fewer
	}
	c.env.Observer.Stage(Stage{
		Name:     StageCleanup,
		Workload: c.plan.Title(),
		Start:    clock.Now(),
		Total:    total,
		Done:     c.removed[leftObject].Load,
	})
	for i, set := range c.sets {
		used := set.Used()
		if used == 0 && !orphans || c.plan.sets[i].keep {
			continue
		}
		own := cleaner{remover: c.remover, keys: set.Keys.InBucket(c.number), locked: c.plan.sets[i].locks, mine: func(i uint64) bool {
			return set.Owns(i) || slices.Contains(c.orphans, i%set.Part.Total)
		}}
		if sweep(set) {
			own.sweep(ctx)
		} else {
			c.each(ctx, (used+ops.MaxEntries-1)/ops.MaxEntries, func(ctx context.Context, sess s3.Session, turn uint64) {
				c.delete(ctx, sess, leftObject, set.Batch(turn*ops.MaxEntries, min((turn+1)*ops.MaxEntries, used), c.number))
			})
		}
		own.abortUploads(ctx)
		c.used = append(c.used, own.places()...)
	}
}
