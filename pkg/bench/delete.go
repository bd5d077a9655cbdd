package bench

import (
	"context"
	"flag"
	"fmt"

	"warp/internal/option"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

var deleteInfo = Info{
	Name:  "delete",
	Usage: "benchmark deletion of objects",
	Description: "Uploads --objects objects, then deletes them in random order, --batch of them in each request, until " +
		"none is left or --duration is over. With --batch=1 each object is deleted by a request of its own.",
	Size:    "1KiB",
	Example: "--objects=25000 --batch=100",
	New:     func() Workload { return &Delete{} },
}

// Delete deletes objects.
type Delete struct {
	Prepared
	Existing
	Batch uint64 `json:"batch"`
}

// Flags binds the parameters.
func (d *Delete) Flags(fs *flag.FlagSet) {
	d.Prepared.flags(fs, 25000, orExisting)
	d.Existing.flags(fs)
	fs.Uint64Var(&d.Batch, "batch", 100, "`N` number of objects to delete per request (1 to 1000)")
}

// Validate checks the parameters.
func (d *Delete) Validate(_ *Plan, ph *Phase) []error {
	if d.Batch < 1 || d.Batch > s3.MaxEntries {
		return []error{option.Invalid("batch", d.Batch, fmt.Sprintf("1 to %d", s3.MaxEntries))}
	}
	if errs := d.Prepared.validateMax(maxObjects); errs != nil {
		return errs
	}
	// With fewer, threads run dry before all of them are at work.
	if least := 4 * d.Batch * uint64(max(ph.Concurrency, 1)); !d.ListExisting && d.Objects < least {
		return []error{option.Errorf("objects", "%d are too few for %d threads that delete %d at once; use --objects=%d or more, or a smaller --batch",
			d.Objects, ph.Concurrency, d.Batch, least)}
	}
	return nil
}

// Traits declares that objects are deleted.
func (d *Delete) Traits() Traits {
	return Traits{Kinds: []op.Kind{op.Delete}, Effect: Changes, Objects: d.Objects, Existing: d.ListExisting, Flat: d.ListFlat}
}

// Do deletes the next batch.
func (d *Delete) Do(ctx context.Context, w *Worker, rec *op.Op) error {
	rec.Kind, rec.Objects = op.Delete, 0
	n, from := w.Set.Len(), w.Turn.N*d.Batch
	if from >= n {
		return load.ErrDone
	}
	if d.Batch == 1 {
		return w.delete(ctx, w.Set.Shuffled(from), rec)
	}
	w.batch, w.odd = w.batch[:0], w.odd[:0]
	w.deletion.Reset()
	for i := from; i < min(from+d.Batch, n); i++ {
		i := w.Set.Shuffled(i)
		o := w.Set.At(i)
		id := s3.ObjectID{Key: o.Key, Version: o.Version}
		if !id.Batchable() {
			w.odd = append(w.odd, i)
			continue
		}
		w.batch = append(w.batch, i)
		w.deletion.Objects = append(w.deletion.Objects, id)
	}
	if len(w.batch) == 0 {
		return deleteOdd(ctx, w, rec)
	}
	if len(w.odd) > 0 {
		w.next = deleteOdd
	}
	err := s3.DeleteMany(ctx, w.S3, &w.Call, &w.deletion)
	if err == nil || len(w.deletion.Failed) > 0 {
		rec.Objects = len(w.batch) - len(w.deletion.Failed)
	}
	if err == nil {
		for _, i := range w.batch {
			w.Set.Gone(i)
		}
	}
	return err
}

// deleteOdd deletes the first of the objects that no multi-delete can name.
func deleteOdd(ctx context.Context, w *Worker, rec *op.Op) error {
	rec.Objects = 0
	i := w.odd[0]
	if w.odd = w.odd[1:]; len(w.odd) > 0 {
		w.next = deleteOdd
	}
	return w.delete(ctx, i, rec)
}

// delete deletes object i of the data set by a request of its own.
func (w *Worker) delete(ctx context.Context, i uint64, rec *op.Op) error {
	rec.Kind = op.Delete
	err := s3.Delete(ctx, w.S3, w.Object(w.Set.At(i), rec))
	if err == nil {
		rec.Objects = 1
		w.Set.Gone(i)
	}
	return err
}
