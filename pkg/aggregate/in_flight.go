package aggregate

import (
	"time"

	"warp/pkg/aggregate/internal/decode"
)

// inFlight is how many operations of a client were in flight at moments a power of two milliseconds apart, in the order of time
// whatever the order of the operations. It takes 16 KB at most.
type inFlight struct {
	origin  int64   // number of the first moment
	step    int64   // between two moments, in milliseconds of Unix time; 0: nothing was recorded yet
	changes []int32 // how many more were in flight than at the moment before
}

// maxMoments is the maximum number of moments; beyond, every second one is dropped.
const maxMoments = 1 << 12

// add counts an operation. One without a moment between its start and its end was never seen.
func (u *inFlight) add(start, end int64) {
	if u.step == 0 {
		u.step = 1
		u.origin = u.moment(start)
	}
	from, to := u.moment(start), u.moment(end)
	for max(to, u.last())-min(from, u.origin) >= maxMoments {
		u.double()
		from, to = u.moment(start), u.moment(end)
	}
	if missing := u.origin - from; missing > 0 {
		u.changes = append(make([]int32, missing), u.changes...)
		u.origin = from
	}
	u.changes = decode.GrowTo(u.changes, int(to-u.origin))
	u.changes[from-u.origin]++
	u.changes[to-u.origin]--
}

// moment returns the number of the first moment at a time or after it.
func (u *inFlight) moment(at int64) int64 {
	step := u.step * int64(time.Millisecond)
	return -decode.FloorDiv(-at, step)
}

// last returns the number of the last moment.
func (u *inFlight) last() int64 { return u.origin + int64(max(1, len(u.changes))) - 1 }

// double drops the moments of odd numbers.
func (u *inFlight) double() {
	origin := -decode.FloorDiv(-u.origin, 2)
	var changes []int32
	for i, n := range u.changes {
		at := -decode.FloorDiv(-(u.origin + int64(i)), 2)
		changes = decode.GrowTo(changes, int(at-origin))
		changes[at-origin] += n
	}
	u.step, u.origin, u.changes = 2*u.step, origin, changes
}

// maximum returns the greatest number in flight; at least 1 if there were operations.
func (u *inFlight) maximum() int64 {
	if u.step == 0 {
		return 0
	}
	now, highest := int64(0), int64(1)
	for _, n := range u.changes {
		now += int64(n)
		highest = max(highest, now)
	}
	return highest
}
