// Package op holds the one record that everything in warp reads: Op, one finished operation.
//
// A run writes operations into a Collector, which hands batches to Sinks (the recording, the statistics).
// A recording gives them back as a Source. Nothing in between holds all operations of a run.
package op

import "time"

// Kind is the type of an operation, in the words of the recording format ("GET", "PUT", ...).
// Recordings of other tools and later versions may hold kinds that are not listed here; they are kept as they are.
type Kind string

// The kinds that warp's own workloads record.
const (
	Get    Kind = "GET"
	Put    Kind = "PUT"
	Delete Kind = "DELETE"
	Stat   Kind = "STAT"
	List   Kind = "LIST"
)

// MovesBytes tells whether throughput of this kind is a matter of bytes per second (true) or of objects per second.
// Kinds that are not known move bytes if their operations say so; see aggregate.
func (k Kind) MovesBytes() bool {
	switch k {
	case Delete, Stat, List:
		return false
	}
	return true
}

// Upload tells whether the body travels to the server, so that the first byte of the answer is counted from the last body byte sent.
func (k Kind) Upload() bool {
	switch k {
	case Put, "POST", "PUTPART", "APPEND":
		return true
	}
	return false
}

// PhasePrepare is the phase of operations that only prepare the data set. They are reported apart.
const PhasePrepare = "prepare"

// Op is one finished operation: a request that a client sent to a host, and what came of it.
type Op struct {
	Kind   Kind
	Phase  string // PhasePrepare, the name of the phase in a scenario, or empty
	Client string // which load generator
	Thread uint32 // which of its threads

	Due       time.Time // when it should have started (open loop); zero in a closed loop
	Start     time.Time // when it started
	FirstByte time.Time // first byte of the answer; zero if unknown or none came
	Sent      time.Time // last body byte handed over (uploads); zero if unknown
	End       time.Time // when it was over

	Bytes    int64  // body bytes moved; 0 for DELETE, LIST, STAT
	Objects  int    // objects touched: 1, the batch length of a DELETE, the entries of a LIST
	Status   int    // HTTP status, 0 if no answer came
	Retries  int    // how often the request was sent again
	Cat      uint32 // category bits of the established format, 0 in our own recordings
	Endpoint string // URL of the host, scheme://host:port
	Key      string // object key, prefix of a LIST, empty for a batch DELETE
	Err      string // empty if it succeeded, else "class: message"; see Class
}

// Latency is what a user waited: from when the operation was due (open loop) or started (closed loop) to its end.
func (o *Op) Latency() time.Duration {
	if o.Due.IsZero() {
		return o.End.Sub(o.Start)
	}
	return o.End.Sub(o.Due)
}

// Service is what the server took: from the start of the request to its end.
func (o *Op) Service() time.Duration { return o.End.Sub(o.Start) }

// TTFB is the time to first byte, and whether it is known. For downloads and listings it counts from the start of the
// request, for uploads from the last body byte that was sent to the first byte of the answer; recordings that hold no
// first byte for uploads count to the end.
func (o *Op) TTFB() (time.Duration, bool) {
	if !o.Kind.Upload() {
		return o.FirstByte.Sub(o.Start), !o.FirstByte.IsZero()
	}
	if o.Sent.IsZero() {
		return 0, false
	}
	if o.FirstByte.IsZero() {
		return o.End.Sub(o.Sent), true
	}
	return o.FirstByte.Sub(o.Sent), true
}

// Failed tells whether the operation is an error, which never counts as throughput.
func (o *Op) Failed() bool { return o.Err != "" }

// Sink takes finished operations. Write may not keep the slice, nor is it called by two goroutines at once.
type Sink interface {
	Write(ops []Op) error
	Close() error
}

// Source is a stream of operations; the value of Op is valid until the next Scan.
type Source interface {
	Scan() bool
	Op() *Op
	Err() error
}
