package page

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
)

// limits bound the columns of what a page holds.
type limits struct {
	columns int // of one chart
	all     int // of all charts together
}

var (
	fileLimits = limits{400, 2400} // about a point of the screen each; a run of a day takes less than a megabyte
	liveLimits = limits{240, 720}  // sent every second
)

// Limits of what a page holds.
const (
	maxCharts   = 64  // kinds of operations
	fewColumns  = 24  // that a chart has at least
	maxParts    = 24  // hosts, or clients, of a chart
	partColumns = 100 // of a host
)

// cell is the precision of rows of the heat map: four for each power of two.
const cell hist.Precision = 2

// chart is what is shown of a kind of operations over time and by percentile, with one figure for each column.
type chart struct {
	Op     string  `json:"op"`
	Phase  string  `json:"phase,omitempty"`
	Colour int     `json:"colour"` // in charts of several kinds
	Start  float64 `json:"start"`  // of the first column, in seconds of Unix time
	Step   float64 `json:"step_s"` // length of a column; the last may be shorter

	Bytes   figures `json:"bytes,omitempty"` // per second
	Objects figures `json:"objects"`
	Ops     figures `json:"ops"`

	P50  figures `json:"p50,omitempty"` // latency, ms
	P90  figures `json:"p90,omitempty"`
	P99  figures `json:"p99,omitempty"`
	P999 figures `json:"p99_9,omitempty"`
	Max  figures `json:"max,omitempty"`

	FirstByte50 figures `json:"ttfb_p50,omitempty"`
	FirstByte99 figures `json:"ttfb_p99,omitempty"`

	Heat     *heat               `json:"heat,omitempty"`
	Errors   []errorSeries       `json:"errors,omitempty"`
	Spectrum map[string]spectrum `json:"spectrum"`
	Hosts    []part              `json:"hosts,omitempty"`
	Clients  []part              `json:"clients,omitempty"`
}

// errorSeries is the failures of one class: pairs of a column and a count.
type errorSeries struct {
	Class string     `json:"class"`
	Count [][2]int64 `json:"count"`
}

// spectrum is a distribution: percents, and the value of each. It ends where fewer than ten values lie beyond.
type spectrum struct {
	Percent figures `json:"p"`
	Value   figures `json:"ms"`
}

// heat is latency over time: how many operations of each column lie in each row.
type heat struct {
	Bounds figures   `json:"bounds"` // ms, of rows: one more than there are rows
	Cells  [][]int64 `json:"cells"`  // by column: the first row that has any, and the counts from there on
}

// part is one host or client.
type part struct {
	Name     string   `json:"name"`
	Step     float64  `json:"step_s,omitempty"`
	Bytes    figures  `json:"bytes,omitempty"` // per second, by column
	Objects  figures  `json:"objects,omitempty"`
	Spectrum spectrum `json:"spectrum"`
}

// chartsOf returns the charts of a run, and how many kinds of operations have none.
func chartsOf(s *aggregate.Snapshot, l limits) (list []*chart, omitted int) {
	groups := slices.DeleteFunc(slices.Clone(s.Groups), func(g *aggregate.Group) bool { return g.Window.Duration() <= 0 })
	if omitted = max(0, len(groups)-maxCharts); omitted > 0 {
		groups = groups[:maxCharts]
	}
	columns := min(l.columns, max(fewColumns, l.all/max(1, len(groups))))
	for _, g := range groups {
		list = append(list, chartOf(g, s.Segment, columns))
	}
	return list, omitted
}

// sidesOf returns the charts of each side of a comparison. Its first run stands for all.
func sidesOf(sides []Side) (list []side) {
	l := fileLimits
	l.all /= max(1, len(sides))
	for _, s := range sides {
		one := side{Name: s.Name}
		if len(s.Runs) > 0 {
			one.Charts, one.Omitted = chartsOf(s.Runs[0], l)
		}
		for _, c := range one.Charts {
			c.Hosts, c.Clients, c.Heat = nil, nil, nil
		}
		list = append(list, one)
	}
	return list
}

// chartOf returns the chart of a kind of operations in at most a number of columns.
func chartOf(g *aggregate.Group, segment time.Duration, limit int) *chart {
	c := &chart{Op: string(g.Kind), Phase: g.Phase, Colour: g.Kind.Colour(), Start: unix(g.Window.Start), Spectrum: make(map[string]spectrum)}
	columns, each := aggregate.Columns(g.Segments, limit)
	c.Step = (time.Duration(each) * segment).Seconds()
	c.Bytes, c.Objects, c.Ops = rates(columns, each, len(g.Segments), segment)
	if !g.MovesBytes() {
		c.Bytes = nil
	}
	c.addTimes(columns)
	c.addErrors(columns)
	for name, h := range map[string]*hist.Histogram{"latency": g.Latency, "service": g.Service, "ttfb": g.TTFB, "own": g.Own.All} {
		c.addSpectrum(name, h)
	}
	if g.RepeatReads > 0 {
		c.addSpectrum("first", g.FirstAccess)
		c.addSpectrum("last", g.LastAccess)
	}
	c.Hosts = partsOf(g, g.ByHost, segment)
	c.Clients = partsOf(g, g.ByClient, segment)
	return c
}

