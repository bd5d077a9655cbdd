package decode

import "slices"

// GrowTo returns s with at least n+1 elements.
func GrowTo[T any](s []T, n int) []T {
	if n < len(s) {
		return s
	}
	return append(s, make([]T, n+1-len(s))...)
}

// Union returns the elements of both in ascending order, each once.
func Union[T string | uint32](a, b []T) []T {
	u := slices.Concat(a, b)
	slices.Sort(u)
	return slices.Compact(u)
}
