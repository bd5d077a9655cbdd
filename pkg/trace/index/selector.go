package index

import (
	"slices"
	"time"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// selector is a Selection that is applied to events.
type selector trace.Selection

// bucket reports whether operations on a bucket are selected.
func (s *selector) bucket(name []byte) bool {
	return len(s.Buckets) == 0 || slices.Contains(s.Buckets, string(name))
}

// sampled reports whether an object, given by its hash, is selected.
func (s *selector) sampled(object uint64) bool {
	return s.Share <= 0 || s.Share >= 1 || float64(object>>11) < s.Share*(1<<53)
}

// inPart reports whether an object, given by its hash, is in the selected part.
func (s *selector) inPart(object uint64) bool {
	return s.Parts <= 1 || object%uint64(s.Parts) == uint64(s.Part-1)
}

// kind reports whether operations of a kind are selected.
func (s *selector) kind(k op.Kind) bool { return len(s.Kinds) == 0 || slices.Contains(s.Kinds, k) }

// within reports whether a time since the beginning of the trace is selected.
func (s *selector) within(at time.Duration) bool { return at >= s.From && (s.To <= 0 || at < s.To) }
