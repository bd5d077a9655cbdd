package trace

import (
	"slices"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// Replayed compares a replay with the operations of the trace that it sent.
type Replayed struct {
	Stream string         `json:"stream,omitempty"`  // empty in a plan of one stream
	Speed  float64        `json:"speed"`             // times as fast as it was
	Span   time.Duration  `json:"span_ns,omitempty"` // of the trace, as it was
	Took   time.Duration  `json:"took_ns,omitempty"` // from the due time of the first operation to the end of the last one
	Closed *ReplayedLoop  `json:"closed,omitempty"`  // nil: an open loop
	Kinds  []ReplayedKind `json:"kinds"`
}

// ReplayedLoop is a closed loop of the clients of a trace.
type ReplayedLoop struct {
	Clients int64         `json:"clients"`
	Then    time.Duration `json:"original_ns"` // from the first operation to the end of the last one, in the trace
	Now     time.Duration `json:"replay_ns"`   // the same, in the replay
}

// ReplayedKind is Replayed for a kind of operation. Times are in nanoseconds.
type ReplayedKind struct {
	Kind       op.Kind         `json:"kind"`
	Operations int64           `json:"operations"`           // in the trace, or the part of it that --part selects
	Sent       int64           `json:"sent"`                 // in a loop, more than the trace has
	Unsent     int64           `json:"unsent,omitempty"`     // due too late, or when the run ended
	Failed     int64           `json:"failed,omitempty"`     // of those sent
	Unwritten  int64           `json:"unwritten,omitempty"`  // of those that failed: with 404, on objects whose last PUT was not sent
	OldFailed  int64           `json:"old_failed,omitempty"` // of those sent, as the trace has it
	Bytes      int64           `json:"bytes"`                // moved
	OldBytes   int64           `json:"old_bytes"`            // that the trace has of those sent
	Late       *hist.Histogram `json:"late"`                 // lateness of those that were late
	Service    *hist.Histogram `json:"service"`              // of those that succeeded
	Old        *hist.Histogram `json:"old"`                  // latency in the trace, of those sent that succeeded there
}

// NewReplayedKind returns the counts of a kind before its first operation.
func NewReplayedKind(kind op.Kind) *ReplayedKind {
	return &ReplayedKind{Kind: kind, Late: hist.New(hist.Coarse), Service: hist.New(hist.Coarse), Old: hist.New(hist.Coarse)}
}

// AddReplayed adds replays to others of the same streams, which replayed other parts of a trace or ran in other runs.
func AddReplayed(list, more []Replayed) []Replayed {
	for i := range more {
		m := &more[i]
		k := slices.IndexFunc(list, func(r Replayed) bool { return r.Stream == m.Stream })
		if k < 0 {
			list = append(list, Replayed{Stream: m.Stream, Speed: m.Speed})
			k = len(list) - 1
		}
		list[k].Span, list[k].Took = max(list[k].Span, m.Span), max(list[k].Took, m.Took)
		list[k].addLoop(m.Closed)
		for j := range m.Kinds {
			list[k].add(&m.Kinds[j])
		}
	}
	return list
}

// addLoop adds a closed loop that ran at the same time.
func (r *Replayed) addLoop(m *ReplayedLoop) {
	switch c := r.Closed; {
	case m == nil:
	case c == nil:
		one := *m
		r.Closed = &one
	default:
		c.Clients, c.Then, c.Now = c.Clients+m.Clients, max(c.Then, m.Then), max(c.Now, m.Now)
	}
}

func (r *Replayed) add(k *ReplayedKind) {
	i := slices.IndexFunc(r.Kinds, func(o ReplayedKind) bool { return o.Kind == k.Kind })
	if i < 0 {
		r.Kinds = append(r.Kinds, *NewReplayedKind(k.Kind))
		i = len(r.Kinds) - 1
	}
	o := &r.Kinds[i]
	o.Operations, o.Sent = o.Operations+k.Operations, o.Sent+k.Sent
	o.Unwritten += k.Unwritten
	o.Unsent, o.Failed, o.OldFailed = o.Unsent+k.Unsent, o.Failed+k.Failed, o.OldFailed+k.OldFailed
	o.Bytes, o.OldBytes = o.Bytes+k.Bytes, o.OldBytes+k.OldBytes
	for _, h := range [][2]*hist.Histogram{{o.Late, k.Late}, {o.Service, k.Service}, {o.Old, k.Old}} {
		if h[1] != nil {
			h[0].Merge(h[1])
		}
	}
}
