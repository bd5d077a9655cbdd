package work

import (
	"errors"
	"fmt"
	"slices"

	"warp/pkg/bench/dataset"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Composite performs operations that transfer o together, and records them as one more operation, from the start of the first to the end of
// the last. If do fails, so does the whole, with the same error.
func (w *Worker) Composite(kind op.Kind, o dataset.Object, do func() error) error {
	if !kind.IsComposite() || !slices.Contains(w.record.kinds, kind) {
		return &Fault{fmt.Sprintf("the workload does not declare that it performs %s, or it does not consist of others", kind)}
	}
	w.turn.spent = span{}
	rec := op.Op{Kind: kind, Phase: w.record.phase, Client: w.origin.client, Thread: w.origin.thread, Due: w.turn.due, Objects: 1, Key: o.Key}
	if len(w.buckets.names) > 0 {
		rec.Bucket = w.buckets.names[o.Bucket]
	}
	ready := w.turn.ready
	err := do()
	if w.turn.spent.from.IsZero() || IsFault(err) {
		return err // there was no operation
	}
	rec.Start, rec.FirstByte, rec.End = w.turn.spent.from, w.turn.spent.first, w.turn.spent.to
	if !ready.IsZero() {
		rec.OwnLate = max(0, rec.Start.Sub(ready))
	}
	rec.Endpoint, rec.Status = w.Call.Host, w.Call.Status
	if err == nil && kind.MovesBytes() {
		rec.Bytes = o.Size
	} else if err != nil {
		rec.Err = err.Error()
		var e *s3.Error
		if errors.As(err, &e) {
			rec.Status = e.Status
		}
	}
	rec.Kind = w.record.labels.kind(rec.Kind)
	w.record.buffer.Add(&rec)
	return err
}
