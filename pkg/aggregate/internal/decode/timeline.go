package decode

// Share returns the part of an operation's time that lies between from and to, 0 to 1. An operation without duration
// counts wholly where it happened, from included and to not.
func Share(start, end, from, to int64) float64 {
	if start == end {
		if from <= start && start < to {
			return 1
		}
		return 0
	}
	d := min(end, to) - max(start, from)
	if d <= 0 {
		return 0
	}
	return float64(d) / float64(end-start)
}

// Timeline is a sequence of segments of one length: number i begins at from + i*length.
type Timeline struct {
	From   int64
	Length int64
	N      int
}

// StartedIn returns the index of the segment where an operation started; -1 if none.
func (t Timeline) StartedIn(start int64) int {
	return t.index(start - t.From)
}

// EndedIn returns the index of the segment where an operation ended; -1 if none. One that ends on a boundary counts
// in the segment before, where it ran, unless it has no duration.
func (t Timeline) EndedIn(start, end int64) int {
	if end == start {
		return t.index(end - t.From)
	}
	return t.index(end - t.From - 1)
}

func (t Timeline) index(offset int64) int {
	if t.N == 0 || offset < 0 || offset/t.Length >= int64(t.N) {
		return -1
	}
	return int(offset / t.Length)
}

// Around returns the index of the segment that contains the whole operation, as is usual; -1 if there is none, or it is
// not obvious.
func (t Timeline) Around(start, end int64) int {
	i := t.StartedIn(start)
	if i < 0 || end == start || end > t.From+int64(i+1)*t.Length {
		return -1
	}
	return i
}

// FloorDiv divides and rounds down; b is positive.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