// rates returns what was moved per second in each column. The last column may have fewer segments than the others.
func rates(columns []aggregate.Segment, each, segments int, segment time.Duration) (bytes, objects, ops figures) {
	for i := range columns {
		length := time.Duration(min(each, segments-i*each)) * segment
		p := aggregate.Part{Bytes: columns[i].Bytes, Objects: columns[i].Objects, Ops: float64(columns[i].Ended)}
		b, o, n := p.PerSecond(length)
		bytes, objects, ops = append(bytes, math.Round(b)), append(objects, math.Round(o*1000)/1000), append(ops, math.Round(n*1000)/1000)
	}
	return bytes, objects, ops
}

// addTimes adds latencies, if segments have them.
func (c *chart) addTimes(columns []aggregate.Segment) {
	if !slices.ContainsFunc(columns, func(s aggregate.Segment) bool { return s.Latency != nil }) {
		return
	}
	firstByte := slices.ContainsFunc(columns, func(s aggregate.Segment) bool { return s.TTFB != nil })
	for i := range columns {
		h := columns[i].Latency
		c.P50, c.P90 = append(c.P50, percentile(h, 50)), append(c.P90, percentile(h, 90))
		c.P99, c.P999 = append(c.P99, percentile(h, 99)), append(c.P999, percentile(h, 99.9))
		c.Max = append(c.Max, highest(h))
		if firstByte {
			c.FirstByte50 = append(c.FirstByte50, percentile(columns[i].TTFB, 50))
			c.FirstByte99 = append(c.FirstByte99, percentile(columns[i].TTFB, 99))
		}
	}
	c.Heat = heatOf(columns)
}

// percentile returns a percentile in ms, NaN with too few samples beyond it.
func percentile(h *hist.Histogram, p float64) float64 {
	v, enough := h.Percentile(p)
	if !enough {
		return math.NaN()
	}
	return milliseconds(v)
}

// highest returns the maximum in ms, NaN without samples.
func highest(h *hist.Histogram) float64 {
	if h.Count() == 0 {
		return math.NaN()
	}
	return milliseconds(h.Max())
}

// heatOf returns the heat map of columns: their histograms in rows that are whole buckets of them.
func heatOf(columns []aggregate.Segment) *heat {
	row := make(map[int64]int)
	var starts []int64
	coarse := make([]*hist.Histogram, len(columns))
	for i := range columns {
		coarse[i] = columns[i].Latency.Clone()
		coarse[i].Coarsen(cell)
		for value := range coarse[i].Buckets {
			row[value] = 0
		}
	}
	if len(row) == 0 {
		return nil
	}
	known := slices.Sorted(maps.Keys(row))
	width := hist.New(cell)
	var h heat
	for v := known[0]; v <= known[len(known)-1]; v += width.Width(v) {
		row[v] = len(starts)
		starts, h.Bounds = append(starts, v), append(h.Bounds, milliseconds(v))
	}
	last := known[len(known)-1]
	h.Bounds = append(h.Bounds, milliseconds(last+width.Width(last)))
	for _, c := range coarse {
		var cells []int64
		for value, n := range c.Buckets {
			if cells == nil {
				cells = append(cells, int64(row[value]))
			}
			for int(cells[0])+len(cells)-1 < row[value] {
				cells = append(cells, 0)
			}
			cells = append(cells, n)
		}
		h.Cells = append(h.Cells, cells)
	}
	return &h
}

// addErrors adds the failures of each class, the most frequent first.
func (c *chart) addErrors(columns []aggregate.Segment) {
	byClass := make(map[string]*errorSeries)
	total := make(map[string]int64)
	for i := range columns {
		for class, n := range columns[i].ErrorsByClass {
			if byClass[class] == nil {
				byClass[class] = &errorSeries{Class: class}
			}
			byClass[class].Count = append(byClass[class].Count, [2]int64{int64(i), n})
			total[class] += n
		}
	}
	for _, s := range byClass {
		c.Errors = append(c.Errors, *s)
	}
	slices.SortFunc(c.Errors, func(a, b errorSeries) int {
		return cmp.Or(cmp.Compare(total[b.Class], total[a.Class]), cmp.Compare(a.Class, b.Class))
	})
}

// addSpectrum adds a distribution, unless it is empty.
func (c *chart) addSpectrum(name string, h *hist.Histogram) {
	if h.Count() > 0 {
		c.Spectrum[name] = spectrumOf(h, 12)
	}
}

// spectrumOf returns a distribution with a number of points for each factor of ten in what lies beyond.
func spectrumOf(h *hist.Histogram, points float64) (s spectrum) {
	for k := 0.0; ; k++ {
		p := 100 * (1 - math.Pow(10, -k/points))
		v := milliseconds(h.Min())
		if k > 0 {
			ns, enough := h.Percentile(p)
			if !enough {
				return s
			}
			v = milliseconds(ns)
		}
		s.Percent, s.Value = append(s.Percent, p), append(s.Value, v)
	}
}

// partsOf returns hosts or clients by name; none if there is only one.
func partsOf(g *aggregate.Group, parts map[string]*aggregate.Part, segment time.Duration) (list []part) {
	if len(parts) < 2 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(parts))[:min(len(parts), maxParts)] {
		p := parts[name]
		out := part{Name: name}
		if p.Latency.Count() > 0 {
			out.Spectrum = spectrumOf(p.Latency, 6)
		}
		if len(p.Series) > 0 {
			columns, each := aggregate.Columns(p.Series, partColumns)
			out.Step = (time.Duration(each) * segment).Seconds()
			out.Bytes, out.Objects, _ = rates(columns, each, len(p.Series), segment)
			if g.MovesBytes() {
				out.Objects = nil
			} else {
				out.Bytes = nil
			}
		}
		list = append(list, out)
	}
	return list
}
