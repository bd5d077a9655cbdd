package aggregate

// grown returns s with at least n+1 elements.
func grown[T any](s []T, n int) []T {
	if n < len(s) {
		return s
	}
	return append(s, make([]T, n+1-len(s))...)
}
