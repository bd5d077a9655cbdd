package search

import "math"

// confirmed reports whether a confirmation met the objectives, early and late.
func (s *state) confirmed(o *Observation) bool { return s.meets(o) && s.trend(o) == 0 }

// trend returns by how much the logarithm of the share of bad operations changed in a second of a long trial; 0: not certain. It is
// Kendall's test of the order of equal parts, which one bad second does not decide.
func (s *state) trend(o *Observation) float64 {
	_, binding := s.crossing()
	if binding >= len(o.Counts) || len(o.Counts[binding]) < trendBlocks {
		return 0
	}
	blocks := o.Counts[binding]
	parts, halves := make([]Count, trendBlocks), [2]float64{}
	for i, b := range blocks {
		parts[i*trendBlocks/len(blocks)].add(b)
		halves[2*i/len(blocks)] += b.Bad
	}
	rising := 0.0
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			switch {
			case b.Share() > a.Share():
				rising++
			case b.Share() < a.Share():
				rising--
			}
		}
	}
	const n = float64(trendBlocks)
	if math.Abs(rising) <= trendCertain*math.Sqrt(n*(n-1)*(2*n+5)/18) {
		return 0
	}
	return math.Log((halves[1]+1)/(halves[0]+1)) / (o.Duration.Seconds() / 2)
}
