package compare

import (
	"cmp"
	"slices"
	"time"

	"warp/pkg/aggregate"
)

// rateSpread returns the spread of the average, or of the median segment, of a rate.
func rateSpread(m Metric, g *aggregate.Group, length time.Duration) (spread, bool) {
	n := len(g.Segments)
	if n < minSegments || length <= 0 {
		return spread{}, false
	}
	rates := make([]float64, n)
	for i := range rates {
		rates[i] = m.rate(&g.Segments[i], length)
	}
	if m.part == mean {
		return averageSpread(rates)
	}
	rank := rates
	if m.Unit == ObjectsPerSec && g.MovesBytes() { // the median segment is chosen by bytes
		rank = make([]float64, n)
		for i := range rank {
			rank[i] = g.Segments[i].Bytes
		}
	}
	return medianSpread(rates, rank)
}

// averageSpread returns the spread of the average of a series.
func averageSpread(rates []float64) (spread, bool) {
	n := len(rates)
	b := blockLength(rates)
	dev := bootstrap(n, b, 1, func(weights, result []float64) {
		result[0] = 0
		for i, w := range weights {
			result[0] += w * rates[i]
		}
		result[0] /= float64(n)
	})
	var avg float64
	for _, r := range rates {
		avg += r / float64(n)
	}
	return spreadOf(avg, dev[0], rates, b)
}

// medianSpread returns the spread of the rate of the median segment by rank.
func medianSpread(rates, rank []float64) (spread, bool) {
	n := len(rates)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	median := order[n/2]
	above := make([]float64, n) // the median moves with the share of segments above it
	for i := range above {
		if rank[i] > rank[median] {
			above[i] = 1
		}
	}
	b := max(blockLength(above), blockLength(rates))
	dev := bootstrap(n, b, 1, func(weights, result []float64) {
		seen := 0.0
		for _, i := range order {
			if seen += weights[i]; seen > float64(n/2) {
				result[0] = rates[i]
				return
			}
		}
	})
	return spreadOf(rates[median], dev[0], above, b)
}
