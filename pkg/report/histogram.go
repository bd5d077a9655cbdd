package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"warp/pkg/hist"
	"warp/pkg/units"
)

// bars are the eighths of a cell.
const bars = " ▏▎▍▌▋▊▉█"

// barCells is the length of the longest bar of a histogram.
const barCells = 40

// histograms prints how many operations of each kind had which latency, if that is asked for: in buckets that end at 1, 2 and 5 times
// a power of ten.
func (r *textReport) histograms() {
	if !r.o.Histogram {
		return
	}
	for _, one := range r.rows() {
		g := one.group
		if g.Kind == "" || g.Latency.Count() == 0 {
			continue
		}
		name := one.name
		if r.several {
			name = units.Line(one.phase) + " " + name
		}
		r.line(r.title, "Latency of "+name)
		for _, line := range histogramLines(g.Latency) {
			r.emit(nil, line)
		}
	}
}

// histogramLines returns a line for each bucket from the first to the last that has values.
func histogramLines(h *hist.Histogram) (lines []string) {
	bounds := bucketBounds(h.Min(), h.Max())
	counts := make([]int64, len(bounds))
	largest := int64(0)
	for value, n := range h.Buckets {
		k := 0
		for k < len(bounds)-1 && value > bounds[k] {
			k++
		}
		counts[k] += n
		largest = max(largest, counts[k])
	}
	for k, n := range counts {
		eighths := int(math.Ceil(8 * barCells * float64(n) / float64(largest)))
		bar := strings.Repeat("█", eighths/8)
		if rest := eighths % 8; rest > 0 {
			bar += string([]rune(bars)[rest])
		}
		line := fmt.Sprintf("  ≤ %6s  %6s  %s", units.Duration(time.Duration(bounds[k])), units.Percent(n, h.Count()), bar)
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// bucketBounds returns 1, 2 and 5 times the powers of ten, from the first that is at least from to the first that is at least to.
func bucketBounds(from, to int64) (list []int64) {
	for power := int64(1); power <= math.MaxInt64/10; power *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			bound := digit * power
			if bound >= from {
				list = append(list, bound)
			}
			if bound >= to {
				return list
			}
		}
	}
	return append(list, to)
}
