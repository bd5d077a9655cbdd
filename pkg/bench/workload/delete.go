package workload

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/probe"
)

var deleteInfo = work.Info{
	Name:  "delete",
	Usage: "delete objects",
	Description: "Uploads --objects objects, then deletes them in random order, --batch of them in each request, until all are " +
		"gone. --batch=1 sends a request for each object. With --versions each version counts as an object.",
	Size:    "1KiB",
	Example: "--objects=25000 --batch=100",
	New:     func() work.Workload { return &Delete{} },
}

// Delete deletes objects.
type Delete struct {
	work.Prepared
	VersionParams
	work.Existing
	Picks
	work.Conditions
	Batch       uint64 `json:"batch"`
	ListDeleted bool   `json:"list_deleted,omitempty"`

	batches []batch // of each thread
}

// Flags binds the parameters.
func (d *Delete) Flags(fs *flag.FlagSet) {
	d.Prepared.Bind(fs, 25000, work.OrExisting)
	d.VersionParams.Bind(fs, 1, "delete by their IDs")
	d.Existing.Bind(fs)
	d.Picks.Bind(fs, "shuffle")
	d.Conditions.BindIfMatch(fs)
	fs.Uint64Var(&d.Batch, "batch", 100, "`N` objects to delete per request (1 to 1000)")
	fs.BoolVar(&d.ListDeleted, "list-deleted", false, "have responses list all deleted objects, not only failures")
}

// Validate checks the parameters.
func (d *Delete) Validate(use work.Load, _ generator.Spec) []error {
	errs := d.Picks.CheckOneOf("each object is deleted once", generator.Shuffle, generator.InSequence, generator.Oldest)
	if errs = append(errs, d.Picks.Check(d.Objects*max(1, d.Versions), d.ListExisting)...); len(errs) > 0 {
		return errs
	}
	if d.Batch < 1 || d.Batch > ops.MaxEntries {
		return []error{option.Invalid("batch", d.Batch, fmt.Sprintf("1 to %d", ops.MaxEntries))}
	}
	if d.Conditions.Any() && d.Batch > 1 {
		return []error{option.Errorf("if-match", "want --batch=1: a request that deletes several objects has no condition")}
	}
	if errs := d.Conditions.Check(); errs != nil {
		return errs
	}
	if errs := append(d.Prepared.CheckMax(work.MaxObjects), d.VersionParams.Check(d.Objects)...); errs != nil {
		return errs
	}
	// With fewer, the first threads finish before all have started.
	n, least := d.Access.Count(d.Objects*max(1, d.Versions)), 4*d.Batch*uint64(max(use.Threads, 1))
	if !d.ListExisting && !d.Changing() && n < least {
		const text = "%d are too few for %d threads that delete %d at once; use --objects=%d or more, or a smaller --batch"
		return []error{option.Errorf("objects", text, n, use.Threads, d.Batch, least)}
	}
	return nil
}

// Traits declares that objects are deleted.
func (d *Delete) Traits() work.Traits {
	return work.Traits{
		Effect:  work.Changes,
		Records: work.Records{Kinds: []op.Kind{op.Delete}},
		Data: work.Data{
			Objects:  d.Objects,
			Versions: d.Each(),
			Existing: d.ListExisting,
			Flat:     d.ListFlat,
		},
		Use:   work.Use{Access: d.Access, MaxDeletes: d.Batch, Pass: d.pass},
		Sends: work.Sends{If: d.Conditions, Demands: d.demands()},
	}
}

// demands returns the need for multi-deletes; nil if objects are deleted one by one.
func (d *Delete) demands() []work.Demand {
	if d.Batch == 1 {
		return nil
	}
	return []work.Demand{{Capability: probe.MultiDelete, Hint: "; --batch=1 deletes one by a request"}}
}

// pass returns the number of turns that delete all objects.
func (d *Delete) pass(set *dataset.DataSet) uint64 { return (set.Places() + d.Batch - 1) / d.Batch }

// Estimate returns the cost of deletions: a request is about one bucket.
func (d *Delete) Estimate(t work.Turns) (c work.Cost) {
	c.Request(op.Delete, t.Count*min(t.Set.Buckets(), d.Batch))
	return c
}

// Prepare sets up the state of the threads.
func (d *Delete) Prepare(_ *dataset.DataSet, threads int) error {
	d.batches = make([]batch, threads)
	return nil
}

// batch is the objects that a thread deletes in a turn.
type batch struct {
	bucket   int
	objects  []uint64 // by one request
	deletion ops.Deletion
	odd      []uint64 // that it cannot name
}

// Do deletes the next batch.
func (d *Delete) Do(ctx context.Context, w *work.Worker) error {
	objects, n, from := w.Deletions(), w.Set.Places(), w.Turn.N*d.Batch
	switch {
	case len(objects) > 0:
		n, from = uint64(len(objects)), 0
	case from >= n:
		return load.ErrDone
	}
	if d.Batch == 1 {
		return w.Delete(ctx, place(w, from))
	}
	var err error
	for bucket := range int(w.Set.Buckets()) {
		err = errors.Join(err, d.deleteIn(ctx, w, bucket, from, min(from+d.Batch, n)))
	}
	return err
}

// deleteIn deletes the objects of a batch in one bucket: a request is about a single bucket.
func (d *Delete) deleteIn(ctx context.Context, w *work.Worker, bucket int, from, to uint64) (err error) {
	b := &d.batches[w.ID]
	b.bucket, b.objects, b.odd = bucket, b.objects[:0], b.odd[:0]
	b.deletion.Reset()
	b.deletion.Listed = d.ListDeleted
	for k := from; k < to; k++ {
		i := place(w, k)
		if w.Set.BucketOf(i) != bucket {
			continue
		}
		o := w.Set.At(i)
		if id := (ops.ObjectID{Key: o.Key, Version: o.Version}); id.Batchable() {
			b.objects, b.deletion.Objects = append(b.objects, i), append(b.deletion.Objects, id)
		} else {
			b.odd = append(b.odd, i)
		}
	}
	if len(b.objects) > 0 {
		err = b.delete(ctx, w)
	}
	for _, i := range b.odd {
		err = errors.Join(err, w.Delete(ctx, i))
	}
	return err
}

// place returns the object at a place: among the objects taken for the turn, or among all.
func place(w *work.Worker, k uint64) uint64 {
	if objects := w.Deletions(); len(objects) > 0 {
		return objects[k]
	}
	return w.Set.Once(k)
}

// delete deletes objects by one request.
func (b *batch) delete(ctx context.Context, w *work.Worker) error {
	return w.Op(ctx, op.Delete, func(rec *op.Op) error {
		rec.Objects = 0
		w.InBucket(b.bucket, rec)
		err := ops.DeleteMany(ctx, w.S3, &w.Call, &b.deletion)
		if w.MaybeDeleted() && len(b.deletion.Failed) > 0 {
			err = b.deletion.Gone()
		}
		if err != nil && len(b.deletion.Failed) == 0 { // the response does not say which ones
			work.NotDeleted(w, err, b.objects...)
			return err
		}
		rec.Objects = len(b.objects) - len(b.deletion.Failed)
		for k, place := range b.deletion.Places {
			work.NotDeleted(w, b.deletion.Failed[k].Err, b.objects[place])
			b.objects[place] = notGone
		}
		for _, i := range b.objects {
			if i != notGone {
				w.Set.MarkDeleted(i)
			}
		}
		return err
	})
}

// notGone marks an object of a batch that was not deleted.
const notGone = math.MaxUint64
