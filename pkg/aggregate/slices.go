package aggregate

import "slices"

// grown returns s with at least n+1 elements.
func grown[T any](s []T, n int) []T {
	if n < len(s) {
		return s
	}
	return append(s, make([]T, n+1-len(s))...)
}

// union returns the elements of both in ascending order, each once.
func union[T string | uint32](a, b []T) []T {
	u := slices.Concat(a, b)
	slices.Sort(u)
	return slices.Compact(u)
}
