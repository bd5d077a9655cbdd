package bench

import (
	"context"
	"errors"

	"warp/pkg/s3"
)

// enforce holds a workload to its traits: from now on, the workers of one that says that it leaves the bucket as it is cannot
// do anything else.
func (r *run) enforce(t Traits) {
	r.traits = t
	for _, w := range r.workers {
		if guarded, ok := w.S3.(readOnly); ok {
			w.S3 = guarded.Session
		}
		if t.readsOnly() {
			w.S3 = readOnly{w.S3}
		}
	}
}

// mayAdopt complains of a workload that asks for objects that the run did not make, but did not say so beforehand, when it
// would have been refused without --force.
func (r *run) mayAdopt() error {
	switch t := r.traits; {
	case !t.Existing:
		return errors.New("the workload works on existing objects, but its traits do not say so")
	case t.destroys() && !r.plan.Force:
		return errForeign
	}
	return nil
}

// readOnly is a session that writes nothing.
type readOnly struct{ s3.Session }

var errReadOnly = errors.New("the workload says that it only reads, and was kept from writing")

func (readOnly) Put(context.Context, *s3.Call) error        { return errReadOnly }
func (readOnly) Delete(context.Context, *s3.Call) error     { return errReadOnly }
func (readOnly) DeleteMany(context.Context, *s3.Call) error { return errReadOnly }
