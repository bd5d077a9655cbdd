package work

import (
	"warp/pkg/op"
	"warp/pkg/s3"
)

// outcomes are the statuses that are results of operations beside success, and the kinds of those that had them.
type outcomes struct {
	expected []int
	kinds    []outcomeKind // so far
}

// outcomeKind is the kind of operations of a kind with an outcome.
type outcomeKind struct {
	kind    op.Kind
	status  int
	outcome op.Kind
}

// kind returns the kind of an operation that ended with an error, if that is an outcome; empty if it is not.
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
