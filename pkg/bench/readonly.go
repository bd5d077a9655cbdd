package bench

import (
	"context"
	"errors"

	"warp/pkg/bench/work"
	"warp/pkg/s3"
)

// readOnly is the session of a workload that only reads, by its traits.
type readOnly struct{ s3.Session }

// guard returns a session that permits only the declared effect.
func guard(s s3.Session, e work.Effect) s3.Session {
	if e == work.Reads {
		return readOnly{s}
	}
	return s
}

var errReadOnly = errors.New("the workload declares that it only reads, but tried to write")

// Do performs a request that changes nothing.
func (r readOnly) Do(ctx context.Context, c *s3.Call) error {
	if !c.ReadsOnly() {
		return errReadOnly
	}
	return r.Session.Do(ctx, c)
}
