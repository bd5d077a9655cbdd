package trace

import (
	"math"
	"slices"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// Summary describes a trace, or the part of it that is selected.
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
	AtOnce      int64   `json:"at_once_max,omitempty"`  // requests under way
	MeanAtOnce  float64 `json:"at_once_mean,omitempty"` // requests under way, in the mean over time

	PartsLeft   int64 `json:"parts_unfinished,omitempty"` // parts of uploads that the trace does not complete
	ManyClients bool  `json:"clients_merged,omitempty"`   // there are more than can be told apart
	OtherKinds  int64 `json:"other_kinds,omitempty"`      // operations that are not selected for their kind
	Missing     int64 `json:"missing,omitempty"`          // operations on objects that are not there by then

	TemporaryFiles int   `json:"temporary_files,omitempty"` // that sorting took
	TemporaryBytes int64 `json:"temporary_bytes,omitempty"`

	counts map[int64]int64 // number of objects by their number of operations
}

// Nameless returns the summary without anything that could name an object, a bucket, or a file.
func (s *Summary) Nameless() *Summary {
	c := *s
	c.Reading = Reading{Formats: s.Formats, Records: s.Records, Bad: s.Bad}
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

// quantiles returns those of a histogram; zero without values.
func quantiles(h *hist.Histogram) Quantiles {
	if h.Count() == 0 {
		return Quantiles{}
	}
	at := func(p float64) int64 { v, _ := h.Percentile(p); return v }
	return Quantiles{Mean: h.Mean(), Min: h.Min(), P50: at(50), P90: at(90), P99: at(99), Max: h.Max()}
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
	Prefixes   int64   `json:"prefixes,omitempty"` // of listings, each of which has a number as objects have
	Bytes      int64   `json:"bytes"`              // of all, each at the largest size seen
	Read       int64   `json:"read"`               // at least once
	Written    int64   `json:"written"`            // at least once
	Once       int64   `json:"used_once"`
	First      int64   `json:"read_first"` // before anything was written
	FirstBytes int64   `json:"read_first_bytes"`
	Top1       float64 `json:"top_1_percent"` // share of operations that the most used 1 % of objects have
	Top10      float64 `json:"top_10_percent"`
	Hottest    float64 `json:"hottest"` // share of the most used object
}

// Numbers returns how many numbers objects and prefixes have.
func (o *Objects) Numbers() int64 { return o.Count + o.Prefixes }

// Share is how large a part of the operations a part of the objects has, those that are used most.
type Share struct {
	Objects    float64 `json:"objects"`
	Operations float64 `json:"operations"`
}

// popularity are the parts of the objects that are stated.
var popularity = []float64{0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1}

// WorkingSet is how many different objects are used in each interval, and how large they are.
type WorkingSet struct {
	Interval time.Duration `json:"interval_ns"`
	Objects  []int64       `json:"objects"`
	Bytes    []int64       `json:"bytes"`
}

// Clients describes who sent the operations.
type Clients struct {
	Count   int64     `json:"count"`
	Unknown int64     `json:"unknown,omitempty"` // operations whose client the trace does not have; they count as those of one
	AtOnce  Quantiles `json:"at_once,omitzero"`  // the most requests of a client under way at a time
}

// add adds an object.
func (s *Summary) add(g *group) {
	s.PartsLeft += g.partNum
	o := &s.Objects
	switch {
	case !g.selected():
		return
	case g.listed:
		o.Prefixes++
		return
	}
	o.Count++
	o.Bytes += g.largest
	if g.readSeen {
		o.First++
		o.FirstBytes += g.before
	}
	if g.kept == 0 {
		return
	}
	if g.read {
		o.Read++
	}
	if g.wrote {
		o.Written++
	}
	if g.kept == 1 {
		o.Once++
	}
	if s.counts == nil {
		s.counts = map[int64]int64{}
	}
	s.counts[g.kept]++
}

// skew sets the shares of the objects that are used most.
func (s *Summary) skew() {
	var list []int64
	var all int64
	for n, objects := range s.counts {
		list = append(list, n)
		all += n * objects
	}
	slices.Sort(list)
	slices.Reverse(list)
	if len(list) == 0 {
		return
	}
	o := &s.Objects
	o.Hottest = float64(list[0]) / float64(all)
	o.Top1, o.Top10 = s.shareOf(0.01, list, all), s.shareOf(0.1, list, all)
	for _, part := range popularity {
		if part*float64(o.Count) >= 1 {
			s.Popularity = append(s.Popularity, Share{part, s.shareOf(part, list, all)})
		}
	}
	s.counts = nil
}

// shareOf returns the share of operations of a part of the objects; counts are the numbers of operations of objects, from the largest on, and
// all is their sum.
func (s *Summary) shareOf(part float64, counts []int64, all int64) float64 {
	left, sum := int64(math.Ceil(part*float64(s.Objects.Count))), int64(0)
	for _, n := range counts {
		objects := min(left, s.counts[n])
		sum += objects * n
		if left -= objects; left == 0 {
			break
		}
	}
	return float64(sum) / float64(all)
}
