package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/trace"
	"warp/pkg/units"
)

// traceReport is the description of a trace being printed.
type traceReport struct {
	*printer
	s *trace.Summary
}

// Trace prints the description of a trace, for people.
func Trace(w io.Writer, s *trace.Summary, o TextOptions) error {
	p := &traceReport{newPrinter(o.Color, o.Width), s}
	p.line(p.head, fmt.Sprintf("Trace (%s): %s in %s, from %s", strings.Join(s.Formats, ", "), units.Plural(s.Operations, "operation"),
		units.Span(s.Span), p.begin(o.Location)))
	p.rates()
	p.blank()
	p.kinds()
	p.objects()
	p.clients()
	p.series()
	p.records()
	_, err := w.Write(p.buf.Bytes())
	return err
}

// begin is when the trace begins; traces without dates begin soon after 1970.
func (p *traceReport) begin(zone *time.Location) string {
	if p.s.Begin.Year() < 1980 {
		return "an unknown time"
	}
	if zone != nil {
		return p.s.Begin.In(zone).Format("2006-01-02 15:04:05 MST")
	}
	return p.s.Begin.Format("2006-01-02 15:04:05 MST")
}

func (p *traceReport) rates() {
	var moved int64
	for _, k := range p.s.Kinds {
		moved += k.Bytes
	}
	if seconds := p.s.Span.Seconds(); seconds > 0 {
		p.line(nil, fmt.Sprintf(" * Mean rate: %s op/s, %s", units.PerSecond(float64(p.s.Operations)/seconds),
			units.Throughput(float64(moved)/seconds)))
	}
	if p.s.LongestPause > time.Second {
		p.line(nil, " * Longest pause between two operations: "+units.Span(p.s.LongestPause))
	}
	if p.s.Pauses > 0 {
		p.line(nil, fmt.Sprintf(" * %s shortened to %s", units.Plural(p.s.Pauses, "pause"), units.Span(p.s.Selection.CompressIdle)))
	}
}

func (p *traceReport) kinds() {
	rows := [][]string{{"Kind", "Operations", "Share", "Failed", "Bytes", "Mean size", "p50", "p99", "Largest", "Latency p50", "p99 "}}
	for _, k := range p.s.Kinds {
		row := []string{
			string(k.Kind), strconv.FormatInt(k.Operations, 10), units.Percent(k.Operations, p.s.Operations),
			strconv.FormatInt(k.Failed, 10),
		}
		if k.Size == (trace.Quantiles{}) {
			row = append(row, missing, missing, missing, missing, missing)
		} else {
			row = append(row, units.Size(k.Bytes), units.Size(int64(k.Size.Mean)), units.Size(k.Size.P50), units.Size(k.Size.P99),
				units.Size(k.Size.Max))
		}
		if k.Latency == (trace.Quantiles{}) {
			row = append(row, missing, missing)
		} else {
			row = append(row, units.Duration(time.Duration(k.Latency.P50)), units.Duration(time.Duration(k.Latency.P99)))
		}
		rows = append(rows, row)
	}
	p.table(rows, firstColumn, "p50", "Mean size", "p99", "Failed")
	for _, k := range p.s.Kinds {
		if k.Ranges > 0 {
			p.line(nil, fmt.Sprintf(" * %d of %s read a part of an object", k.Ranges, units.Plural(k.Operations, string(k.Kind))))
		}
		if k.NoSize > 0 {
			p.line(p.warn, fmt.Sprintf(" * %d of %s have no size", k.NoSize, units.Plural(k.Operations, string(k.Kind))))
		}
	}
	p.blank()
}

func (p *traceReport) objects() {
	o := &p.s.Objects
	p.line(p.head, "Objects")
	p.line(nil, fmt.Sprintf(" * %s, %s at their largest: %d written, %d read, %d used once", units.Plural(o.Count, "object"),
		units.Size(o.Bytes), o.Written, o.Read, o.Once))
	p.line(nil, fmt.Sprintf(" * Read before they are written: %d, %s", o.First, units.Size(o.FirstBytes)))
	p.line(nil, fmt.Sprintf(" * Skew: the most used 1%% have %s of the operations, the most used 10%% %s, the most used one %s",
		share(o.Top1), share(o.Top10), share(o.Hottest)))
	if w := &p.s.WorkingSet; len(w.Objects) > 1 {
		p.line(nil, fmt.Sprintf(" * Working set in %s: at most %s, %s", units.Span(w.Interval), units.Plural(slices.Max(w.Objects), "object"),
			units.Size(slices.Max(w.Bytes))))
	}
	if n := p.s.Missing; n > 0 {
		p.line(nil, fmt.Sprintf(" * On objects that are not there: %s", units.Plural(n, "operation")))
	}
	if n := o.Prefixes; n > 0 {
		p.line(nil, fmt.Sprintf(" * Prefixes of listings: %d", n))
	}
	if n := p.s.PartsLeft; n > 0 {
		p.line(nil, fmt.Sprintf(" * %s of uploads that the trace does not complete", units.Plural(n, "part")))
	}
	p.blank()
}

