package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/units"
)

// Formats are the reports of other tools that As writes.
func Formats() []string { return []string{"hsbench", "osb", "s3bench"} }

// As writes the measured operations of s in the format of another tool, for programs that read it. Figures are those of the
// active window. Intervals are segments, whose times need aggregate.Options.SegmentTimes. JSON exists for hsbench only.
func As(w io.Writer, format string, json bool, s *aggregate.Snapshot) error {
	all := slices.DeleteFunc(slices.Clone(s.Groups), isPreparation)
	measured := slices.DeleteFunc(slices.Clone(all), func(g *aggregate.Group) bool { return g.Window.Duration() == 0 })
	switch {
	case format == "hsbench" && json:
		return writeJSON(w, "hsbench report", hsbenchRows(all, s.Segment))
	case format == "hsbench":
		return hsbenchCSV(w, hsbenchRows(all, s.Segment))
	case format == "osb":
		return osb(w, measured, s.Segment)
	}
	return s3bench(w, measured)
}

// hsbenchRow is a row of hsbench, under its own names in JSON.
type hsbenchRow struct {
	Loop          int
	IntervalName  string
	Seconds       float64
	Mode          string
	Ops           int64
	Mbps          float64
	Iops          float64
	MinLat        float64
	AvgLat        float64
	NinetyNineLat float64
	MaxLat        float64
	Slowdowns     int64
}

// hsbenchHead is the first line of its CSV, as that tool spells it.
var hsbenchHead = strings.Split("Loop,Inteval,Duration(s),Mode,Ops,MB/s,IO/s,Min Latency (ms),Avg Latency(ms),99% Latency(ms),Max Latency(ms),Slowdowns", ",")

// hsbenchRows returns a row for each segment of each kind, and one for all of its window; or, where there are too few operations for one, as when buckets
// are made, how many there were from the first start to the last end.
func hsbenchRows(groups []*aggregate.Group, segment time.Duration) []hsbenchRow {
	rows := []hsbenchRow{}
	for _, g := range groups {
		loop := loopOf(g, groups)
		row := func(name string, d time.Duration, ops, errors int64, bytes float64, h *hist.Histogram) {
			r := hsbenchRow{Loop: loop, IntervalName: name, Seconds: d.Seconds(), Mode: hsbenchMode(g), Ops: ops, Slowdowns: errors}
			r.Mbps, r.Iops = units.Finite(bytes/units.MiB/d.Seconds()), units.Finite(float64(ops)/d.Seconds())
			if h.Count() > 0 {
				r.MinLat, r.AvgLat, r.MaxLat = milliseconds(float64(h.Min())), milliseconds(h.Mean()), milliseconds(float64(h.Max()))
				r.NinetyNineLat = milliseconds(rankOf(h, 99))
			}
			rows = append(rows, r)
		}
		for i := range g.Segments {
			s := &g.Segments[i]
			row(strconv.Itoa(i), segment, s.Ended, s.Errors, s.Bytes, s.Latency)
		}
		if g.Window.Duration() == 0 {
			row("TOTAL", g.Last.Sub(g.First), g.Requests-g.Errors, g.Errors, 0, nil)
			continue
		}
		row("TOTAL", g.Window.Duration(), int64(g.Ops+0.5), g.Errors, g.Bytes, g.Latency)
	}
	return rows
}

// loopOf returns the number of the loop, from 0, that a phase belongs to: of phases that differ only in the number behind their names, as those of a
// scenario's repeat do, the place in the order of time.
func loopOf(g *aggregate.Group, groups []*aggregate.Group) (loop int) {
	for _, o := range groups {
		if o.Kind == g.Kind && o.Phase != g.Phase && repeated(o.Phase) == repeated(g.Phase) && o.First.Before(g.First) {
			loop++
		}
	}
	return loop
}

// repeated returns the name of a phase without the number of its pass.
func repeated(phase string) string {
	base := strings.TrimRight(phase, "0123456789")
	if name, ok := strings.CutSuffix(base, "-"); ok && base != phase {
		return name
	}
	return phase
}

// hsbenchMode returns the name of a kind of operation. Deletions that clear buckets are those of a phase of that name.
func hsbenchMode(g *aggregate.Group) string {
	k := g.Kind
	switch k.Unlabelled() {
	case op.Delete:
		if strings.HasPrefix(g.Phase, "BCLR") {
			return "BCLR"
		}
		return "DEL"
	case op.CreateBucket:
		return "BINIT"
	case op.DeleteBucket:
		return "BDEL"
	}
	return string(k.Unlabelled())
}

func hsbenchCSV(w io.Writer, rows []hsbenchRow) error {
	out := csv.NewWriter(w)
	_ = out.Write(hsbenchHead) // Flush keeps the error
	two := func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
	for _, r := range rows {
		_ = out.Write([]string{
			strconv.Itoa(r.Loop), r.IntervalName, two(r.Seconds), r.Mode, strconv.FormatInt(r.Ops, 10), two(r.Mbps), two(r.Iops),
			two(r.MinLat), two(r.AvgLat), two(r.NinetyNineLat), two(r.MaxLat), strconv.FormatInt(r.Slowdowns, 10),
		})
	}
	out.Flush()
	return out.Error()
}

