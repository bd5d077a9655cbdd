package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// CleanupError says what a clean-up could not remove.
type CleanupError struct{ err error }

func (e *CleanupError) Error() string { return e.err.Error() }
func (e *CleanupError) Unwrap() error { return e.err }

// clean removes what the run made, and nothing else: its objects (all their versions), its unfinished uploads, its claim, and
// the bucket if the run made it and it is empty now.
func (r *run) clean(ctx context.Context) error {
	if r.plan.readsOnly() {
		return nil
	}
	var orphans []uint64 // indices of clients whose part is to be removed as well
	if s, ok := r.env.Group.(Survivor); ok && r.plan.SharedData {
		orphans = s.Orphans()
	}
	c := r.cleaner(orphans)
	c.detectVersions(ctx, r.set.versioned.Load())
	if !r.plan.KeepData {
		r.removeObjects(ctx, c, len(orphans) > 0)
	}
	r.unclaim(ctx, c, len(orphans) > 0)
	if r.made && !r.plan.KeepData && c.none() {
		if _, err := r.env.Group.Meet(ctx, StageRemove, nil); err != nil {
			return errors.Join(c.verdict(), err)
		}
		c.removeBucket(ctx, r.env.Observer)
	}
	return c.verdict()
}

// cleaner makes a cleaner of what this client and those that are lost made.
func (r *run) cleaner(orphans []uint64) *cleaner {
	c := &cleaner{bucket: r.store.Bucket(), keys: r.set.keys, failures: &failures{}}
	for _, w := range r.workers {
		c.sessions = append(c.sessions, s3.Unmeasured(w.S3, r.plan.Target))
	}
	c.mine = func(i uint64) bool { return r.set.owns(i) || slices.Contains(orphans, i%r.set.part.Total) }
	return c
}

// removeObjects removes objects and uploads: by their names, unless versions must be looked for, or objects of lost clients, of
// which nobody knows how many there are.
func (r *run) removeObjects(ctx context.Context, c *cleaner, orphans bool) {
	used := r.set.next.Load()
	if used == 0 && !orphans {
		return
	}
	stage := Stage{Name: StageCleanup, Workload: r.plan.Phases[0].Workload, Start: clock.Now(), Done: c.objects.Load}
	if c.versions || orphans {
		r.env.Observer.Stage(stage)
		c.sweep(ctx)
	} else {
		stage.Total = used - min(used, r.set.gone.len())
		r.env.Observer.Stage(stage)
		c.each(ctx, (used+s3.MaxEntries-1)/s3.MaxEntries, func(ctx context.Context, sess s3.Session, turn uint64) {
			c.delete(ctx, sess, r.set.batch(turn*s3.MaxEntries, min((turn+1)*s3.MaxEntries, used)))
		})
	}
	c.abort(ctx)
}

func anyKey(string) bool { return true }

// batch names those of this client's objects from one number up to another that may be there.
func (s *DataSet) batch(from, to uint64) (ids []s3.ObjectID) {
	for n := from; n < to; n++ {
		if i := s.own(n); !s.gone.has(i) {
			ids = append(ids, s3.ObjectID{Key: s.keys.Key(i)})
		}
	}
	return ids
}

// removeBucket removes the bucket, or says why it stays.
func (c *cleaner) removeBucket(ctx context.Context, o Observer) (removed bool) {
	if c.show != nil {
		c.show(Leftover{Kind: LeftBucket, Key: c.bucket.Name()})
		return true
	}
	err := c.retry(ctx, func() (bool, error) { return false, c.bucket.Remove(ctx) })
	if err != nil {
		o.Notice(fmt.Sprintf("Bucket %q stays: %v", c.bucket.Name(), err))
	}
	return err == nil
}
