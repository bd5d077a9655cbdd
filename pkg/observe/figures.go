package observe

// merged returns a copy of a with b added. If one is nil, it returns the other.
func merged[T any](a, b *T, add func(*T, *T)) *T {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	sum := *a
	add(&sum, b)
	return &sum
}

// weights are the shares of two intervals in their total time.
type weights struct{ first, second float64 }

func (w weights) mean(a, b float64) float64 { return w.first*a + w.second*b }

// percent returns part as a percentage of whole; 0 if whole is not positive.
func percent(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * part / whole
}

// increase returns the increase of a counter. A counter that decreased was reset: its increase is unknown and counts as 0.
func increase(before, now uint64) uint64 {
	if now < before {
		return 0
	}
	return now - before
}
