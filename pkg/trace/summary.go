package trace

import (
	"encoding/binary"
	"fmt"
	"time"

	"warp/pkg/op"
)

// Summary describes a trace, or a selected part of it.
type Summary struct {
	Reading
	Selection Selection `json:"selection,omitzero"`

	Begin        time.Time     `json:"begin"`   // first operation
	Span         time.Duration `json:"span_ns"` // from the first to the last one
	Operations   int64         `json:"operations"`
	Kinds        []KindSummary `json:"kinds"`
	Rates        Rates         `json:"rates"`
	LongestPause time.Duration `json:"longest_pause_ns"`            // between two operations
	Pauses       int64         `json:"pauses_compressed,omitempty"` // see Selection.CompressIdle

	Objects    Objects    `json:"objects"`
	Popularity []Share    `json:"popularity,omitempty"`
	WorkingSet WorkingSet `json:"working_set"`
	Clients    Clients    `json:"clients"`

	WithLatency int64   `json:"with_latency"`           // operations whose latency the trace has
	AtOnce      int64   `json:"at_once_max,omitempty"`  // requests in flight
	MeanAtOnce  float64 `json:"at_once_mean,omitempty"` // requests in flight, in the mean over time

	PartsLeft   int64 `json:"parts_unfinished,omitempty"` // parts of uploads that the trace does not complete
	ManyClients bool  `json:"clients_merged,omitempty"`   // there are more than can be told apart
	OtherKinds  int64 `json:"other_kinds,omitempty"`      // operations that are not selected for their kind
	Missing     int64 `json:"missing,omitempty"`          // operations on objects that are not there by then

	TemporaryFiles int   `json:"temporary_files,omitempty"` // that sorting took
	TemporaryBytes int64 `json:"temporary_bytes,omitempty"`
}

// withoutNames returns the summary without anything that could name an object, a bucket, or a file.
func (s *Summary) withoutNames() *Summary {
	c := *s
	c.Reading = Reading{Formats: s.Formats, Records: s.Records, Malformed: s.Malformed}
	c.Selection.Buckets = nil
	return &c
}

// KindSummary describes operations of a kind.
type KindSummary struct {
	Kind       op.Kind   `json:"kind"`
	Operations int64     `json:"operations"`
	Failed     int64     `json:"failed,omitempty"`
	Bytes      int64     `json:"bytes,omitempty"`        // that were moved
	Ranges     int64     `json:"ranges,omitempty"`       // reads of a part of an object
	NoSize     int64     `json:"size_unknown,omitempty"` // whose size the trace does not have
	Size       Quantiles `json:"size_bytes,omitzero"`    // that were moved by an operation
	Latency    Quantiles `json:"latency_ns,omitzero"`
}

// Quantiles describe a distribution.
type Quantiles struct {
	Mean float64 `json:"mean"`
	Min  int64   `json:"min"`
	P50  int64   `json:"p50"`
	P90  int64   `json:"p90"`
	P99  int64   `json:"p99"`
	Max  int64   `json:"max"`
}

// Rates are operations and bytes by time.
type Rates struct {
	Interval   time.Duration `json:"interval_ns"`
	Operations []int64       `json:"operations"`
	Bytes      []int64       `json:"bytes"`
}

// Objects describes the objects of a trace.
type Objects struct {
	Count      int64   `json:"count"`
	Prefixes   int64   `json:"prefixes,omitempty"` // of listings; they have numbers as objects do
	Bytes      int64   `json:"bytes"`              // of all, each at the largest size seen
	Read       int64   `json:"read"`               // at least once
	Written    int64   `json:"written"`            // at least once
	Once       int64   `json:"used_once"`
	First      int64   `json:"read_first"` // before anything was written
	FirstBytes int64   `json:"read_first_bytes"`
	Top1       float64 `json:"top_1_percent"` // share of operations that the most used 1% of objects have
	Top10      float64 `json:"top_10_percent"`
	Hottest    float64 `json:"hottest"` // share of the most used object
}

// Numbers returns the number of objects and prefixes together.
func (o *Objects) Numbers() int64 { return o.Count + o.Prefixes }

// Share says that a part of the objects, those used most, has a part of the operations.
type Share struct {
	Objects    float64 `json:"objects"`
	Operations float64 `json:"operations"`
}

// WorkingSet is the number and the size of the different objects that are used in each interval.
type WorkingSet struct {
	Interval time.Duration `json:"interval_ns"`
	Objects  []int64       `json:"objects"`
	Bytes    []int64       `json:"bytes"`
}

// Clients describes the senders of operations.
type Clients struct {
	Count   int64     `json:"count"`
	Unknown int64     `json:"unknown,omitempty"` // operations whose client the trace does not have; they count as one client's
	AtOnce  Quantiles `json:"at_once,omitzero"`  // the most requests of a client in flight
}

// check returns an error for counts that no trace has: they decide about the memory of a replay, and files come over the network.
func (s *Summary) check() error {
	o := &s.Objects
	switch {
	case s.Operations < 0 || s.Span < 0 || o.Count < 0 || o.Prefixes < 0 || o.First < 0:
	case s.Operations > MaxOperations || o.Count > MaxOperations || o.Prefixes > MaxOperations || o.First > o.Numbers():
	case o.Numbers()-o.First > 2*s.Operations: // a copy has two objects
	default:
		return nil
	}
	return fmt.Errorf("%w: %d operations on %d objects and prefixes, %d of them read first", errDamaged, s.Operations, o.Numbers(), o.First)
}

// MaxBytes returns the maximum length of the file that a summary describes, with names or without.
func (s *Summary) MaxBytes(named bool) int64 {
	const perOperation, perNumber = maxBlock / PerBlock, binary.MaxVarintLen64
	n := maxFooter + s.Operations*perOperation + s.Objects.Numbers()*perNumber
	if named {
		n += s.Objects.Numbers() * (MaxName + binary.MaxVarintLen16)
	}
	return n + n/64 // what does not compress
}

// Reading summarizes the reading of files.
type Reading struct {
	Formats   []string         `json:"formats"`           // of the files, each once
	Records   int64            `json:"records"`           // lines, or objects
	Malformed int64            `json:"bad,omitempty"`     // that could not be read
	First     []string         `json:"first,omitempty"`   // the first of them, with file and line
	Skipped   map[string]int64 `json:"skipped,omitempty"` // that hold something else than an operation that can be replayed, by its name
	Notes     []string         `json:"notes,omitempty"`   // about files
}
