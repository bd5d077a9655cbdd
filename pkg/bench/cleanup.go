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

// clean removes what the run made, and nothing else: its objects (all their versions), its unfinished uploads, its claims, and
// the bucket if the run made it and it is empty now.
func (r *Run) clean(ctx context.Context) error {
	if r.plan.readsOnly() {
		return nil
	}
	var orphans []uint64 // indices of clients whose part is to be removed as well
	if s, ok := r.env.Group.(Survivor); ok && r.plan.SharedData {
		orphans = s.Orphans()
	}
	cleaners := r.cleaners(ctx, orphans)
	if !r.plan.KeepData {
		r.removeObjects(ctx, cleaners, len(orphans) > 0)
	}
	r.unclaim(ctx, cleaners, len(orphans) > 0)
	first := cleaners[0] // all of them count failures together
	if r.made && !r.plan.KeepData && first.none() {
		if _, err := r.env.Group.Barrier(ctx, StageRemove, nil); err != nil {
			return errors.Join(first.verdict(), err)
		}
		first.removeBucket(ctx, r.env.Observer)
	}
	return first.verdict()
}

// cleaners are one for each data set, of what this client and those that are lost made.
func (r *Run) cleaners(ctx context.Context, orphans []uint64) (list []*cleaner) {
	var sessions []s3.Session
	for i := range r.slots {
		sessions = append(sessions, r.unmeasured(i))
	}
	f, versioned := &failures{}, false
	for _, set := range r.sets {
		c := &cleaner{bucket: r.store.Bucket(), sessions: sessions, keys: set.Keys, failures: f}
		c.mine = func(i uint64) bool { return set.owns(i) || slices.Contains(orphans, i%set.Part.Total) }
		list, versioned = append(list, c), versioned || set.versioned.Load()
	}
	detectVersions(ctx, list, versioned)
	return list
}

// removeObjects removes objects and uploads: by their names, unless versions must be looked for, or objects of lost clients,
// whose number is not known.
func (r *Run) removeObjects(ctx context.Context, cleaners []*cleaner, orphans bool) {
	sweep, used, total := cleaners[0].versions || orphans, uint64(0), uint64(0)
	for _, set := range r.sets {
		n := set.next.Load()
		used, total = used+n, total+n-min(n, set.gone.len())
	}
	if used == 0 && !orphans {
		return
	}
	if sweep {
		total = 0
	}
	r.env.Observer.Stage(Stage{Name: StageCleanup, Workload: r.plan.Phases[0].Workload, Start: clock.Now(), Total: total, Done: removed(cleaners)})
	for i, c := range cleaners {
		set := r.sets[i]
		used := set.next.Load()
		switch {
		case used == 0 && !orphans:
			continue
		case sweep:
			c.sweep(ctx)
		default:
			c.each(ctx, (used+s3.MaxEntries-1)/s3.MaxEntries, func(ctx context.Context, sess s3.Session, turn uint64) {
				c.delete(ctx, sess, set.batch(turn*s3.MaxEntries, min((turn+1)*s3.MaxEntries, used)))
			})
		}
		c.abort(ctx)
	}
}

// removed counts the objects that cleaners have removed.
func removed(cleaners []*cleaner) func() uint64 {
	return func() (n uint64) {
		for _, c := range cleaners {
			n += c.objects.Load()
		}
		return n
	}
}

func anyKey(string) bool { return true }

// batch names those of this client's objects from one number up to another that may be there.
func (s *DataSet) batch(from, to uint64) (ids []s3.ObjectID) {
	for n := from; n < to; n++ {
		if i := s.own(n); !s.gone.has(i) {
			ids = append(ids, s3.ObjectID{Key: s.Keys.Key(i)})
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
