package load

import (
	"fmt"
	"math"
	"time"
)

// maxRate is one turn per nanosecond, the resolution of time.Duration.
const maxRate = 1e9

type rate struct{ perSecond float64 }

// Rate returns a schedule of evenly spaced turns: turn n is due n/perSecond seconds after the start. It is computed
// from n, so that no error accumulates over a long run. perSecond may be a fraction (0.5 is a turn every two seconds),
// above 0 and at most 1e9.
func Rate(perSecond float64) (Schedule, error) {
	if !(perSecond > 0 && perSecond <= maxRate) { // also rejects NaN
		return nil, fmt.Errorf("invalid rate %v (want more than 0 and at most %.0e operations per second)", perSecond, maxRate)
	}
	return rate{perSecond}, nil
}

// Due returns the time after the start, or the longest duration (292 years) on overflow.
func (r rate) Due(n uint64) time.Duration {
	due := float64(n) * float64(time.Second) / r.perSecond
	if due >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(due)
}
