package load

import (
	"math"
	"sort"
	"time"
)

// Schedule returns the time, from the start, at which turn n of the whole load is due. It is a pure, non-decreasing
// function of n. A nil Schedule is a closed loop: a worker starts its next turn as soon as the previous one ends.
type Schedule interface {
	Due(n uint64) time.Duration
}

// Never is when a turn is due that no schedule reaches.
const Never time.Duration = math.MaxInt64

// Turns returns how many turns are due before a time since the start; at most 2^48.
func Turns(s Schedule, before time.Duration) uint64 {
	return uint64(sort.Search(1<<48, func(n int) bool { return s.Due(uint64(n)) >= before }))
}
