package aggregate

import (
	"maps"
	"math"
	"slices"
	"time"

	"warp/pkg/op"
)

// earlySegments is how much too early segments claim to begin in aggregated recordings.
const earlySegments = 2 * time.Second

// aggregatedFile is an aggregated recording, as far as it is read. Version 1 counts operations where version 2 counts objects
// of segments.
type aggregatedFile struct {
	V           int                         `json:"v"`
	CommandLine string                      `json:"commandline"`
	Version     string                      `json:"warp_version"`
	Final       bool                        `json:"final"`
	Total       *aggregatedStats            `json:"total"`
	ByOp        map[string]*aggregatedStats `json:"by_op_type"`
	Operations  []struct{}                  `json:"operations"` // of earlier versions, whose reports were another format
}

// aggregatedStats is the statistics of some operations.
type aggregatedStats struct {
	Requests    int64                           `json:"total_requests"`
	Objects     int64                           `json:"total_objects"`
	Errors      int64                           `json:"total_errors"`
	Bytes       int64                           `json:"total_bytes"`
	Concurrency int                             `json:"concurrency"`
	Start       time.Time                       `json:"start_time"`
	End         time.Time                       `json:"end_time"`
	FirstErrors []string                        `json:"first_errors"`
	Hosts       []string                        `json:"hosts"`
	Clients     []string                        `json:"clients"`
	Throughput  aggregatedThroughput            `json:"throughput"`
	ByHost      map[string]aggregatedThroughput `json:"throughput_by_host"`
	ByClient    map[string]aggregatedThroughput `json:"throughput_by_client"`
	Spans       map[string][]aggregatedSpan     `json:"requests_by_client"`
}

type aggregatedThroughput struct {
	Millis    float64 `json:"measure_duration_millis"`
	Bytes     float64 `json:"bytes"`
	Objects   float64 `json:"objects"`
	Ops       int64   `json:"ops"`
	Errors    int64   `json:"errors"`
	Segmented *struct {
		Millis   float64             `json:"segment_duration_millis"`
		Segments []aggregatedSegment `json:"segments"`
	} `json:"segmented"`
}

type aggregatedSegment struct {
	Start   time.Time `json:"start"`
	Bytes   float64   `json:"bytes_per_sec"`
	Objects float64   `json:"obj_per_sec"`
	Errors  int64     `json:"errors"`
}

// length is that of a segment, 0 if there are none.
func (t *aggregatedThroughput) length() time.Duration {
	if t.Segmented == nil || len(t.Segmented.Segments) == 0 {
		return 0
	}
	return millis(t.Segmented.Millis)
}

// millis is so many milliseconds, brought into the range of a time that makes sense.
func millis(ms float64) time.Duration {
	return time.Duration(math.Round(min(max(ms, 0), 1e12) * float64(time.Millisecond)))
}

// amount is bytes or objects, brought into a range that makes sense, so that sums stay finite.
func amount(n float64) float64 { return min(max(n, 0), 1e18) }

// group is the statistics as a Group.
func (a *aggregatedStats) group(kind op.Kind) *Group {
	g := &Group{
		Kind: kind, Requests: max(0, a.Requests), Errors: min(max(0, a.Errors), max(0, a.Requests)), First: a.Start.UTC(), Last: a.End.UTC(),
		Threads: a.Concurrency, ThreadIDs: map[string][]uint32{}, Clients: sorted(a.Clients), Hosts: sorted(a.Hosts),
	}
	if done := g.Requests - g.Errors; done > 0 && a.Objects > 0 {
		g.MinObjects = int(max(1, a.Objects/g.Requests))
		g.MaxObjects = int(max(1, math.Ceil(float64(a.Objects)/float64(g.Requests))))
	}
	for i, text := range a.FirstErrors {
		if i == maxErrorSamples {
			break
		}
		g.FirstErrors = append(g.FirstErrors, ErrorSample{Time: g.First, Err: text})
	}
	a.Throughput.fill(g)
	if g.MaxObjects > 0 {
		g.Ops = g.Objects / (float64(a.Objects) / float64(g.Requests))
	}
	g.ByHost = a.parts(g, a.ByHost)
	g.ByClient = a.parts(g, a.ByClient)
	a.times(g)
	if g.MaxSize == 0 && a.Bytes > 0 && g.Requests > g.Errors {
		g.MinSize = a.Bytes / (g.Requests - g.Errors)
		g.MaxSize = g.MinSize
	}
	return g
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// fill sets window, segments and throughput.
func (t *aggregatedThroughput) fill(g *Group) {
	length := t.length()
	if length <= 0 { // too short a run for segments: the averages of all of it
		if d := millis(t.Millis); d > 0 {
			g.Window = Window{Start: g.First, End: g.First.Add(d), Loose: true}
			g.Bytes, g.Objects = amount(t.Bytes), amount(t.Objects)
		}
		return
	}
	segments := slices.Clone(t.Segmented.Segments)
	slices.SortStableFunc(segments, func(a, b aggregatedSegment) int { return a.Start.Compare(b.Start) })
	start := segments[0].Start.UTC().Add(earlySegments)
	g.Window = Window{Start: start, End: start.Add(time.Duration(len(segments)) * length)}
	for _, s := range segments {
		seconds := length.Seconds()
		n := Segment{Bytes: amount(s.Bytes) * seconds, Objects: amount(s.Objects) * seconds, Errors: s.Errors}
		g.Segments = append(g.Segments, n)
		g.Bytes += n.Bytes
		g.Objects += n.Objects
	}
}

// parts is the throughput by host or client, of the whole run brought to the length of the window of g.
func (a *aggregatedStats) parts(g *Group, by map[string]aggregatedThroughput) map[string]*Part {
	if len(by) == 0 {
		return nil
	}
	m := make(map[string]*Part, len(by))
	for name, t := range by {
		p := &Part{Total: t.Ops + t.Errors, Failed: t.Errors}
		if d := millis(t.Millis); d > 0 {
			share := g.Window.Duration().Seconds() / d.Seconds()
			p.Bytes, p.Objects, p.Ops = amount(t.Bytes)*share, amount(t.Objects)*share, float64(t.Ops)*share
		}
		m[name] = p
	}
	return m
}

// times sets what is known of the times, and the sizes that are given with them.
func (a *aggregatedStats) times(g *Group) {
	var x Approx
	g.MinSize = math.MaxInt64
	for _, client := range slices.Sorted(maps.Keys(a.Spans)) {
		for i := range a.Spans[client] {
			a.Spans[client][i].add(g, &x)
		}
	}
	if g.MinSize > g.MaxSize {
		g.MinSize = g.MaxSize
	}
	if x.Latency.Requests > 0 {
		g.Approx = &x
		g.Considered = x.Latency.Requests
	}
}
