package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"

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

// maxBatch is the most objects that S3 deletes in one request.
const maxBatch = 1000

// Flags binds the parameters.
func (d *Delete) Flags(fs *flag.FlagSet) {
	d.Prepared.flags(fs, 25000, orExisting)
	d.Existing.flags(fs)
	fs.Uint64Var(&d.Batch, "batch", 100, "delete this many `objects` in each request (1 to 1000)")
}

// Validate checks the parameters.
func (d *Delete) Validate(_ *Plan, ph *Phase) []error {
	if d.Batch < 1 || d.Batch > maxBatch {
		return []error{fmt.Errorf("batch: %d is out of range; S3 deletes 1 to %d objects in a request", d.Batch, maxBatch)}
	}
	// With fewer, threads run dry before all of them are at work.
	if least := 4 * d.Batch * uint64(max(ph.Concurrency, 1)); !d.ListExisting && d.Objects < least {
		return []error{fmt.Errorf("objects: %d are too few for %d threads that delete %d at once; use --objects=%d or more, or a smaller --batch",
			d.Objects, ph.Concurrency, d.Batch, least)}
	}
	return nil
}

// Destroys tells that existing objects would be deleted.
func (d *Delete) Destroys() bool { return d.ListExisting }

// ReadsOnly is false: it deletes.
func (d *Delete) ReadsOnly() bool { return false }

// Prepare uploads the objects, or looks up those that are there.
func (d *Delete) Prepare(ctx context.Context, set *DataSet) error {
	if d.ListExisting {
		// What one client deletes is gone for all others, so each has its part.
		return set.Adopt(ctx, d.ListFlat, d.Objects, set.run.share)
	}
	return set.Upload(ctx, d.Objects)
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
	to := min(from+d.Batch, n)
	for i := from; i < to; i++ {
		o := w.Set.At(w.Set.Shuffled(i))
		w.Call.Objects = append(w.Call.Objects, s3.ObjectID{Key: o.Key, Version: o.Version})
	}
	err := w.S3.DeleteMany(ctx, &w.Call)
	if err == nil || len(w.Call.Failed) > 0 {
		rec.Objects = int(to-from) - len(w.Call.Failed)
	}
	if err == nil {
		for i := from; i < to; i++ {
			w.Set.Gone(w.Set.Shuffled(i))
		}
	}
	return err
}

// delete deletes object i of the data set by a request of its own.
func (w *Worker) delete(ctx context.Context, i uint64, rec *op.Op) error {
	rec.Kind = op.Delete
	err := w.S3.Delete(ctx, w.Object(w.Set.At(i), rec))
	if err == nil {
		rec.Objects = 1
		w.Set.Gone(i)
	}
	return err
}

var errForeign = errors.New("it would delete objects that this run did not make; add --force if that is what you want")
