package compare

import (
	"maps"
	"slices"

	"warp/pkg/aggregate"
)

// bucket is the number of values from (included) to from + width.
type bucket struct {
	from, width int64
	count       float64
}

// times holds the histograms of a run's segments, of latency or time to first byte, on one common grid of buckets.
type times struct {
	from, width []float64 // of the buckets, ascending
	index       [][]int32 // for each segment, its buckets
	count       [][]float64
	total       []float64 // for each segment, requests
	sum         []float64 // for each segment, of all their times
}

// timesOf extracts the histograms of a group's segments; nil if there are none.
func timesOf(g *aggregate.Group, src source) *times {
	n := len(g.Segments)
	counts, sums := make([][]bucket, n), make([]float64, n)
	found := false
	var list []bucket
	for i := range g.Segments {
		h := g.Segments[i].Latency
		if src == firstByte {
			h = g.Segments[i].TTFB
		}
		list = list[:0]
		for v, count := range h.Buckets {
			list = append(list, bucket{v, h.Width(v), float64(count)})
		}
		counts[i] = slices.Clone(list)
		sums[i] = float64(h.Count()) * h.Mean()
		found = found || len(list) > 0
	}
	if !found {
		return nil
	}
	return newTimes(counts, sums)
}

// newTimes puts the counts of the segments on a common grid. sums are the exact sums of the times.
func newTimes(counts [][]bucket, sums []float64) *times {
	grid := make(map[int64]int64) // from, width
	for _, list := range counts {
		for _, b := range list {
			grid[b.from] = b.width
		}
	}
	n := len(counts)
	l := &times{index: make([][]int32, n), count: make([][]float64, n), total: make([]float64, n), sum: sums}
	place := make(map[int64]int32, len(grid))
	for i, from := range slices.Sorted(maps.Keys(grid)) {
		place[from] = int32(i)
		l.from = append(l.from, float64(from))
		l.width = append(l.width, float64(grid[from]))
	}
	for i, list := range counts {
		l.index[i], l.count[i] = make([]int32, len(list)), make([]float64, len(list))
		for k, b := range list {
			l.index[i][k], l.count[i][k] = place[b.from], b.count
			l.total[i] += b.count
		}
	}
	return l
}

// merged adds up the counts of the segments, each multiplied by its weight, and returns their number and average.
func (l *times) merged(weights, counts []float64) (total, avg float64) {
	clear(counts)
	var sum float64
	for i, w := range weights {
		if w == 0 {
			continue
		}
		total += w * l.total[i]
		sum += w * l.sum[i]
		index := l.index[i]
		count := l.count[i][:len(index)] // no check of bounds in the loop that takes most of a comparison's time
		for k, at := range index {
			counts[at] += w * count[k]
		}
	}
	if total == 0 {
		return 0, 0
	}
	return total, sum / total
}

// percentiles computes the percentiles ps, which are ascending, in percent. They are interpolated within a bucket, to follow changes
// smaller than a bucket.
func (l *times) percentiles(counts []float64, total float64, ps, result []float64) {
	next, below := 0, 0.0
	for i, c := range counts {
		for next < len(ps) && c > 0 && below+c >= ps[next]/100*total {
			result[next] = l.from[i] + l.width[i]*(ps[next]/100*total-below)/c
			next++
		}
		below += c
	}
}

// beyond returns, for each segment, its excess of requests above v over the overall share: its influence on a
// percentile of value v.
func (l *times) beyond(v, share float64) []float64 {
	z := make([]float64, len(l.total))
	for i := range z {
		z[i] = -share * l.total[i]
		for k, at := range l.index[i] {
			above := (l.from[at] + l.width[at] - v) / l.width[at]
			z[i] += l.count[i][k] * min(max(above, 0), 1)
		}
	}
	return z
}

// timeMetrics returns the metrics of a source that a run can be resampled for: names and percentages of the
// percentiles, ascending, then the average as the last name.
func timeMetrics(src source) (names []string, ps []float64) {
	var average string
	for _, m := range metrics {
		switch {
		case m.source != src:
		case m.part > 0:
			names, ps = append(names, m.Name), append(ps, m.part)
		case m.part == mean:
			average = m.Name
		}
	}
	return append(names, average), ps
}

// spreads returns the spreads of the metrics of a source, by name; nil if there are too few segments.
func (l *times) spreads(src source) map[string]spread {
	n := len(l.total)
	if n < minSegments {
		return nil
	}
	names, ps := timeMetrics(src)
	counts := make([]float64, len(l.from))
	compute := func(weights, result []float64) {
		total, avg := l.merged(weights, counts)
		if total > 0 { // otherwise nothing ended in the drawn segments; keep the previous result
			l.percentiles(counts, total, ps, result)
			result[len(ps)] = avg
		}
	}
	values := make([]float64, len(names))
	compute(slices.Repeat([]float64{1}, n), values)

	influences, noises := l.influences(ps, values), l.noises(ps)
	b := 1 // all metrics share the resampling, and the longest block that any of them needs
	for _, z := range influences {
		b = max(b, blockLength(z))
	}
	dev := bootstrap(n, b, len(names), compute)
	spreads := make(map[string]spread, len(names))
	for i, name := range names {
		if s, ok := spreadOf(values[i], dev[i], influences[i], noises[i], b); ok {
			spreads[name] = s
		}
	}
	return spreads
}

// influences returns the influence of each segment on the percentiles and, last, on the average, given their values.
func (l *times) influences(ps, values []float64) [][]float64 {
	list := make([][]float64, len(values))
	for i, p := range ps {
		list[i] = l.beyond(values[i], 1-p/100)
	}
	avg := make([]float64, len(l.total))
	for k := range avg {
		avg[k] = l.sum[k] - values[len(ps)]*l.total[k]
	}
	list[len(ps)] = avg
	return list
}

// noises returns the variances that single requests cause in the influences of segments: as if the requests of a segment were drawn
// independently.
func (l *times) noises(ps []float64) []float64 {
	var requests, squares float64
	n := float64(len(l.total))
	for i, total := range l.total {
		requests += total / n
		if total == 0 {
			continue
		}
		avg := l.sum[i] / total
		for k, at := range l.index[i] {
			d := l.from[at] + l.width[at]/2 - avg
			squares += l.count[i][k] * d * d / n
		}
	}
	list := make([]float64, 0, len(ps)+1)
	for _, p := range ps {
		list = append(list, requests*p/100*(1-p/100))
	}
	return append(list, squares)
}