// rankOf returns a percentile, however few values there are: other tools print all of them.
func rankOf(h *hist.Histogram, p float64) float64 {
	v, _ := h.Percentile(p)
	return float64(v)
}

// s3bench writes a result block for each kind.
func s3bench(w io.Writer, groups []*aggregate.Group) error {
	var b strings.Builder
	for _, g := range groups {
		name := map[op.Kind]string{op.Put: "Write", op.Get: "Read"}[g.Kind.Unlabelled()]
		name = cmp.Or(name, string(g.Kind))
		d := g.Window.Duration().Seconds()
		fmt.Fprintf(&b, "Results Summary for %s Operation(s)\nTotal Transferred: %.3f MB\nTotal Throughput:  %.2f MB/s\nOps/sec:  %.2f ops/s\nTotal Duration:    %.3f s\nNumber of Errors:  %d\n%s\n",
			name, g.Bytes/units.MiB, units.Finite(g.Bytes/units.MiB/d), units.Finite(g.Ops/d), d, g.Errors, strings.Repeat("-", 36))
		line := func(what string, ns float64) { fmt.Fprintf(&b, "%s times %-11s%.4f s\n", name, what, ns/1e9) }
		if h := g.Latency; h.Count() > 0 {
			line("Max:", float64(h.Max()))
			for _, p := range []float64{99, 90, 75, 50, 25} {
				line(fmt.Sprintf("%gth %%ile:", p), rankOf(h, p))
			}
			line("Min:", float64(h.Min()))
		}
		b.WriteString("\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// osbPercentiles are the columns behind mean and max.
var osbPercentiles = []percentile{{"p999", 99.9}, {"p99", 99}, {"p98", 98}, {"p95", 95}, {"p90", 90}, {"p50", 50}}

// osbEvery is how often the head of the table is repeated, in rows.
const osbEvery = 25

// osb writes a table for each kind: a row for each segment, and the last one for all of its window.
func osb(w io.Writer, groups []*aggregate.Group, segment time.Duration) error {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "Statement finished: %s\n\n", g.Name())
		for i := range g.Segments {
			if i%osbEvery == 0 {
				b.WriteString(osbHead())
			}
			s, left := &g.Segments[i], g.Window.Duration()-time.Duration(i+1)*segment
			osbRow(&b, units.Seconds(max(0, left)), s.Ended, s.Latency, s.TTFB, g.Threads, s.Bytes, s.Ended+s.Errors, s.ErrorsByClass)
		}
		if len(g.Segments) == 0 {
			b.WriteString(osbHead())
		}
		osbRow(&b, "FINAL", int64(g.Ops+0.5), g.Latency, g.TTFB, g.Threads, g.Bytes, int64(g.Ops+0.5)+g.Errors, g.ErrorsByClass)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// osbHead returns the two lines above the columns.
func osbHead() string {
	names := func() string {
		text := fmt.Sprintf("%9s | %9s", "mean", "max")
		for _, p := range osbPercentiles {
			text += fmt.Sprintf(" | %9s", p.name)
		}
		return text
	}
	width := len(names())
	return fmt.Sprintf("%20s‖ %-*s‖ %s\n", "", width+1, "Request Duration [ms]", "Time to 1st bytes [ms]") +
		fmt.Sprintf("%8s | %8s ‖ %s ‖ %s ‖ concurr | %8s | req's ‖ errors\n", "", "count", names(), names(), "bytes")
}

func osbRow(b *strings.Builder, name string, count int64, duration, ttfb *hist.Histogram, threads int, bytes float64, requests int64, byClass map[string]int64) {
	times := func(h *hist.Histogram) string {
		if h.Count() == 0 {
			return strings.TrimSuffix(strings.Repeat(fmt.Sprintf("%9.2f | ", 0.0), len(osbPercentiles)+2), " | ")
		}
		text := fmt.Sprintf("%9.2f | %9.2f", milliseconds(h.Mean()), milliseconds(float64(h.Max())))
		for _, p := range osbPercentiles {
			text += fmt.Sprintf(" | %9.2f", milliseconds(rankOf(h, p.p)))
		}
		return text
	}
	codes := make(map[int]int64)
	for class, n := range byClass {
		code, _ := strconv.Atoi(strings.Split(class, " ")[0]) // 0: not by HTTP
		codes[code] += n
	}
	var errors []string
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		errors = append(errors, fmt.Sprintf("%d:%d", code, codes[code]))
	}
	fmt.Fprintf(b, "%7s  | %8d ‖ %s ‖ %s ‖ %7d | %6.1fMB | %5d ‖ %s\n", name, count, times(duration), times(ttfb), threads, bytes/1e6, requests, strings.Join(errors, ", "))
}
