package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"warp/pkg/aggregate"
)

// pairTest compares two single runs.
type pairTest struct {
	before, after *single
	confidence    float64
}

func (t pairTest) test(m Metric, c *Change, _, _ values) {
	c.Before.N, c.After.N = len(t.before.Segments), len(t.after.Segments)
	switch {
	case m.extreme():
		c.Note = "not tested: a single run does not show how far an extreme strays"
	case min(c.Before.N, c.After.N) < minSegments:
		c.TooFew = true
		c.Note = fmt.Sprintf("too few samples: %d and %d segments, need at least %d (longer runs or shorter segments have more)",
			c.Before.N, c.After.N, minSegments)
	case m.source == ownPart:
		c.Note = "not tested: the client's own part is not kept by segment"
	case t.before.known(m) && t.after.known(m):
	case m.source == firstByte:
		c.Note = "not tested: no times to first byte by segment"
	default:
		c.Note = "not tested: the latencies of segments were not computed"
	}
	if c.Note != "" || c.refuse(m) {
		return
	}
	b, okB := t.before.spread(m)
	a, okA := t.after.spread(m)
	if !okB || !okA {
		c.Note = "not tested: its variation is unknown"
		return
	}
	c.Before.N, c.After.N = b.segments, a.segments
	if t.before.slow(m, b) || t.after.slow(m, a) {
		c.Verdict = Correlated
		c.Note = "too correlated: segments resemble their neighbours too much for a test, as in slow waves or a drift; longer runs say more"
		return
	}
	d := welch(c.Before.Value, c.After.Value, b, a, t.confidence)
	c.setP(d.p)
	c.setCI(d.ci.Low, d.ci.High)
}

// difference is the test of a change between two single runs.
type difference struct {
	p  float64
	ci Interval // of the relative change
}

// welch compares two figures by their spreads on a logarithmic scale, where a relative change is a difference, the same
// in either direction. Degrees of freedom by Welch and Satterthwaite.
func welch(before, after float64, b, a spread, confidence float64) difference {
	change := math.Log(after) - math.Log(before)
	vb, va := b.relative*b.relative, a.relative*a.relative
	se := math.Sqrt(vb + va)
	if se == 0 { // neither run varies at all
		d := difference{p: 1, ci: Interval{math.Expm1(change), math.Expm1(change)}}
		if change != 0 {
			d.p = 0
		}
		return d
	}
	df := (vb + va) * (vb + va) / (vb*vb/b.df + va*va/a.df)
	t := StudentQuantile(1-confidence, df)
	return difference{
		p:  studentTail(math.Abs(change)/se, df),
		ci: Interval{math.Expm1(change - t*se), math.Expm1(change + t*se)},
	}
}

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
		return averageSpread(rates, requestNoise(g))
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

// requestNoise returns the variance that single requests cause in the rate of a segment, as a share of the square of the rate: the number
// of completions in a closed loop, as that of renewals, strays by the coefficient of variation of a latency, divided by the root of the
// number.
func requestNoise(g *aggregate.Group) float64 {
	h := g.Latency
	if h.Count() == 0 || h.Mean() == 0 {
		return 0
	}
	cv := h.StdDev() / h.Mean()
	return cv * cv * float64(len(g.Segments)) / float64(h.Count())
}

// averageSpread returns the spread of the average of a series. noise is a part of its variance, see requestNoise.
func averageSpread(rates []float64, noise float64) (spread, bool) {
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
	s, ok := spreadOf(avg, dev[0], rates, noise*avg*avg, b)
	s.varies = math.Sqrt(max(0, autocovariances(rates, 1)[1])) / avg
	return s, ok
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
	return spreadOf(rates[median], dev[0], above, 0, b)
}
