package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// Op performs one operation of the turn, and records it. do makes its requests and fills in the parts of the record that the run cannot
// know: key, bytes, and the number of objects if it is not one. What two operations share counts in only one of them, so that totals are
// true. If do returns load.ErrDone, there was nothing to do, and nothing is recorded.
func (w *Worker) Op(ctx context.Context, kind op.Kind, do func(rec *op.Op) error) error {
	if w.requests.retry != nil {
		return w.attempt(ctx, kind, do)
	}
	return w.once(ctx, kind, do)
}

// once makes one attempt at an operation, and records it.
func (w *Worker) once(ctx context.Context, kind op.Kind, do func(rec *op.Op) error) error {
	if w.turn.performed > 0 && ctx.Err() != nil {
		return context.Cause(ctx) // the turn was cut
	}
	if !slices.Contains(w.record.kinds, kind) {
		return &Fault{fmt.Sprintf("the workload does not declare that it performs %s", kind)}
	}
	w.Call.Reset()
	w.Call.Expected = w.record.outcomes.expected
	w.requests.n, w.requests.retries, w.requests.resent = 0, 0, 0
	rec := &w.record.op
	*rec = op.Op{
		Kind:    kind,
		Phase:   w.record.phase,
		Client:  w.origin.client,
		Thread:  w.origin.thread,
		Due:     w.turn.due,
		Objects: 1,
		Start:   clock.Now(),
	}
	err := do(rec)
	rec.End = clock.Now()
	if errors.Is(err, load.ErrDone) {
		return err
	}
	w.finish(err)
	rec.OwnLate = w.ownLate(rec.Start)
	rec.Kind = w.record.labels.kind(rec.Kind)
	w.record.buffer.Add(rec)
	if rec.Err == "" && !rec.Kind.IsComposite() {
		w.turn.moved += rec.Bytes
	}
	w.turn.spent.add(span{rec.Start, rec.FirstByte, rec.End})
	w.turn.performed++
	w.waited(rec.End)
	return w.failedRequest(kind, err)
}

// CountRequest counts the request in w.Call, before the operation reuses it for the next one.
func (w *Worker) CountRequest() {
	c := &w.Call
	if c.PlainRange {
		w.requests.plainRanges++
	}
	w.requests.connections.count(w.record.op.Kind, &c.Response)
	if w.requests.n == 0 && c.Retries == 0 && !c.Start.IsZero() {
		w.record.op.Start = c.Start // what came before is not latency
	}
	w.requests.n++
	w.requests.retries += c.Retries
	w.requests.resent += c.Resent
}

// finish completes the record with the engine's findings.
func (w *Worker) finish(err error) {
	w.CountRequest()
	c, rec := &w.Call, &w.record.op
	rec.Endpoint, rec.Status, rec.Retries, rec.Source = c.Host, c.Status, w.requests.retries, c.Source
	rec.Arrived, rec.Resent = c.Arrived, w.requests.resent
	// For MinIO warp, a recording has at most one of the two: given both, it would take an upload's first byte for a download's. A
	// response without a body ends with its first byte.
	switch {
	case rec.Kind.Upload():
		rec.Sent = c.Sent
	case rec.Kind.Download():
		rec.FirstByte = c.FirstByte
	}
	if err != nil {
		if outcome := w.record.outcomes.kind(rec.Kind, err); outcome != "" {
			rec.Kind, rec.Bytes, rec.Objects = outcome, 0, 1
			return
		}
		rec.Err = err.Error()
		w.turn.failed++
		w.turn.unanswered = w.turn.unanswered || s3.NoResponse(err)
	}
}

// attempt performs an operation until it succeeds, fails with a status that is not retried, or runs out of retries.
func (w *Worker) attempt(ctx context.Context, kind op.Kind, do func(*op.Op) error) error {
	defer func() { w.requests.again = false }()
	var first op.Op
	before, failed := w.turn.performed, w.turn.failed
	for n := 0; ; n++ {
		w.requests.again = n > 0
		err := w.once(ctx, kind, do)
		if errors.Is(err, load.ErrDone) || IsFault(err) || w.turn.performed == before {
			return err // there was no operation
		}
		if n == 0 {
			first = w.record.op
		}
		retry := w.requests.retry
		if err == nil || n >= retry.Max || s3.Outcome(err, retry.Statuses()) == 0 || !w.Pause(ctx, retry.pause(n+1)) {
			if w.turn.failed = failed; err != nil { // the operation is all attempts together
				w.turn.failed++
			}
			w.recordAttempts(kind, n, &first, err)
			return err
		}
	}
}

// recordAttempts records all attempts of an operation as one; the worker still holds the record of the last attempt.
func (w *Worker) recordAttempts(kind op.Kind, retries int, first *op.Op, err error) {
	rec := w.record.op
	rec.Due, rec.Start, rec.OwnLate, rec.Retries = first.Due, first.Start, first.OwnLate, retries
	rec.Resent = 0                   // the attempts have it
	if err != nil && rec.Err == "" { // every attempt ended with this outcome
		rec.Err = err.Error()
	}
	rec.Kind = w.record.labels.kind(kind.Attempts())
	w.record.buffer.Add(&rec)
}

// Object prepares w.Call for a request about o, and records its key.
func (w *Worker) Object(o dataset.Object, rec *op.Op) *s3.Call {
	w.Call.Key, w.Call.Version, w.Call.Size, w.Call.Auth = o.Key, o.Version, o.Size, w.Auth
	w.InBucket(o.Bucket, rec)
	if w.requests.again && w.Set.KeepsETags() { // others have overwritten it
		o.ETag = w.Set.ETag(o.Index)
	}
	w.Call.If, w.Call.WantETag = w.requests.conditions.of(rec.Kind, &o), w.Set.KeepsETags()
	rec.Key = o.Key
	return &w.Call
}

// InBucket prepares w.Call for a request about a bucket, and records its name if there are several.
func (w *Worker) InBucket(number int, rec *op.Op) {
	if w.Call.Bucket = number; len(w.buckets.names) > 0 {
		rec.Bucket = w.buckets.names[number]
	}
}

// Request performs an operation on o that is a single request.
func (w *Worker) Request(
	ctx context.Context, kind op.Kind, o dataset.Object, send func(context.Context, s3.Session, *s3.Call) error,
) error {
	return w.Op(ctx, kind, func(rec *op.Op) error { return send(ctx, w.S3, w.Object(o, rec)) })
}

// Stat requests the properties of o.
func (w *Worker) Stat(ctx context.Context, o dataset.Object) error {
	return w.Request(ctx, op.Stat, o, ops.Stat)
}

// Labelled records the operations of do with a label, unless the task has its own.
func (w *Worker) Labelled(label string, do func() error) error {
	if w.record.labels.label == "" {
		w.record.labels.label = label
		defer func() { w.record.labels.label = "" }()
	}
	return do()
}
