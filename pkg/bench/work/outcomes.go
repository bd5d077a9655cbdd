package work

import (
	"warp/pkg/op"
	"warp/pkg/s3"
)

// outcomes are the expected statuses other than success, and the kinds of operations that ended with them.
type outcomes struct {
	expected []int
	kinds    []outcomeKind // so far
}

// outcomeKind is the recorded kind of an operation with an outcome, such as PUT_412.
type outcomeKind struct {
	kind    op.Kind
	status  int
	outcome op.Kind
}

// kind returns the recorded kind of an operation that ended with err; empty if err is not an outcome.
func (o *outcomes) kind(k op.Kind, err error) op.Kind {
	status := s3.Outcome(err, o.expected)
	if status == 0 {
		return ""
	}
	for _, known := range o.kinds {
		if known.kind == k && known.status == status {
			return known.outcome
		}
	}
	o.kinds = append(o.kinds, outcomeKind{k, status, k.Outcome(status)})
	return o.kinds[len(o.kinds)-1].outcome
}
