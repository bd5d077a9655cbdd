// Package op defines the record that all of warp shares: Op, one finished operation.
//
// A run writes operations into a Collector, which passes batches to Sinks (the recording, the statistics). A recording
// returns them as a Source. Nothing in between holds all operations of a run.
package op

import (
	"strconv"
	"strings"
	"time"
)

// Kind is what an operation does, in the words of the recording format ("GET", "PUT", ...).
// Recordings of other tools and later versions may contain kinds that are not listed here; they are preserved.
type Kind string

// Outcome returns the kind of operations of kind k that ended with an expected status other than success, as in PUT_412.
func (k Kind) Outcome(status int) Kind { return k + Kind("_"+strconv.Itoa(status)) }

// labelMark stands before the label of a kind.
const labelMark = ":"

// Labelled returns the kind with a label, as in GET:RANGES, which tells operations of one kind apart.
func (k Kind) Labelled(label string) Kind { return k + Kind(labelMark+strings.ToUpper(label)) }

// Unlabelled returns the kind without its label.
func (k Kind) Unlabelled() Kind {
	base, _, _ := strings.Cut(string(k), labelMark)
	return Kind(base)
}

// marked reports whether something may stand behind a kind: a label, a status, or the mark of attempts.
func (k Kind) marked() bool {
	for i := range len(k) { // a loop is faster for so few letters than a search
		if k[i] == labelMark[0] || k[i] == '_' {
			return true
		}
	}
	return false
}

// Base returns the kind without its label, the status of an outcome, and the mark of attempts.
func (k Kind) Base() Kind {
	if !k.marked() {
		return k
	}
	k = Kind(strings.TrimSuffix(string(k.Unlabelled()), attemptsMark))
	i := strings.LastIndexByte(string(k), '_')
	if i <= 0 || len(k)-i != len("_412") {
		return k
	}
	for _, c := range k[i+1:] {
		if c < '0' || c > '9' {
			return k
		}
	}
	return k[:i]
}

// PhasePrepare is the phase of operations that prepare the data set. They are reported separately.
const PhasePrepare = "prepare"

// PhaseWarmup is the phase of operations that began before measurement. They are recorded, and in no figure.
const PhaseWarmup = "warmup"

// Op is one finished operation: a request of a client to a host, and its outcome.
type Op struct {
	Kind   Kind
	Phase  string // PhasePrepare, PhaseWarmup, the name of the phase in a scenario, or empty
	Client string // load generator
	Thread uint32 // thread of the client

	Due       time.Time // scheduled start (open loop); zero in a closed loop
	Start     time.Time // start of the operation
	FirstByte time.Time // first byte of the response; zero if unknown or absent
	Sent      time.Time // last body byte handed to the system (uploads), whose buffers may still hold it; zero if unknown
	Arrived   time.Time // the kernel had the last byte of the response; zero if unknown
	End       time.Time // end of the operation

	OwnLate time.Duration // open loop: the part of Start - Due that the client caused, since a worker was idle at Due

	Bytes    int64  // body bytes transferred; 0 for DELETE, LIST, STAT
	Objects  int    // objects touched: 1, the batch length of a DELETE, the entries of a LIST; 0 for a part, see MultipartPut
	Status   int    // HTTP status, 0 without a response
	Retries  int    // number of retries
	Resent   int    // requests sent again on a new connection, after the server had closed the reused one
	Copied   int64  // bytes of what the server copied; 0: nothing, or unknown
	Source   string // of a copy, as its header has it: /bucket/key
	Cat      uint32 // category bits of MinIO warp's format, 0 in our own recordings
	Endpoint string // URL of the host, scheme://host:port
	Bucket   string // that the request was about; empty if the run has only one
	Key      string // object key, prefix of a LIST, empty for a batch DELETE
	Err      string // empty on success, else "class: message"; see Class
}

// Latency returns the response time: from when the operation was due (open loop) or started (closed loop) to its end.
func (o *Op) Latency() time.Duration {
	if o.Due.IsZero() {
		return o.End.Sub(o.Start)
	}
	return o.End.Sub(o.Due)
}

// Service returns the service time: from the start of the request to its end.
func (o *Op) Service() time.Duration { return o.End.Sub(o.Start) }

// Unread returns how long the response lay in the client's kernel before it was read, and whether that is known.
func (o *Op) Unread() (time.Duration, bool) {
	if o.Arrived.IsZero() {
		return 0, false
	}
	return max(0, o.End.Sub(o.Arrived)), true
}

// TTFB returns the time to first byte, and whether it is known. For downloads and listings it counts from the start of
// the request; for uploads from the last body byte sent to the first byte of the response, or to the end in recordings
// without a first byte for uploads.
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

// Failed reports whether the operation failed. Failed operations never count as throughput.
func (o *Op) Failed() bool { return o.Err != "" }

// Sink accepts finished operations. Write must not retain the slice, and is not called concurrently.
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

// MaxClass is the maximum length of an error class in bytes, so that free text of a server does not become a class of
// its own.
const MaxClass = 64

// Class returns the class of an error text: what precedes the first ": ", for instance "503 SlowDown" or "connection
// refused". Texts of other tools have no such prefix; they are classes themselves, truncated to MaxClass.
func Class(err string) string {
	head, _, found := strings.Cut(err, ": ")
	if !found || head == "" || len(head) > MaxClass {
		head = err
	}
	if len(head) > MaxClass {
		head = strings.ToValidUTF8(head[:MaxClass-len("...")], "") + "..."
	}
	return head
}
