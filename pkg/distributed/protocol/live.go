package protocol

import (
	"warp/pkg/aggregate/live"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// Live is the state of a client. Counts are since the phase began, so that a lost message loses nothing.
type Live struct {
	Count
	Phase string     `json:"phase,omitempty"` // the only stream, or the first one
	First int64      `json:"first,omitempty"` // first start in this phase
	Kinds []LiveKind `json:"kinds,omitempty"`
	Rates []Rates    `json:"points,omitempty"`
}

// LiveKind are the counts of one kind of operation of a stream. Without a stream it is of Live.Phase.
type LiveKind struct {
	Stream  string  `json:"stream,omitempty"`
	Kind    op.Kind `json:"op"`
	Ops     int64   `json:"ops"`
	Errors  int64   `json:"errors"`
	Resent  int64   `json:"resent,omitempty"`
	Bytes   int64   `json:"bytes"`
	Objects int64   `json:"objects"`

	Latency *hist.Histogram `json:"latency,omitempty"` // since the last message
}

// KindCount is what the operations of a kind and phase have done so far, at a time on the coordinator's clock (message "count").
type KindCount struct {
	At int64 `json:"at"`
	live.Count
}

// Rates is the throughput of the latest slices of the phase, of a 25th of it each, newest first.
type Rates struct {
	Second  int       `json:"second"` // of the phase
	Bytes   []float64 `json:"bytes"`
	Objects []float64 `json:"objects"`
	ByBytes bool      `json:"by_bytes,omitempty"`
}
