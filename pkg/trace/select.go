package trace

import (
	"slices"
	"time"

	"warp/pkg/op"
)

// Selection is a part of a trace. The zero value selects all of it.
type Selection struct {
	Kinds        []op.Kind     `json:"kinds,omitempty"`            // empty: all
	Buckets      []string      `json:"buckets,omitempty"`          // empty: all
	From         time.Duration `json:"from_ns,omitempty"`          // since the begin of the trace
	To           time.Duration `json:"to_ns,omitempty"`            // 0: the end
	Share        float64       `json:"share,omitempty"`            // of the objects, with all of their operations; 0: all
	Part         int           `json:"part,omitempty"`             // from 1: which of Parts parts of the objects, in the times of all of them
	Parts        int           `json:"parts,omitempty"`            // into which objects are divided; 0: they are not
	SkipMissing  bool          `json:"skip_missing,omitempty"`     // leave out reads of what nothing selected has written
	CompressIdle time.Duration `json:"compress_idle_ns,omitempty"` // no pause is longer; 0: as they are
	Names        Names         `json:"names,omitempty"`            // what the compact form holds of names
}

// bucket reports whether operations on a bucket are selected.
func (s *Selection) bucket(name []byte) bool {
	return len(s.Buckets) == 0 || slices.Contains(s.Buckets, string(name))
}

// sampled reports whether an object, given by its hash, is selected.
func (s *Selection) sampled(object uint64) bool {
	return s.Share <= 0 || s.Share >= 1 || float64(object>>11) < s.Share*(1<<53)
}

// inPart reports whether an object, given by its hash, is in the selected part.
func (s *Selection) inPart(object uint64) bool {
	return s.Parts <= 1 || object%uint64(s.Parts) == uint64(s.Part-1)
}

// kind reports whether operations of a kind are selected.
func (s *Selection) kind(k op.Kind) bool { return len(s.Kinds) == 0 || slices.Contains(s.Kinds, k) }

// within reports whether a time since the begin of the trace is selected.
func (s *Selection) within(at time.Duration) bool { return at >= s.From && (s.To <= 0 || at < s.To) }
