// Package aggregate computes statistics from a stream of operations in memory that does not grow with their number: the
// active window, segments, throughput, latency. A live run, a file and a remote client feed the same code, and its
// snapshots merge exactly: counts and histograms are added, percentiles never averaged.
package aggregate

import (
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// Version is the version of Snapshot's JSON.
const Version = 2

// Options selects what to compute.
type Options struct {
	Segment time.Duration // length of a segment; 0: 1s, longer for long runs
	Skip    time.Duration // skip this much at the start of each window
	Op      op.Kind       // only operations of this kind; empty: all
	Host    string        // only operations on this host (URL, or host:port); empty: all

	HostSegments bool // also segments of each host
	SegmentTimes bool // also histograms of each segment, which take memory for each segment
	HostCounts   bool // segments of hosts have no histograms, which would take memory for each host too

	Partial func(snapshot func() *Snapshot) // called now and then while recordings are read, with what returns the figures so far; may be nil

	Rule    Rule     // of windows; empty: Active
	AllTime []string // phases whose windows are all of their time: see span.window
	Order   Order    // of the phases of the plan that run side by side

	// Pauses are the longest pauses of threads between their operations, by phase.
	Pauses map[string]time.Duration

	mostMemory   int64 // instead of twice MaxMemory, for tests
	glimpseBytes int64 // instead of the constant of that name, for tests
}

// Snapshot is the statistics of a run. Warnings are derived from the figures, anew by each Merge; other warnings belong
// elsewhere.
type Snapshot struct {
	Version  int           `json:"version"`
	Segment  time.Duration `json:"segment_ns"`
	Order    Order         `json:"-"`
	Groups   []*Group      `json:"groups"` // in order of phases and kinds, see Order
	Totals   []*Group      `json:"totals"` // for each phase with several concurrent kinds: all of them together; and for phases that ran side by side
	Warnings []string      `json:"warnings,omitempty"`
}

// Window is the active window of a group, without warm-up and the ragged end.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
	Loose bool      `json:"loose,omitempty"` // the looser rule was used: see span.window

	AllTime bool          `json:"all_time,omitempty"`   // of a phase of Options.AllTime
	Classic bool          `json:"classic,omitempty"`    // by the rule Classic
	Skipped time.Duration `json:"skipped_ns,omitempty"` // left out before Start: Options.Skip
	Sent    Span          `json:"sent,omitzero"`        // the first and the last start of an operation; zero for phases side by side
	Begun   *Edge         `json:"begun,omitempty"`      // the operation with whose end the window starts; nil: there is none in particular
	Ended   *Edge         `json:"ended,omitempty"`      // the last operation of the thread with which the window ends
}

// Span is a time from one moment to another.
type Span struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Duration returns the length of the span.
func (s Span) Duration() time.Duration { return s.To.Sub(s.From) }

// Edge is the operation at which a window starts or ends. Of a window that is Short, a Snapshot has all of it, and Windows have its
// client, its thread and its end.
type Edge struct {
	Client string    `json:"client,omitempty"`
	Thread uint32    `json:"thread"`
	End    time.Time `json:"end"`
	OpSample
}

// OpSample names an operation.
type OpSample struct {
	Kind op.Kind       `json:"op,omitempty"`
	Host string        `json:"host,omitempty"`
	Key  string        `json:"key,omitempty"`
	Took time.Duration `json:"took_ns,omitempty"` // from its start to its end
}

// Pending is the operations in flight when sending stopped: see Window.Sent.
type Pending struct {
	Ops     int64         `json:"ops"`
	Longest OpSample      `json:"longest"`
	Drain   time.Duration `json:"drain_ns"` // until the last of them ended
}

// Duration returns the length of the window; 0 if it is empty.
func (w Window) Duration() time.Duration { return max(0, w.End.Sub(w.Start)) }

