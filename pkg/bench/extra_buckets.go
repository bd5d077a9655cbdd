package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// Extra buckets are made and deleted to be measured. They hold nothing, and no object of a data set is in them: the names of its objects are claimed
// in buckets that stay until the end. Their own names follow from the id of the run, so that they can be those of no other.

// usualExtraBuckets is how many there are where neither the workload nor the data set says.
const usualExtraBuckets = 100

// extraNames returns the names of a client's extra buckets. They are as long as names of buckets may be, at most.
func extraNames(target *s3.Config, run string, set *setPlan, share uint64) func(int) string {
	const longest, digits = 63, 8
	hash := strconv.FormatUint(generator.Mix(generator.Mix(dataset.Hash(run), set.seed), share), 36)
	hash = strings.Repeat("0", max(0, digits-len(hash))) + hash
	base := target.Bucket
	base = strings.TrimRight(base[:min(len(base), longest-digits-len("--999"))], ".-")
	return func(n int) string { return fmt.Sprintf("%s-%s-%d", base, hash[:digits], n) }
}

// extraOf returns how many extra buckets a data set has for a task.
func extraOf(t *task, spec generator.Spec) int {
	switch {
	case t.traits.Extra == nil:
		return 0
	case t.traits.Extra.Buckets > 0:
		return t.traits.Extra.Buckets
	case spec.Buckets > 1:
		return spec.Buckets
	}
	return usualExtraBuckets
}

// makesExtra reports whether the preparation makes the extra buckets of a task.
func makesExtra(c *Compiled, t *task) bool {
	makes := func(o *task) bool { return o.set == t.set && o.traits.Extra != nil && !o.traits.ExtraFirst }
	return t.traits.ExtraFirst && !slices.ContainsFunc(c.tasks, makes)
}

// makeExtra makes the extra buckets that a task deletes, unless another one makes them.
func makeExtra(ctx context.Context, r *Run, t *task, set *dataset.DataSet) error {
	if !makesExtra(r.plan, t) {
		return nil
	}
	traits := work.Traits{Kinds: []op.Kind{op.CreateBucket}, Effect: work.Adds}
	workers := r.workers(min(len(r.slots), t.set.extra), r.slots, 1, &traits, r.workerOptions(set, op.PhasePrepare))
	abort, release := abortAfter(ctx)
	defer release()
	_, err := load.Run(ctx, load.Options{Concurrency: len(workers), Turns: uint64(t.set.extra), Grace: grace, Abort: abort}, func(ctx context.Context, turn load.Turn) error {
		w := workers[turn.Worker]
		err := w.Perform(ctx, turn, func(ctx context.Context, w *work.Worker) error { return w.CreateBucket(ctx) })
		if err == nil || errors.Is(err, load.ErrDone) || ctx.Err() != nil { // another task has had them made
			return nil
		}
		return fmt.Errorf("preparation: make bucket %q: %w", w.Last().Key, err)
	})
	return err
}

// cleanExtra deletes the extra buckets that exist.
func cleanExtra(ctx context.Context, r *Run) error {
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
	_, err := removeExtra(ctx, sessions, names, nil)
	return err
}

// removeExtra deletes buckets, and returns how many there were. With show, they stay, and it is called for each.
func removeExtra(ctx context.Context, sessions []s3.Session, names []string, show func(Leftover)) (removed uint64, err error) {
	var mu sync.Mutex
	var failed []error
	_, err = load.Run(ctx, load.Options{Concurrency: len(sessions), Turns: uint64(len(names)), Abort: ctx.Done()}, func(ctx context.Context, t load.Turn) error {
		send, name := ops.RemoveBucket, names[t.N]
		if show != nil {
			send = ops.HeadBucket
		}
		err := work.RetryWhile(ctx, cleanTries, s3.Temporary, func() (bool, error) {
			return false, send(ctx, sessions[t.Worker], &s3.Call{Other: name, Size: -1})
		})
		mu.Lock()
		defer mu.Unlock()
		switch {
		case s3.NoBucket(err):
		case err != nil:
			failed = append(failed, fmt.Errorf("bucket %q: %w", name, err))
		case show != nil:
			show(Leftover{Kind: LeftBucket, Key: name})
			removed++
		default:
			removed++
		}
		return nil
	})
	if len(failed) > 0 {
		err = &CleanupError{fmt.Errorf("%d extra buckets could not be removed; the first: %w", len(failed), failed[0])}
	}
	return removed, err
}

// removeLeftExtra deletes the extra buckets that a run left.
func removeLeftExtra(ctx context.Context, cl *Cleanup, sessions []s3.Session, done *Cleaned) error {
	if cl.Plan.RunID == "" {
		return nil // their names follow from it
	}
	var names []string
	cl.Plan.eachSet(cl.Clients, cl.Client, func(set *setPlan, share uint64) {
		name := extraNames(&cl.Plan.Target, cl.Plan.RunID, set, share)
		for n := range set.extra {
			names = append(names, name(n))
		}
	})
	if len(names) == 0 {
		return nil
	}
	cl.Observer.Stage(Stage{Name: StageCleanup, Workload: cl.Plan.Title(), Start: clock.Now(), Done: func() uint64 { return 0 }})
	for i := range sessions {
		sessions[i] = preflight.WithDiagnosis(sessions[i], cl.Target)
	}
	n, err := removeExtra(ctx, sessions, names, cl.Show)
	done.Extra += n
	return err
}
