package compare

import "slices"

// holm corrects a p-value for multiple tests (Holm, 1979): the smallest of the family is multiplied by their number,
// the next by one less, and so on; none ends up below a smaller one. p may belong to the family or stand in for a
// member.
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
