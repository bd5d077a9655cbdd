package lean

import (
	"math/rand/v2"
	"time"

	"warp/internal/clock"
)

// arrivals converts the kernel's stamps, which are of the system's clock, into times of clock.Now.
type arrivals struct {
	compared time.Time     // when the clocks were compared last
	offset   time.Duration // from clock.Now to the system's clock then
}

// slewing is how much the offset changes, apart from one part in slewParts of the time, while the system's clock is only slewed.
const (
	slewing   = time.Millisecond
	slewParts = 1000
)

// compare reads both clocks. steady is false if the system's clock was set since the last time.
func (a *arrivals) compare() (now, wall time.Time, steady bool) {
	now, wall = clock.Both()
	offset := wall.Sub(now)
	steady = (offset - a.offset).Abs() <= slewing+now.Sub(a.compared)/slewParts
	a.compared, a.offset = now, offset
	return now, wall, steady
}

// stampedOf is how many exchanges there are for each one whose response is stamped: a stamp costs 0.3 µs, 4% of a small GET.
const stampedOf = 16

// sample chooses one exchange in each group of a size, at random since their kinds may take turns.
type sample struct {
	of     uint64
	n      uint64 // exchanges so far
	chosen uint64 // of the present group
}

func (s *sample) next() bool {
	i := s.n % s.of
	if s.n++; i == 0 {
		s.chosen = rand.Uint64N(s.of)
	}
	return i == s.chosen
}

// at returns when something arrived, by its stamp in nanoseconds of the system's clock. It is zero, unknown, without a stamp, and where
// that makes no sense since the clock was set: before the start of the exchange, or still to come.
func (a *arrivals) at(stamp int64, start time.Time) time.Time {
	if stamp == 0 {
		return time.Time{}
	}
	now, wall, steady := a.compare()
	ago := time.Duration(wall.UnixNano() - stamp)
	t := now.Add(-ago)
	if !steady || ago < 0 || t.Before(start) {
		return time.Time{}
	}
	return t
}