func share(v float64) string { return units.Percent(int64(v*1e6+0.5), 1e6) }

func (p *traceReport) clients() {
	c := &p.s.Clients
	p.line(p.head, "Clients")
	text := " * " + units.Plural(c.Count, "client")
	if p.s.ManyClients {
		text += " or more; some count as one"
	}
	p.line(nil, text)
	if p.s.WithLatency == 0 {
		p.line(nil, " * The trace has no latencies, so it does not show how many requests were in flight")
		p.blank()
		return
	}
	p.line(nil, fmt.Sprintf(" * Requests in flight: %s on average, %d at most; of one client at most %d, of the median client at most %d",
		units.PerSecond(p.s.MeanAtOnce), p.s.AtOnce, c.AtOnce.Max, c.AtOnce.P50))
	p.blank()
}

// rateRows is the maximum number of rows in the table of rates.
const rateRows = 12

// series prints rates by time.
func (p *traceReport) series() {
	r := &p.s.Rates
	if len(r.Operations) < 2 || p.s.Span < time.Second {
		return
	}
	each := (len(r.Operations) + rateRows - 1) / rateRows
	row := time.Duration(each) * r.Interval
	rows := [][]string{{"From", "op/s", "MiB/s"}}
	for i, last := 0, 0; last < len(r.Operations); i = last {
		from := time.Duration(i) * r.Interval
		if last = min(i+each, len(r.Operations)); p.s.Span-time.Duration(last)*r.Interval < row/2 {
			last = len(r.Operations) // the rest is too short for a rate of its own
		}
		length := min(time.Duration(last)*r.Interval, p.s.Span) - from
		var operations, moved int64
		for k := i; k < last; k++ {
			operations, moved = operations+r.Operations[k], moved+r.Bytes[k]
		}
		rows = append(rows, []string{
			units.Span(from), units.PerSecond(float64(operations) / length.Seconds()),
			units.MiBs(float64(moved)/length.Seconds(), 2),
		})
	}
	p.line(p.head, "Rates by time")
	p.table(rows, firstColumn)
	p.blank()
}

func (p *traceReport) records() {
	p.line(p.head, "Records")
	p.line(nil, fmt.Sprintf(" * %s read", units.Plural(p.s.Records, "record")))
	if p.s.Malformed > 0 {
		p.line(p.warn, fmt.Sprintf(" * %s could not be read; the first:", units.Plural(p.s.Malformed, "record")))
		for _, text := range p.s.First {
			p.line(p.warn, "   "+text)
		}
	}
	for _, text := range p.s.Notes {
		p.line(p.warn, " * "+text)
	}
	if len(p.s.Skipped) > 0 {
		var items []string
		for _, name := range slices.Sorted(maps.Keys(p.s.Skipped)) {
			items = append(items, fmt.Sprintf("%d × %s", p.s.Skipped[name], name))
		}
		p.list(nil, " * Left out, since they are no operations on objects: ", items)
	}
	if n := p.s.TemporaryFiles; n > 0 {
		p.line(nil, fmt.Sprintf(" * Sorted in %s of %s", units.Plural(int64(n), "temporary file"), units.Size(p.s.TemporaryBytes)))
	}
}

// traceJSON is the object that TraceJSON writes.
type traceJSON struct {
	Version     int    `json:"version"`
	WarpVersion string `json:"warp_version"`
	Command     string `json:"command"`
	*trace.Summary
}

// TraceJSON writes the description of a trace as one indented JSON object and a newline.
func TraceJSON(w io.Writer, s *trace.Summary, warpVersion string) error {
	return writeJSON(w, "trace", traceJSON{1, warpVersion, "trace", s})
}