// Group is all operations of one kind in one phase. Unless noted otherwise, figures are of the active window.
type Group struct {
	Phase   string   `json:"phase,omitempty"`
	Kind    op.Kind  `json:"op"`                // empty in Totals
	Streams []string `json:"streams,omitempty"` // of a total over phases that ran side by side: their names; Phase is their common name

	Requests  int64               `json:"requests"`         // all operations, inside the window or not, failed ones too
	Errors    int64               `json:"errors"`           // all failed operations
	Resent    int64               `json:"resent,omitempty"` // operations with a request that was sent again; see op.Op
	First     time.Time           `json:"first"`            // first start
	Last      time.Time           `json:"last"`             // last end
	Broken    int64               `json:"broken,omitempty"` // operations with invalid times: they count only above
	Threads   int                 `json:"threads"`          // distinct threads, counted per client
	ThreadIDs map[string][]uint32 `json:"thread_ids"`       // their numbers in ascending order, by client
	Clients   []string            `json:"clients"`
	Hosts     []string            `json:"hosts"`
	InFlight  int64               `json:"in_flight,omitempty"` // open loop only: the greatest number of operations in flight of each client, added up; see underway
	Pending   Pending             `json:"pending,omitzero"`

	Window     Window `json:"window"`
	Considered int64  `json:"considered"` // successful operations that start in the window; of a Classic one, that lie wholly in it
	Part              // throughput and latency in the window

	MinObjects int   `json:"min_objects"` // objects per operation, of successful operations
	MaxObjects int   `json:"max_objects"`
	MinSize    int64 `json:"min_size"` // bytes per operation, of successful operations
	MaxSize    int64 `json:"max_size"`

	Segments []Segment `json:"segments"`      // whole segments from the window's start
	Rest     Segment   `json:"rest,omitzero"` // what lies outside of them

	Service *hist.Histogram `json:"service,omitempty"` // open loop only: End - Start; Latency counts from Due then
	// The first and the last read of each object, for GET, as far as those requests are considered. They are meaningful
	// only if objects were read more than once: Reread counts these. A Merge adds them up, which is exact if the parts
	// read different objects. AccessOmitted: there were more objects than MaxAccessKeys.
	Reread          int64           `json:"reread,omitempty"`
	AccessOmitted   bool            `json:"access_omitted,omitempty"`
	FirstAccess     *hist.Histogram `json:"first_access,omitempty"`
	FirstAccessTTFB *hist.Histogram `json:"first_access_ttfb,omitempty"`
	LastAccess      *hist.Histogram `json:"last_access,omitempty"`
	LastAccessTTFB  *hist.Histogram `json:"last_access_ttfb,omitempty"`

	Touched *Touched `json:"touched,omitempty"` // the objects that were used; nil if no operation used one

	ByHost        map[string]*Part `json:"by_host,omitempty"`   // also if there is only one; in Totals without times
	ByClient      map[string]*Part `json:"by_client,omitempty"` // also if there is only one; in Totals without times
	ByBucket      map[string]*Part `json:"by_bucket,omitempty"` // of runs in several buckets; in Totals without times
	BySize        []SizeClass      `json:"by_size,omitempty"`   // considered requests by factors of ten, also if there is only one; Classes gives those to show
	Approx        *Approx          `json:"approx,omitempty"`    // instead of Latency and TTFB where only statistics were recorded
	ErrorsByClass map[string]int64 `json:"errors_by_class,omitempty"`
	FirstErrors   []ErrorSample    `json:"first_errors,omitempty"`
}

