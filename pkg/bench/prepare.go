package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
)

// preflight checks, before anything is measured or written, that the store can do what the plan needs, and that the run will not change
// existing objects.
func (r *Run) preflight(ctx context.Context) error {
	if r.plan.onlyBuckets() {
		return nil
	}
	if r.plan.readsOnly() {
		if r.plan.Target.NoPreflight {
			return nil
		}
		for _, set := range r.sets {
			for _, b := range r.buckets {
				if err := b.bucket.TryRead(ctx, set.Keys.Root()); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := r.ensureBuckets(ctx)
	if err != nil {
		return err
	}
	if err = r.preflightWrite(ctx); err != nil {
		err = interrupted(ctx, err)
		ctx := context.WithoutCancel(ctx)
		if left := withdraw(ctx, r); left != nil {
			err = errors.Join(err, left)
		}
		if madeBucket(r) {
			_, _ = r.env.Group.Barrier(ctx, StageRemove, err) // the others may still use it
		}
		for _, b := range r.buckets {
			if stays := b.removeUnused(ctx); stays != nil {
				err = errors.Join(err, stays)
			}
		}
	}
	return err
}

// ensureBuckets makes the buckets that are missing: one client does, unless each has its own.
func (r *Run) ensureBuckets(ctx context.Context) error {
	ensure := func(ctx context.Context) (_ []byte, err error) {
		for _, b := range r.buckets {
			if b.made, err = b.bucket.Ensure(ctx, r.plan.features()...); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	if r.plan.Target.BucketPerClient() {
		_, err := ensure(ctx)
		return err
	}
	_, err := r.env.Group.Once(ctx, "bucket", ensure)
	return err
}

// preflightWrite writes, reads and deletes tiny objects, and takes the names of the run.
func (r *Run) preflightWrite(ctx context.Context) error {
	// Their names are like a claim's: not data, and of this run alone, even if another run with the same seed begins now.
	in := r.buckets[0]
	in.probe = in.newName(r.sets[0])
	if !r.plan.SharedData {
		err := r.tryWrite(ctx)
		if err == nil {
			_, err = r.env.Group.Once(ctx, "probes", func(ctx context.Context) ([]byte, error) { return nil, tryDemands(ctx, r) })
		}
		if err == nil {
			err = claimNames(ctx, r)
		}
		return err
	}
	// If clients share data, one of them comes first: once another had begun to upload, its objects would look like an earlier run's. And
	// some servers remove a directory with its last object while others put into it: the claim keeps the directory of the tiny objects.
	first := false
	_, err := r.env.Group.Once(ctx, "free", func(ctx context.Context) ([]byte, error) {
		first = true
		err := r.tryWrite(ctx)
		if err == nil {
			err = tryDemands(ctx, r)
		}
		if err == nil {
			err = claimNames(ctx, r)
		}
		return nil, err
	})
	if err != nil || first {
		return err
	}
	return r.tryWrite(ctx)
}

// tryWrite writes, reads and deletes a tiny object at each host.
func (r *Run) tryWrite(ctx context.Context) error {
	if r.plan.Target.NoPreflight {
		return nil
	}
	for _, b := range r.buckets {
		b.probe = r.buckets[0].probe
		if err := b.bucket.TryWrite(ctx, b.probe); err != nil {
			return err
		}
		if lag := b.bucket.Lag(); lag > 0 {
			const text = "objects became readable %v after the response to their upload: requests for new objects may fail"
			r.warnNow(text, lag.Round(10*time.Millisecond))
		}
	}
	return nil
}

// provide uploads the data sets, or looks up existing objects.
func (r *Run) provide(ctx context.Context) error {
	uploaded := map[*setPlan]bool{}
	for i, s := range r.plan.tasks {
		set := r.views[i]
		if !uses(r.plan, s.set, r.share) {
			continue
		}
		var err error
		if p, ok := s.workload.(traced); ok {
			if err := p.Open(r.env.Trace); err != nil {
				return err
			}
		}
		switch {
		case s.traits.OnlyBuckets():
		case s.traits.Existing && s.set.spec.Assume != "":
			err = r.assumeExisting(s, set)
		case s.traits.Existing:
			err = r.findExisting(ctx, s, set)
		case !s.set.later && !uploaded[s.set]: // a step uploads later sets
			uploaded[s.set] = true
			err = r.upload(ctx, s, r.sets[slices.Index(r.plan.sets, s.set)])
		}
		if p, ok := s.workload.(work.Examiner); ok && err == nil && !s.set.later && set.PartOf(1) == 1 {
			err = p.Examine(ctx, r.unmeasured(0), set, r.plan.Target.Bucket)
		}
		if err == nil {
			err = createExtraBuckets(ctx, r, s, set)
		}
		if p, ok := s.workload.(work.Preparer); ok && err == nil {
			err = p.Prepare(set, s.Concurrency)
		}
		if err == nil && ctx.Err() != nil {
			err = ErrInterrupted
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// partOfExisting is this client's part of existing objects: a deleted object is gone for all clients.
func (r *Run) partOfExisting(s *task) load.Share {
	if s.traits.Effect == work.Reads {
		return dataset.SoleClient
	}
	part, _ := partOf(s.Stream, r.share)
	return part
}

// assumeExisting takes existing objects as the data set describes them, without looking for any.
func (r *Run) assumeExisting(s *task, set *dataset.DataSet) error {
	t := &s.traits
	set.Assume(t.Objects, r.partOfExisting(s), s.set.spec.Assume == generator.AssumeSizes)
	if err := t.Access.Check(set.Len(), "objects"); err != nil {
		return option.Wrap("access", err)
	}
	r.setAccess(s, set, t.Access)
	return nil
}

// findExisting looks up existing objects below the plan's prefix; with a template of keys, the objects with such keys.
func (r *Run) findExisting(ctx context.Context, s *task, set *dataset.DataSet) error {
	t, part := &s.traits, r.partOfExisting(s)
	prefix, places := set.Keys.Root(), []string{set.Keys.Root()}
	var named func(int, string) (uint64, bool)
	if s.set.spec.Keys != "" {
		keys := r.plan.keys(s.set, 0)
		places = keys.Places()
		named = func(bucket int, key string) (uint64, bool) { return keys.InBucket(bucket).Index(key) }
	}
	choice := dataset.Choice{Objects: t.Objects, Versions: t.Versions, ETags: t.If.NeedsETags(), Part: part, Number: named}
	var list *dataset.Found
	var err error
	for _, prefix = range places {
		list, err = dataset.Find(func(each func(int, ops.Entry) bool) error {
			return r.listBuckets(ctx, ops.Listing{Prefix: prefix, Flat: t.Flat, ETags: choice.ETags, All: t.Versions > 0}, each)
		}, choice)
		if err != nil || list.Listed() > 0 {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("list existing objects below %q: %w", prefix, err)
	}
	if list.Listed() == 0 && s.of.Passes > 0 && t.MaxDeletes > 0 && len(r.plan.Phases) > 1 { // a pass through nothing
		set.UseExisting(list)
		r.setAccess(s, set, t.Access)
		return nil
	}
	if list.Listed() == 0 && named != nil {
		const text = "there is no object in bucket %q that has a name of --keys=%s; upload some, or leave out --list-existing"
		return fmt.Errorf(text, r.plan.Target.Bucket, s.set.spec.Keys)
	}
	if list.Listed() == 0 {
		return fmt.Errorf("there is no object below %q in bucket %q; upload some, or leave out --list-existing", prefix, r.plan.Target.Bucket)
	}
	if list.LacksETags() {
		return fmt.Errorf("list existing objects below %q: the server states no ETags, which --if-match and --if-none-match need", prefix)
	}
	if list.LacksVersions() {
		return fmt.Errorf("list existing versions below %q: the server states no ids of versions, which --versions needs", prefix)
	}
	if err := t.Access.Check(list.Len(), "objects"); err != nil {
		return fmt.Errorf("existing objects below %q: %w", prefix, option.Wrap("access", err))
	}
	set.UseExisting(list)
	r.setAccess(s, set, t.Access)
	return nil
}

// listBuckets lists the buckets one after the other, until each returns false.
func (r *Run) listBuckets(ctx context.Context, l ops.Listing, each func(bucket int, e ops.Entry) bool) error {
	for more, k := true, 0; more && k < len(r.buckets); k++ {
		b := r.buckets[k]
		err := pages(ctx, b.session(0), l, func(e ops.Entry) bool {
			more = each(b.number, e)
			return more
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// upload uploads this client's part of a data set; other clients upload theirs before the benchmark begins. A workload needs all objects,
// so uploads are retried, and the preparation fails if one cannot be uploaded.
func (r *Run) upload(ctx context.Context, s *task, set *dataset.DataSet) error {
	turns := set.PartOf(set.Len())
	if err := r.capacity.Check(turns, estimateSet(r, slices.Index(r.sets, set), turns).Stored); err != nil {
		return err
	}
	if turns == 0 {
		return nil // the workload needs no objects, or there are more clients than objects
	}
	threads, put := r.plan.threads(), newUploader()
	if u, ok := s.workload.(work.Source); ok {
		put.put = u.Upload
	}
	if s.traits.PartSize > 0 {
		threads, put = 1, newPartUploader(s.traits.PartSize, len(r.slots))
	}
	if err := r.forEach(ctx, s, set, threads, turns, put, func(uint64) uint64 { return set.New() }); err != nil || ctx.Err() != nil {
		return err
	}
	// Only after all uploads: servers may move a version aside while it is being locked.
	if f, ok := s.workload.(work.Finisher); ok && len(s.traits.Finishes) > 0 {
		finish := &uploader{work.Traits{
			Effect:  work.Changes,
			Records: work.Records{Kinds: s.traits.Finishes},
		}, s.traits.Finishes[0], func(ctx context.Context, w *work.Worker, i uint64) error {
			return f.Finish(ctx, w, w.Set.At(i))
		}}
		return r.forEach(ctx, s, set, threads, turns, finish, set.OwnIndex)
	}
	return nil
}

// forEach uploads or finishes a number of objects; index returns the index of each.
func (r *Run) forEach(
	ctx context.Context, s *task, set *dataset.DataSet, threads int, turns uint64, u *uploader, index func(n uint64) uint64,
) error {
	workers := r.uploaders(threads, set, u)
	var done atomic.Uint64
	r.env.Observer.Stage(Stage{
		Name:     StagePrepare,
		Streams:  []string{op.PhasePrepare},
		Workload: s.Workload,
		Total:    turns,
		Start:    clock.Now(),
		Done:     done.Load,
		Live:     r.live,
	})
	abort, release := abortAfter(ctx)
	defer release()
	_, err := load.Run(ctx, load.Options{Executor: r.stepExecutor(), Concurrency: len(workers), Turns: turns, Grace: grace, Abort: abort},
		func(ctx context.Context, t load.Turn) error {
			err := u.upload(ctx, workers[t.Worker], t, index(t.N), turns)
			done.Add(1)
			return err
		})
	return err
}
