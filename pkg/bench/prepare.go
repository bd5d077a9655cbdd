package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"warp/internal/clock"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// uploadTries is how often the preparation tries to upload an object. Each try is one recorded operation.
const uploadTries = 3

// makeSets makes the data sets, without their objects.
func (r *Run) makeSets() error {
	for _, p := range r.plan.sets {
		layout, err := newLayout(p.spec, r.plan.seedOf(p, r.share.Index), p.threads)
		if err != nil {
			return err
		}
		ledger := &Ledger{Part: whole, capacity: &r.capacity}
		if r.plan.SharedData {
			ledger.Part = r.share
		}
		r.sets = append(r.sets, &DataSet{Layout: layout, Ledger: ledger, Access: newAccess(p.objects, p.seed)})
	}
	for _, s := range r.plan.streams {
		set := *r.sets[slices.Index(r.plan.sets, s.set)]
		set.Access = newAccess(s.traits.uploads(), generator.Mix(s.seed, r.share.Index))
		r.views = append(r.views, &set)
	}
	return nil
}

// provide uploads the data sets, or looks up the objects that are there.
func (r *Run) provide(ctx context.Context) error {
	for i, s := range r.plan.streams {
		set := r.views[i]
		var err error
		if s.traits.Existing {
			err = r.adopt(ctx, &s.traits, set)
		} else if k := slices.Index(r.plan.sets, s.set); r.sets[k].next.Load() == 0 { // else an earlier stream had it uploaded
			err = r.upload(ctx, s.Workload, r.sets[k])
		}
		if p, ok := s.workload.(Preparer); ok && err == nil {
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

// adopt looks up the objects below the plan's prefix that are in the bucket.
func (r *Run) adopt(ctx context.Context, t *Traits, set *DataSet) error {
	part := whole
	if t.Effect != Reads {
		part = r.share // what one client deletes is gone for all others
	}
	prefix := set.Keys.Root()
	list, err := find(ctx, r.unmeasured(0), prefix, t.Flat, generator.IsClaim, t.Objects, part)
	if err != nil {
		return fmt.Errorf("list existing objects below %q: %w", prefix, err)
	}
	if list.listed == 0 {
		return fmt.Errorf("there is no object below %q in bucket %q; upload some, or leave out --list-existing", prefix, r.plan.Target.Bucket)
	}
	set.existing = list
	set.Access = newAccess(list.len(), set.Access.seed)
	return nil
}

// upload uploads the objects of a data set; of shared ones this client's part, and the others upload theirs before the
// benchmark begins. A workload must find all of them, so the upload of an object is tried again, and the preparation fails
// if one cannot be uploaded.
func (r *Run) upload(ctx context.Context, workload string, set *DataSet) error {
	turns := set.partOf(set.Len())
	if err := r.capacity.check(turns, dataSize(set.sizes, set.Layout.seed, turns)); err != nil {
		return err
	}
	if turns == 0 {
		return nil // the workload needs none, or there are more clients than objects
	}
	uploading := Traits{Kinds: []op.Kind{op.Put}, Effect: Adds}
	workers := r.workers(r.plan.threads(), 0, set, op.PhasePrepare, &uploading)
	var done atomic.Uint64
	r.env.Observer.Stage(Stage{Name: StagePrepare, Workload: workload, Total: turns, Start: clock.Now(), Done: done.Load, Live: r.live})
	abort, release := abortAfter(ctx)
	defer release()
	_, err := load.Run(ctx, load.Options{Concurrency: len(workers), Turns: turns, Grace: grace, Abort: abort},
		func(ctx context.Context, t load.Turn) error {
			err := uploadOne(ctx, workers[t.Worker], t, set.New())
			done.Add(1)
			return err
		})
	return err
}

// uploadOne uploads object i, and tries again if that fails. Each try is recorded as an operation of its own.
func uploadOne(ctx context.Context, w *Worker, t load.Turn, i uint64) error {
	again := func(err error) bool { return !isFault(err) && !errors.Is(err, load.ErrDone) }
	err := retry(ctx, uploadTries, again, func() (bool, error) {
		return false, w.turn(ctx, t, func(ctx context.Context, w *Worker) error { return w.Put(ctx, i) })
	})
	switch {
	case err == nil, isFault(err):
		return err
	case errors.Is(err, load.ErrDone):
		return errors.New("preparation: the store has no room for so many objects; use fewer --objects or a smaller --obj.size")
	case ctx.Err() != nil:
		return nil
	}
	return fmt.Errorf("preparation: %s %q: %w (tried %d times)", w.rec.Kind, w.rec.Key, err, uploadTries)
}

// workers makes those of a workload, within its traits. They and their lanes take the slots from one on.
func (r *Run) workers(threads, slot int, set *DataSet, phase string, t *Traits) (all []*Worker) {
	for id := range threads {
		var lanes []*Worker
		for range t.lanes() {
			lanes = append(lanes, &Worker{
				ID: id, S3: guard(r.slots[slot].session, t.Effect), Set: set,
				thread: uint32(slot), client: r.env.Client, phase: phase, kinds: t.Kinds, records: r.slots[slot].records,
				body: set.data.Body(0, 0), check: set.data.Check(0, 0),
			})
			slot++
		}
		lanes[0].lanes = lanes
		all = append(all, lanes[0])
	}
	return all
}

// unmeasured is a session for requests that are not measured.
func (r *Run) unmeasured(slot int) s3.Session {
	return s3.Unmeasured(r.slots[slot].session, r.plan.Target)
}
