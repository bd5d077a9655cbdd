package aggregate

// share returns the part of an operation's time that lies between from and to, 0 to 1. An operation without duration
// counts wholly where it happened, from included and to not.
func share(start, end, from, to int64) float64 {
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

// timeline is a sequence of segments of one length: number i begins at from + i*length.
type timeline struct {
	from   int64
	length int64
	n      int
}

// startedIn returns the index of the segment in which an operation started; -1 if none.
func (t timeline) startedIn(start int64) int {
	return t.index(start - t.from)
}

// endedIn returns the index of the segment in which an operation ended; -1 if none. One that ends on a boundary counts
// in the segment before, in which it ran, unless it has no duration.
func (t timeline) endedIn(start, end int64) int {
	if end == start {
		return t.index(end - t.from)
	}
	return t.index(end - t.from - 1)
}

func (t timeline) index(offset int64) int {
	if t.n == 0 || offset < 0 || offset/t.length >= int64(t.n) {
		return -1
	}
	return int(offset / t.length)
}

// around returns the index of the segment that contains the whole operation, as is usual; -1 if there is none, or it is
// not obvious.
func (t timeline) around(start, end int64) int {
	i := t.startedIn(start)
	if i < 0 || end == start || end > t.from+int64(i+1)*t.length {
		return -1
	}
	return i
}

// floorDiv divides and rounds down; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