// Part is throughput and latency of the whole group, of one host or of one client, in the group's window. Bytes,
// Objects and Ops are shares: an operation that lies partly in the window counts by the part of its time in it.
type Part struct {
	Bytes   float64         `json:"bytes"`
	Objects float64         `json:"objects"`
	Ops     float64         `json:"ops"`
	Total   int64           `json:"total"`  // operations, inside the window or not (zero in a Group: see Requests)
	Failed  int64           `json:"failed"` // failed operations among them (zero in a Group: see Errors)
	Latency *hist.Histogram `json:"latency,omitempty"`
	TTFB    *hist.Histogram `json:"ttfb,omitempty"`
	Own     OwnPart         `json:"own,omitzero"`     // the client's own part of Latency
	Series  []Segment       `json:"series,omitempty"` // by segment, for hosts, with Options.HostSegments
	Rest    *Segment        `json:"rest,omitempty"`   // what lies outside of them, likewise

	ErrorsByClass map[string]int64 `json:"errors_by_class,omitempty"` // of Failed (nil in a Group, which has its own)
}

// Segment is a slice of the window, or what lies outside of all slices.
type Segment struct {
	Bytes   float64         `json:"bytes"`   // shares, as in Part
	Objects float64         `json:"objects"` // shares, as in Part
	Full    int64           `json:"full"`    // operations wholly inside
	Partial int64           `json:"partial"` // operations partly inside
	Started int64           `json:"started"`
	Ended   int64           `json:"ended"`
	Errors  int64           `json:"errors"`            // failed operations that ended in it
	Latency *hist.Histogram `json:"latency,omitempty"` // with Options.SegmentTimes; of operations that started in it (Classic: that ended in it)
	TTFB    *hist.Histogram `json:"ttfb,omitempty"`    // likewise, of those that have a first byte; nil without any

	ErrorsByClass map[string]int64 `json:"errors_by_class,omitempty"` // of Errors
}

// SizeClass is the operations whose bytes lie in [From, To).
type SizeClass struct {
	From       int64           `json:"from"`
	To         int64           `json:"to"`
	Requests   int64           `json:"requests"`
	Bytes      int64           `json:"bytes"`
	Latency    *hist.Histogram `json:"latency"`
	TTFB       *hist.Histogram `json:"ttfb,omitempty"`
	Throughput *hist.Histogram `json:"throughput"` // bytes per second of single requests; those that took no time have none
}

// ErrorSample is one failed operation; Time is its end.
type ErrorSample struct {
	Time time.Time `json:"time"`
	Host string    `json:"host"`
	Key  string    `json:"key,omitempty"`
	Err  string    `json:"error"`
}

// Approx is the times of a group as an aggregated recording of MinIO warp has them: no histograms, so no percentile is exact.
// See package legacy.
type Approx struct {
	Latency ApproxTimes `json:"latency"`
	TTFB    ApproxTimes `json:"ttfb"`
}

// ApproxTimes is figures of requests. Mean, StdDev, Min and Max are exact up to rounding. The percentiles are averages of
// the percentiles of short spans, weighted with their requests. What is 0 is unknown; without Max, Min and StdDev are too.
type ApproxTimes struct {
	Requests int64         `json:"requests"` // 0: nothing is known
	Mean     time.Duration `json:"mean_ns"`
	StdDev   time.Duration `json:"stddev_ns"`
	Min      time.Duration `json:"min_ns"`
	Max      time.Duration `json:"max_ns"`
	P25      time.Duration `json:"p25_ns,omitempty"`
	P50      time.Duration `json:"p50_ns,omitempty"`
	P75      time.Duration `json:"p75_ns,omitempty"`
	P90      time.Duration `json:"p90_ns,omitempty"`
	P99      time.Duration `json:"p99_ns,omitempty"`
}

// Finish sorts the groups and derives the warnings. Snapshots made by this package are finished.
func (s *Snapshot) Finish() {
	s.arrange()
	s.Warnings = warnings(s)
}

// Benchmark returns the time that the figures describe, without preparation: from the start of the first window to the
// end of the last; zero without one.
func (s *Snapshot) Benchmark() (from, to time.Time) {
	for _, g := range s.Groups {
		from, to = widened(from, to, g.Phase, g.Window)
	}
	return from, to
}
