package load

import (
	"math"
	"time"
)

// Threads returns how many threads a shape has at most, each level rounded to the nearest number.
func (s Shape) Threads() int {
	most := float64(s.burst)
	for _, st := range s.stages {
		most = max(most, st.from, st.to)
	}
	return int(math.Round(min(most, math.MaxInt32)))
}

// above returns the first time from t on in which the level is at least so high, of one stage alone. Both are Never if there
// is none.
func (s Shape) above(level float64, t time.Duration) (from, to time.Duration) {
	base := time.Duration(0)
	if period := s.length(); s.repeat {
		base = t / period * period
	}
	for range 2 { // in a shape that repeats, what is left of this pass and the next one
		start := base
		for i, st := range s.stages {
			end := start + st.length
			if st.length == 0 {
				end = Never
			}
			from, to := st.above(level, start, end)
			if i == len(s.stages)-1 && !s.repeat && st.to >= level {
				to = Never // the last level stays
			}
			if from < to && to > t {
				return max(from, t), to
			}
			start = end
		}
		if !s.repeat {
			break
		}
		base = start
	}
	return Never, Never
}

// length returns the sum of the lengths of all stages.
func (s Shape) length() (sum time.Duration) {
	for _, st := range s.stages {
		sum += st.length
	}
	return sum
}

// above returns when the level of a stage from start to end is at least so high; the times are equal if it never is.
func (st stage) above(level float64, start, end time.Duration) (from, to time.Duration) {
	switch low, high := min(st.from, st.to), max(st.from, st.to); {
	case low >= level:
		return start, end
	case high < level:
		return start, start
	}
	reached := start + time.Duration((level-st.from)/(st.to-st.from)*float64(st.length))
	if st.to > st.from {
		return reached, end
	}
	return start, reached
}
