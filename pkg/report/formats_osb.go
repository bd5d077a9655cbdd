package report

import (
	"cmp"
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
)

// osbPercentiles are the columns behind mean and max.
var osbPercentiles = []percentile{{"p999", 99.9}, {"p99", 99}, {"p98", 98}, {"p95", 95}, {"p90", 90}, {"p50", 50}}

// osbEvery is how often the head of the table is repeated, in rows.
const osbEvery = 25

// osb writes what object-store-bench prints: a table for each statement.
func osb(w io.Writer, r *ToolRun) error {
	var b strings.Builder
	if p := r.Plan; p != nil {
		fmt.Fprintf(&b, "Initializing benchmark...\n  implementation : warp / %s \n  region         : %s \n"+
			"  base uri       : %s \n  bucket         : %s \n\n", p.Engine, p.Region, strings.Join(p.Hosts, ", "), p.Bucket)
	}
	for _, e := range r.operations() {
		ph := r.phase(e.Phase)
		statement := cmp.Or(ph.Statement, strings.TrimSpace(e.Phase+" "+string(e.Kind)))
		fmt.Fprintf(&b, "Starting script statement: %s ...\n\n", statement)
		for _, seed := range ph.Seeds {
			b.WriteString(SeedLine(ph.Naming, seed) + "\n")
		}
		osbTable(&b, e, r.Interval, ph.Runtime)
		fmt.Fprintf(&b, "Statement finished: %s\n\n\n", statement)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// SeedLine returns the line of object-store-bench about the seed of names.
func SeedLine(naming, seed string) string {
	return fmt.Sprintf("Naming strategy '%s' uses seed %q", naming, seed)
}

// osbTable writes a row for each interval, and the final one. As in the tool, count, durations and errors are of the statement so far;
// concurrency, bytes and requests are since the row before. The rows of a statement with a runtime begin with the time that remains,
// and its last interval is in the final row.
func osbTable(b *strings.Builder, e *aggregate.Entire, interval, runtime time.Duration) {
	rows := len(e.Intervals) - 1
	if runtime > 0 {
		rows = min(rows, max(0, int((runtime-1)/interval)))
	}
	b.WriteString(osbHead())
	var sum aggregate.Interval
	for i := range rows {
		if i > 0 && i%osbEvery == 0 {
			b.WriteString(osbHead())
		}
		sum.Merge(&e.Intervals[i])
		name := ""
		if runtime > 0 {
			name = (runtime - time.Duration(i+1)*interval).Round(time.Millisecond).String()
		}
		osbRow(b, fmt.Sprintf("%8s ", name), e.Kind, &sum, &e.Intervals[i])
	}
	var last aggregate.Interval
	for i := rows; i < len(e.Intervals); i++ {
		last.Merge(&e.Intervals[i])
	}
	osbRow(b, "  FINAL  ", e.Kind, &e.Total, &last)
}

// osbHead returns the two lines above the columns.
func osbHead() string {
	names := fmt.Sprintf("%9s | %9s", "mean", "max")
	for _, p := range osbPercentiles {
		names += fmt.Sprintf(" | %9s", p.name)
	}
	return fmt.Sprintf("%20s‖ %-*s‖ %s\n", "", len(names)+1, "Request Duration [ms]", "Time to 1st bytes [ms]") +
		fmt.Sprintf("%8s | %8s ‖ %s ‖ %s ‖ concurr | %8s | req's ‖ errors\n", "", "count", names, names, "bytes")
}

// osbRow writes a row: what happened so far, and what of it in the last interval.
func osbRow(b *strings.Builder, name string, kind op.Kind, sum, last *aggregate.Interval) {
	ttfb := sum.TTFB
	if kind == op.Delete {
		ttfb = nil // the tool measures none
	}
	fmt.Fprintf(b, "%s| %8d ‖ %s ‖ %s ‖ %7d | %8s | %5d ‖ %s\n",
		name, sum.Ops, osbTimes(sum.Service), osbTimes(ttfb),
		last.InFlight, osbSize(last.Bytes), last.Ops+last.Errors, osbErrors(sum.ErrorsByClass))
}

// osbTimes returns the columns of one kind of times, zeros if there are none.
func osbTimes(h *hist.Histogram) string {
	text := fmt.Sprintf("%9.2f | %9.2f", milliseconds(h.Mean()), milliseconds(float64(h.Max())))
	for _, p := range osbPercentiles {
		text += fmt.Sprintf(" | %9.2f", milliseconds(rankOf(h, p.p)))
	}
	return text
}

// osbSize returns bytes in the tool's units, powers of 1024.
func osbSize(bytes int64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%dB", bytes)
	}
	size, unit := float64(bytes)/1024, "kB"
	for _, larger := range []string{"MB", "GB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, larger
	}
	return fmt.Sprintf("%.1f%s", size, unit)
}

// osbErrors returns the numbers of errors by HTTP status; 0: without one.
func osbErrors(byClass map[string]int64) string {
	codes := make(map[int]int64)
	for class, n := range byClass {
		code, _ := strconv.Atoi(strings.Split(class, " ")[0])
		codes[code] += n
	}
	var errors []string
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		errors = append(errors, fmt.Sprintf("%d:%d", code, codes[code]))
	}
	return strings.Join(errors, ", ")
}
