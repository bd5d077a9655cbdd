// Package bench performs benchmarks: a Plan says what is to be measured, Run does it. A workload is one file that says
// what one operation is; it holds no goroutine, clock, limiter or print. When operations happen is package load's matter.
package bench

import (
	"context"
	"flag"

	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// Workload says what one operation of a benchmark is. Its exported fields are its parameters: they travel as JSON, and
// Flags binds them to command-line flags whose defaults it sets.
//
// Everything that is chosen at random is a function of the seed and the turn, so that a run can be repeated and shared
// out among clients.
type Workload interface {
	Flags(fs *flag.FlagSet)
	// Traits are not to be had by embedding: what is true of the parameters is not true of all that is done with them.
	Traits() Traits
	// Do performs one operation, and fills in what of rec the runner cannot know: kind, key, bytes, objects.
	// It returns load.ErrDone if there is nothing left to do, else the error of the operation.
	Do(ctx context.Context, w *Worker, rec *op.Op) error
}

// Validator is a Workload whose parameters can be wrong. It returns all complaints at once.
type Validator interface {
	Validate(p *Plan, ph *Phase) []error
}

// Preparer is a Workload that needs something done before its first operation.
type Preparer interface {
	Prepare(ctx context.Context, set *DataSet) error
}

// Traits are what a workload says about itself, with its present parameters. From them follows what a run may do to objects
// that it did not make; so each workload must say it, and the zero value says what makes a run most careful. A run also
// holds the workload to it: see DataSet.Adopt and Worker.S3.
type Traits struct {
	Existing  bool // it works on objects that are already in the bucket, and uploads none in its preparation
	OnlyReads bool // its operations are downloads, listings and requests for properties
}

// readsOnly reports whether it leaves the bucket as it is.
func (t Traits) readsOnly() bool { return t.Existing && t.OnlyReads }

// destroys reports whether it overwrites or deletes what the run did not make.
func (t Traits) destroys() bool { return t.Existing && !t.OnlyReads }

// Sharer is a Workload of which several clients can work on one data set, because none takes away what another one reads.
type Sharer interface {
	Shares()
}

// Warner is a Workload that may have something to say about its run, once it is over.
type Warner interface {
	Warnings() []string
}

// Worker is what one thread of a run works with. Its Call, record and body are reused, so that an operation costs no memory.
type Worker struct {
	ID   int
	Turn load.Turn
	S3   s3.Session
	Set  *DataSet
	Call s3.Call

	index uint64 // of the object to upload, in the preparation
	body  *generator.Body
	check *generator.Checker
	next  operation // to be performed in the same turn, with a record of its own; nil: none
	batch []uint64  // objects that a multi-delete is to delete
	odd   []uint64  // objects that it cannot name
	links links
	tally tally
	tries int // retries of earlier requests of the operation
	rec   op.Op
}

// Object prepares w.Call for an operation on o, and notes its key in rec.
func (w *Worker) Object(o Object, rec *op.Op) *s3.Call {
	w.Call.Key, w.Call.Version, w.Call.Size = o.Key, o.Version, o.Size
	rec.Key = o.Key
	return &w.Call
}

// Put uploads object i of the data set. There is nothing left to do when the store is full.
func (w *Worker) Put(ctx context.Context, i uint64, rec *op.Op) error {
	o := w.Set.made(i)
	rec.Kind = op.Put
	if !w.Set.room.take(o.Size) {
		return load.ErrDone
	}
	c := w.Object(o, rec)
	w.body.Reset(i, o.Size)
	c.Body = w.body
	err := w.S3.Put(ctx, c)
	rec.Bytes = c.Bytes
	if err != nil {
		w.Set.room.give(o.Size)
	}
	if c.VersionID != "" {
		w.Set.versioned.Store(true)
	}
	return err
}

// PutNew uploads a new object and returns its index.
func (w *Worker) PutNew(ctx context.Context, rec *op.Op) (uint64, error) {
	i := w.Set.New()
	err := w.Put(ctx, i, rec)
	if err != nil && !w.Call.Begun {
		w.Set.gone.set(i) // it never left this machine
	}
	return i, err
}

// begin makes the worker ready for its next operation.
func (w *Worker) begin(t load.Turn) *op.Op {
	w.Turn, w.next, w.tries = t, nil, 0
	w.Call.Reset()
	w.rec = op.Op{Thread: uint32(w.ID), Due: t.Due, Objects: 1}
	return &w.rec
}

// countRequest counts what a request took that is not the last of its operation, before Call is used for the next one.
func (w *Worker) countRequest() {
	w.links.count(&w.Call)
	w.tries += w.Call.Retries
}

// finish completes the record with what the engine saw.
func (w *Worker) finish(err error) *op.Op {
	c, rec := &w.Call, &w.rec
	rec.Endpoint, rec.Status, rec.Retries = c.Host, c.Status, w.tries+c.Retries
	w.links.count(c)
	// Recordings have one of the two at most, as the established tool knows them: with both it would take an upload's first
	// byte for that of a download. An answer without a body is over as soon as it begins.
	switch {
	case rec.Kind.Upload():
		rec.Sent = c.Sent
	case rec.Kind == op.Get:
		rec.FirstByte = c.FirstByte
	}
	if err != nil {
		rec.Err = err.Error()
	}
	return rec
}
