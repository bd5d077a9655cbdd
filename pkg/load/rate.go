package load

import (
	"fmt"
	"math"
	"time"
)

// maxRate is one turn each nanosecond, the finest that times can tell.
const maxRate = 1e9

type rate struct{ perSecond float64 }

// Rate is a schedule of evenly spaced turns: turn n is due n/perSecond seconds after the start. It is computed from n,
// so that nothing adds up over a long run. perSecond may be a fraction (0.5 is a turn every two seconds), above 0 and at
// most 1e9.
func Rate(perSecond float64) (Schedule, error) {
	if !(perSecond > 0 && perSecond <= maxRate) { // also refuses NaN
		return nil, fmt.Errorf("rate of %v operations per second is impossible: it must be above 0 and at most %.0e", perSecond, maxRate)
	}
	return rate{perSecond}, nil
}

// Due is the time after the start, or the longest time there is (292 years) if it is above that.
func (r rate) Due(n uint64) time.Duration {
	due := float64(n) * float64(time.Second) / r.perSecond
	if due >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(due)
}
