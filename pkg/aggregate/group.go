package aggregate

import (
	"cmp"
	"slices"
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
)

// Group is all operations of one kind in one phase. Unless noted otherwise, figures are of the active window.
type Group struct {
	Phase   string   `json:"phase,omitempty"`
	Kind    op.Kind  `json:"op"`                // empty in Totals
	Streams []string `json:"streams,omitempty"` // of a total over phases that ran in parallel: their names; Phase is their common name

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
	InFlight  int64               `json:"in_flight,omitempty"` // open loop only: the maximum of each client, added up; see inFlight
	Pending   Pending             `json:"pending,omitzero"`

	Window     Window `json:"window"`
	Considered int64  `json:"considered"` // successful operations that start in the window; of a Classic one, that lie wholly in it
	Part              // throughput and latency in the window

	OpSizes

	Segments []Segment `json:"segments"`      // whole segments from the window's start
	Rest     Segment   `json:"rest,omitzero"` // what lies outside of them

	Service *hist.Histogram `json:"service,omitempty"` // open loop only: End - Start; Latency counts from Due then
	// The first and the last read of each object, for GET, as far as those requests are considered. They are meaningful
	// only if objects were read more than once: RepeatReads counts these. A Merge adds them up, which is exact if the parts
	// read different objects. AccessOmitted: there were more objects than maxAccessKeys.
	RepeatReads     int64           `json:"reread,omitempty"`
	AccessOmitted   bool            `json:"access_omitted,omitempty"`
	FirstAccess     *hist.Histogram `json:"first_access,omitempty"`
	FirstAccessTTFB *hist.Histogram `json:"first_access_ttfb,omitempty"`
	LastAccess      *hist.Histogram `json:"last_access,omitempty"`
	LastAccessTTFB  *hist.Histogram `json:"last_access_ttfb,omitempty"`

	Touched *Touched `json:"touched,omitempty"` // the objects that were used; nil if no operation used one

	ByHost        map[string]*Part `json:"by_host,omitempty"`   // also if there is only one; in Totals without times
	ByClient      map[string]*Part `json:"by_client,omitempty"` // also if there is only one; in Totals without times
	ByBucket      map[string]*Part `json:"by_bucket,omitempty"` // of runs in several buckets; in Totals without times
	BySize        []SizeClass      `json:"by_size,omitempty"`   // considered requests by factors of ten; see Classes
	Approx        *Approx          `json:"approx,omitempty"`    // instead of Latency and TTFB where only statistics were recorded
	ErrorsByClass map[string]int64 `json:"errors_by_class,omitempty"`
	FirstErrors   []ErrorSample    `json:"first_errors,omitempty"`
}

// BytesPerSec returns the average in the window: shares of successful operations divided by the window's length; 0 if
// the window is empty.
func (g *Group) BytesPerSec() float64 { b, _, _ := g.PerSecond(g.Window.Duration()); return b }

// ObjectsPerSec returns the average number of objects per second in the window.
func (g *Group) ObjectsPerSec() float64 { _, o, _ := g.PerSecond(g.Window.Duration()); return o }

// OpsPerSec returns the average number of operations per second in the window.
func (g *Group) OpsPerSec() float64 { _, _, n := g.PerSecond(g.Window.Duration()); return n }

// MovesBytes reports whether the throughput of the group is measured in bytes per second, or else in objects per
// second. Unknown kinds, and Totals, move bytes if any successful operation did.
func (g *Group) MovesBytes() bool { return g.Kind.MovesBytes() && g.MaxSize > 0 }

// CountsObjects reports whether the operations touch objects of their own; else their rate is that of operations. Only a
// part, or another request of a transfer in several, touches none.
func (g *Group) CountsObjects() bool {
	return g.MaxObjects > 0 || g.Objects > 0 || g.Requests == g.Errors
}

// Concurrency returns the number of threads; of an open loop, whose threads are only where operations wait, the greatest number of
// operations in flight.
func (g *Group) Concurrency() int {
	if g.InFlight > 0 {
		return int(g.InFlight)
	}
	return g.Threads
}

// Combined reports whether the group is the total of several parallel phases.
func (g *Group) Combined() bool { return len(g.Streams) > 0 }

// Rank returns the indices of the fastest, the median and the slowest segment, by bytes if the group moves bytes, else
// by objects, or else by operations. The median is number n/2, from 0, of n in ascending order. ok is false without segments.
func (g *Group) Rank() (fastest, median, slowest int, byBytes, ok bool) {
	n := len(g.Segments)
	byBytes = g.MovesBytes()
	if n == 0 {
		return 0, 0, 0, byBytes, false
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if byBytes {
			return cmp.Compare(g.Segments[a].Bytes, g.Segments[b].Bytes)
		}
		if g.CountsObjects() {
			return cmp.Compare(g.Segments[a].Objects, g.Segments[b].Objects)
		}
		return cmp.Compare(g.Segments[a].Ended, g.Segments[b].Ended)
	})
	return order[n-1], order[n/2], order[0], byBytes, true
}

// Classes returns the size classes to display: neighbours of BySize joined, from the smallest upwards, until each holds
// at least 5% of the requests; the rest at the upper end joins the last. Nil if all successful operations have one
// size.
func (g *Group) Classes() []SizeClass {
	if g.MinSize == g.MaxSize {
		return nil
	}
	var total int64
	for i := range g.BySize {
		total += g.BySize[i].Requests
	}
	least := minClassShare * float64(total)
	var out []SizeClass
	open := false // the last of out is still too small
	for i := range g.BySize {
		c := &g.BySize[i]
		if c.Requests == 0 {
			continue
		}
		if !open {
			from := c.From
			if len(out) > 0 {
				from = out[len(out)-1].To
			}
			out = append(out, SizeClass{From: from, To: c.To})
		}
		last := &out[len(out)-1]
		last.merge(c)
		open = float64(last.Requests) < least
	}
	if n := len(out); open && n > 1 {
		out[n-2].merge(&out[n-1])
		out = out[:n-1]
	}
	return out
}

// Name returns the name of the group for use in a sentence.
func (g *Group) Name() string {
	name := string(g.Kind)
	if name == "" {
		name = "total"
	}
	if g.Phase != "" {
		name = g.Phase + " " + name
	}
	return name
}

func (g *Group) phaseAndKind() (phase string, kind op.Kind) { return g.Phase, g.Kind }
