// Package bench performs benchmarks: a Plan says what is to be measured, Run does it. A workload is one file that says
// what one operation is; it holds no goroutine, clock, limiter or print. When operations happen is package load's matter.
package bench

import (
	"context"
	"errors"
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
	// Traits declares what the workload does. Nothing that a workload embeds may declare it in its place.
	Traits() Traits
	// Do performs one operation, and fills in what of rec the runner cannot know: kind, key, bytes, objects.
	// It returns load.ErrDone if there is nothing left to do, else the error of the operation.
	Do(ctx context.Context, w *Worker, rec *op.Op) error
}

// Validator is a Workload whose parameters can be wrong. It returns all complaints at once.
type Validator interface {
	Validate(p *Plan, ph *Phase) []error
}

// Preparer is a Workload that has something to set up before its first operation, when its objects are there.
type Preparer interface {
	Prepare(set *DataSet, threads int) error
}

// Traits declare what a workload does, with its present parameters. The run enforces them: a workload that does anything
// else fails (see Worker.S3 and Plan.Validate).
type Traits struct {
	Kinds    []op.Kind // of the operations that it records
	Effect   Effect    // of its operations on the objects of the bucket
	Objects  uint64    // that must be there before its first turn; with Existing: at most so many, 0 for all
	Existing bool      // they are in the bucket already; else the preparation uploads them
	Flat     bool      // with Existing: only those that lie directly below the prefix
	Shares   bool      // several clients can work on one data set
}

// Effect is what operations do to the objects of the bucket. The zero value is invalid, so that each workload states it.
type Effect uint8

// Effects.
const (
	Reads   Effect = iota + 1 // objects stay as they are
	Adds                      // new objects are uploaded; those of the data set stay as they are
	Changes                   // objects of the data set are overwritten or deleted
)

// validate reports traits that say nothing.
func (t *Traits) validate() error {
	if t.Effect < Reads || t.Effect > Changes || len(t.Kinds) == 0 {
		return errors.New("its traits do not state the kinds of its operations and their effect")
	}
	return nil
}

// readsOnly reports whether the workload leaves the bucket as it is.
func (t *Traits) readsOnly() bool { return t.Existing && t.Effect == Reads }

// destroys reports whether the workload overwrites or deletes objects that the run did not make.
func (t *Traits) destroys() bool { return t.Existing && t.Effect != Reads }

// uploads is the number of objects that the preparation uploads.
func (t *Traits) uploads() uint64 {
	if t.Existing {
		return 0
	}
	return t.Objects
}

// Warner is a Workload that may have warnings about its run, once it is over.
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

	body  *generator.Body
	check *generator.Checker
	next  operation // to be performed in the same turn, with a record of its own; nil: none
	batch []uint64  // objects that a multi-delete is to delete
	odd   []uint64  // objects that it cannot name

	deletion s3.Deletion
	listing  s3.Listing

	conns connStats
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
	o := w.Set.object(i)
	rec.Kind = op.Put
	if !w.Set.capacity.take(o.Size) {
		return load.ErrDone
	}
	c := w.Object(o, rec)
	w.body.Reset(i, o.Size)
	c.Body = w.body
	err := s3.Put(ctx, w.S3, c)
	rec.Bytes = c.Bytes
	if err != nil {
		w.Set.capacity.give(o.Size)
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
	w.conns.count(&w.Call)
	w.tries += w.Call.Retries
}

// finish completes the record with what the engine saw.
func (w *Worker) finish(err error) *op.Op {
	c, rec := &w.Call, &w.rec
	rec.Endpoint, rec.Status, rec.Retries = c.Host, c.Status, w.tries+c.Retries
	w.conns.count(c)
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
