package workload

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var renameInfo = work.Info{
	Name:  "rename",
	Usage: "rename objects (RenameObject)",
	Description: "Uploads --objects objects, then renames them: each thread renames its own objects in turn. Directory " +
		"buckets of AWS support this. The contents don't move, so throughput is in objects.",
	Size:    "1KiB",
	Example: "--bucket=logs--usw2-az1--x-s3 --objects=10000",
	New:     func() work.Workload { return &Rename{} },
}

var renameShare = companion{
	workload: "rename",
	shares:   []companionShare{{"rename", "renames of --objects additional objects of 1KiB"}},
	make: func(m *Mixed) work.Workload {
		r := defaults(&Rename{})
		r.Objects, r.Size = m.Objects, heldSize
		return r
	},
}

// Rename renames objects.
type Rename struct {
	work.Prepared
	Size int64 `json:"size,omitempty"` // of all objects; 0: that of the data set

	threads []renamer
}

// renamer is the objects of a thread, renamed in turn.
type renamer struct {
	objects []uint64
	next    int
	failed  map[uint64]attemptedName // of the last attempt, by object
}

// attemptedName is a new name that an object may have by now.
type attemptedName struct {
	object  uint64 // with this name
	doubted bool   // the request may have been performed
}

// Flags binds the parameters.
func (r *Rename) Flags(fs *flag.FlagSet) { r.Prepared.Bind(fs, 10000, "") }

// Validate checks the parameters.
func (r *Rename) Validate(use work.Load, data generator.Spec) []error {
	errs := r.Prepared.Check()
	if _, fixed := data.Sizes.Fixed(); !fixed && r.Size == 0 {
		errs = append(errs, option.Errorf("obj.size", "want one size: a renamed object keeps its size"))
	}
	if errs == nil && r.Objects < uint64(use.Threads) {
		errs = append(errs, option.Invalid("objects", r.Objects, fmt.Sprintf("at least %d, one for each thread", use.Threads)))
	}
	return errs
}

// Traits declares that objects lose their names. A new name may lie in any place of the bucket but in no other bucket.
func (r *Rename) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Changes,
		Records: work.Records{Kinds: []op.Kind{op.Rename}},
		Data:    work.Data{Objects: r.Objects, Size: r.Size, Rewrites: true},
		Use:     work.Use{Pass: work.EachObject},
		Sends:   work.Sends{Demands: work.NewDemands(probe.Rename)},
		Sharing: work.Sharing{OneBucket: true},
	}
}

// Prepare divides the objects among the threads.
func (r *Rename) Prepare(set *dataset.DataSet, threads int) error {
	r.threads = make([]renamer, threads)
	for i := range set.Places() {
		t := &r.threads[i%uint64(threads)]
		t.objects = append(t.objects, set.OwnIndex(i))
	}
	for i := range r.threads {
		r.threads[i].failed = map[uint64]attemptedName{}
	}
	return nil
}

// Do renames the next object of the thread. If that failed before, it asks for the same name again: the object may have it.
func (r *Rename) Do(ctx context.Context, w *work.Worker) error {
	t := &r.threads[w.ID]
	if len(t.objects) == 0 {
		return load.ErrDone
	}
	t.next %= len(t.objects)
	o := w.Set.At(t.objects[t.next])
	to, again := t.failed[o.Index]
	if !again {
		to.object = w.Set.NewCopy()
	}
	err := w.Op(ctx, op.Rename, func(rec *op.Op) error {
		err := ops.Rename(ctx, w.S3, w.Object(w.Set.Object(to.object), rec), w.CopySource(&o))
		if to.doubted && s3.IsNotFound(err) {
			return nil // it was renamed before
		}
		return err
	})
	delete(t.failed, o.Index)
	switch {
	case err == nil:
		w.Set.Unsent(o.Index) // its room belongs to the new name
		t.objects[t.next] = to.object
	case s3.IsNotFound(err):
		w.Set.MarkDeleted(o.Index)
		t.objects = slices.Delete(t.objects, t.next, t.next+1)
		return err
	default:
		to.doubted = to.doubted || w.Call.MaybeSent && (w.Call.Status/100 != 4 || s3.Temporary(err))
		t.failed[o.Index] = to
	}
	t.next++
	return err
}
