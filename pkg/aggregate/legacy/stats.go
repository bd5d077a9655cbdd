package legacy

import (
	"maps"
	"math"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// earlySegments is how much too early the start of segments is in these files.
const earlySegments = 2 * time.Second

// file is an aggregated recording, as far as it is read. In segments, version 1 counts operations where version 2
// counts objects.
type file struct {
	V           int               `json:"v"`
	CommandLine string            `json:"commandline"`
	Version     string            `json:"warp_version"`
	Final       bool              `json:"final"`
	Total       *stats            `json:"total"`
	ByOp        map[string]*stats `json:"by_op_type"`
	Operations  []struct{}        `json:"operations"` // of earlier versions, whose reports had another format
}

// stats is the statistics of some operations.
type stats struct {
	Requests    int64                 `json:"total_requests"`
	Objects     int64                 `json:"total_objects"`
	Errors      int64                 `json:"total_errors"`
	Bytes       int64                 `json:"total_bytes"`
	Concurrency int                   `json:"concurrency"`
	Start       time.Time             `json:"start_time"`
	End         time.Time             `json:"end_time"`
	FirstErrors []string              `json:"first_errors"`
	Hosts       []string              `json:"hosts"`
	Clients     []string              `json:"clients"`
	Throughput  throughput            `json:"throughput"`
	ByHost      map[string]throughput `json:"throughput_by_host"`
	ByClient    map[string]throughput `json:"throughput_by_client"`
	Spans       map[string][]span     `json:"requests_by_client"`
}

type throughput struct {
	Millis    float64 `json:"measure_duration_millis"`
	Bytes     float64 `json:"bytes"`
	Objects   float64 `json:"objects"`
	Ops       int64   `json:"ops"`
	Errors    int64   `json:"errors"`
	Segmented *struct {
		Millis   float64   `json:"segment_duration_millis"`
		Segments []segment `json:"segments"`
	} `json:"segmented"`
}

type segment struct {
	Start   time.Time `json:"start"`
	Bytes   float64   `json:"bytes_per_sec"`
	Objects float64   `json:"obj_per_sec"`
	Errors  int64     `json:"errors"`
}

// length returns the length of a segment, 0 without segments.
func (t *throughput) length() time.Duration {
	if t.Segmented == nil || len(t.Segmented.Segments) == 0 {
		return 0
	}
	return millis(t.Segmented.Millis)
}

// millis returns a number of milliseconds as a duration, limited to a plausible range.
func millis(ms float64) time.Duration {
	return time.Duration(math.Round(min(max(ms, 0), 1e12) * float64(time.Millisecond)))
}

// amount returns bytes or objects, limited to a plausible range, so that sums stay finite.
func amount(n float64) float64 { return min(max(n, 0), 1e18) }

// group returns the statistics as a Group.
func (a *stats) group(kind op.Kind) *aggregate.Group {
	g := &aggregate.Group{
		Kind: kind, Requests: max(0, a.Requests), Errors: min(max(0, a.Errors), max(0, a.Requests)), First: a.Start.UTC(), Last: a.End.UTC(),
		Threads: a.Concurrency, ThreadIDs: map[string][]uint32{}, Clients: sorted(a.Clients), Hosts: sorted(a.Hosts),
	}
	if done := g.Requests - g.Errors; done > 0 && a.Objects > 0 {
		g.MinObjects = int(max(1, a.Objects/g.Requests))
		g.MaxObjects = int(max(1, math.Ceil(float64(a.Objects)/float64(g.Requests))))
	}
	for i, text := range a.FirstErrors {
		if i == aggregate.MaxErrorSamples {
			break
		}
		g.FirstErrors = append(g.FirstErrors, aggregate.ErrorSample{Time: g.First, Err: text})
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
func (t *throughput) fill(g *aggregate.Group) {
	length := t.length()
	if length <= 0 { // too short a run for segments: use the averages of the whole run
		if d := millis(t.Millis); d > 0 {
			g.Window = aggregate.Window{Start: g.First, End: g.First.Add(d), Loose: true}
			g.Bytes, g.Objects = amount(t.Bytes), amount(t.Objects)
		}
		return
	}
	segments := slices.Clone(t.Segmented.Segments)
	slices.SortStableFunc(segments, func(a, b segment) int { return a.Start.Compare(b.Start) })
	start := segments[0].Start.UTC().Add(earlySegments)
	g.Window = aggregate.Window{Start: start, End: start.Add(time.Duration(len(segments)) * length)}
	for _, s := range segments {
		seconds := length.Seconds()
		n := aggregate.Segment{Bytes: amount(s.Bytes) * seconds, Objects: amount(s.Objects) * seconds, Errors: s.Errors}
		g.Segments = append(g.Segments, n)
		g.Bytes += n.Bytes
		g.Objects += n.Objects
	}
}

// parts returns the throughput by host or client, scaled from the whole run to the window of g.
func (a *stats) parts(g *aggregate.Group, by map[string]throughput) map[string]*aggregate.Part {
	if len(by) == 0 {
		return nil
	}
	m := make(map[string]*aggregate.Part, len(by))
	for name, t := range by {
		p := &aggregate.Part{Total: t.Ops + t.Errors, Failed: t.Errors}
		if d := millis(t.Millis); d > 0 {
			share := g.Window.Duration().Seconds() / d.Seconds()
			p.Bytes, p.Objects, p.Ops = amount(t.Bytes)*share, amount(t.Objects)*share, float64(t.Ops)*share
		}
		m[name] = p
	}
	return m
}

// times sets the times, and the sizes that come with them.
func (a *stats) times(g *aggregate.Group) {
	var x aggregate.Approx
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

// span is the requests of one client in ten seconds: all of one size, or of several. An entry that was merged from n
// entries holds the sums of their averages and percentiles.
type span struct {
	Single *oneSize   `json:"single_sized_requests"`
	Multi  *manySizes `json:"multi_sized_requests"`
}

type oneSize struct {
	Requests  int64   `json:"requests"`
	Size      int64   `json:"obj_size"`
	Merged    int64   `json:"merged_entries"`
	Average   float64 `json:"dur_avg_millis"`
	Median    float64 `json:"dur_median_millis"`
	P90       float64 `json:"dur_90_millis"`
	P99       float64 `json:"dur_99_millis"`
	Deviation float64 `json:"std_dev_millis"`
	Fastest   float64 `json:"fastest_millis"`
	Slowest   float64 `json:"slowest_millis"`
	FirstByte *ttfb   `json:"first_byte"`
}

type manySizes struct {
	BySize []struct {
		MinSize   int64   `json:"min_size"`
		MaxSize   int64   `json:"max_size"`
		Requests  int64   `json:"requests"`
		Merged    int64   `json:"merged_entries"`
		Average   float64 `json:"avg_duration_millis"`
		FirstByte *ttfb   `json:"first_byte"`
	} `json:"by_size"`
}

type ttfb struct {
	Average   float64 `json:"average_millis"`
	P25       float64 `json:"p25_millis"`
	Median    float64 `json:"median_millis"`
	P75       float64 `json:"p75_millis"`
	P90       float64 `json:"p90_millis"`
	P99       float64 `json:"p99_millis"`
	Deviation float64 `json:"std_dev_millis"`
	Fastest   float64 `json:"fastest_millis"`
	Slowest   float64 `json:"slowest_millis"`
}

// add adds the span's times to x and its sizes to g.
func (s *span) add(g *aggregate.Group, x *aggregate.Approx) {
	if r := s.Single; r != nil && r.Requests > 0 {
		n := float64(max(1, r.Merged))
		add(&x.Latency, aggregate.ApproxTimes{
			Requests: r.Requests, Mean: millis(r.Average / n), StdDev: millis(r.Deviation / n), Min: millis(r.Fastest), Max: millis(r.Slowest),
			P50: millis(r.Median / n), P90: millis(r.P90 / n), P99: millis(r.P99 / n),
		})
		r.FirstByte.add(x, r.Requests, n)
		addSizes(g, r.Size, r.Size)
	}
	if s.Multi == nil {
		return
	}
	for _, r := range s.Multi.BySize {
		if r.Requests > 0 {
			n := float64(max(1, r.Merged))
			add(&x.Latency, aggregate.ApproxTimes{Requests: r.Requests, Mean: millis(r.Average / n)})
			r.FirstByte.add(x, r.Requests, n)
			addSizes(g, r.MinSize, r.MaxSize)
		}
	}
}

// addSizes extends the range of sizes of g.
func addSizes(g *aggregate.Group, lowest, highest int64) {
	g.MinSize, g.MaxSize = min(g.MinSize, max(0, lowest)), max(g.MaxSize, highest)
}

// add adds the times to first byte of a number of requests, merged from n entries.
func (t *ttfb) add(x *aggregate.Approx, requests int64, n float64) {
	if t == nil {
		return
	}
	add(&x.TTFB, aggregate.ApproxTimes{
		Requests: requests, Mean: millis(t.Average / n), StdDev: millis(t.Deviation / n), Min: millis(t.Fastest), Max: millis(t.Slowest),
		P25: millis(t.P25 / n), P50: millis(t.Median / n), P75: millis(t.P75 / n), P90: millis(t.P90 / n), P99: millis(t.P99 / n),
	})
}

// add adds the requests of o to a.
func add(a *aggregate.ApproxTimes, o aggregate.ApproxTimes) {
	switch {
	case o.Requests == 0:
		return
	case a.Requests == 0:
		*a = o
		return
	}
	n, m := float64(a.Requests), float64(o.Requests)
	average := func(x, y time.Duration) time.Duration {
		return time.Duration((n*float64(x) + m*float64(y)) / (n + m))
	}
	percentile := func(x *time.Duration, y time.Duration) {
		if *x == 0 || y == 0 {
			*x = 0 // unknown for a part means unknown for the whole
			return
		}
		*x = average(*x, y)
	}
	mean := average(a.Mean, o.Mean)
	// The total variance is that within the parts plus that between their means.
	square := func(dev, part time.Duration) float64 {
		return float64(dev)*float64(dev) + float64(part-mean)*float64(part-mean)
	}
	a.StdDev = time.Duration(math.Sqrt((n*square(a.StdDev, a.Mean) + m*square(o.StdDev, o.Mean)) / (n + m)))
	a.Mean = mean
	if a.Max == 0 || o.Max == 0 {
		a.StdDev, a.Min, a.Max = 0, 0, 0
	} else {
		a.Min, a.Max = min(a.Min, o.Min), max(a.Max, o.Max)
	}
	percentile(&a.P25, o.P25)
	percentile(&a.P50, o.P50)
	percentile(&a.P75, o.P75)
	percentile(&a.P90, o.P90)
	percentile(&a.P99, o.P99)
	a.Requests += o.Requests
}
