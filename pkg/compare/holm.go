package compare

import "slices"

// holm corrects p-values for being several (Holm, 1979): the smallest is multiplied by their number, the next by one
// less, and so on; none ends up below a smaller one. Family is those that count; p may be one of them or stand in for one.
func holm(p float64, family []float64) float64 {
	sorted := slices.Sorted(slices.Values(family))
	adjusted, left := 0.0, len(sorted)
	for _, q := range sorted {
		if q >= p {
			break
		}
		adjusted = max(adjusted, q*float64(left))
		left--
	}
	return min(1, max(adjusted, p*float64(max(left, 1))))
}
