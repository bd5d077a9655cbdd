package responder

import (
	"math"
	"sync"
	"time"

	"warp/internal/clock"
)

// slowest is the least part of its speed that a model keeps.
const slowest = 0.05

// Drifting returns the service times of a store that gets slower by a part of its first speed in each second from the first request on;
// faster if that is negative.
func Drifting(service func(n uint64) time.Duration, perSecond float64) func(uint64) time.Duration {
	return overTime(service, func(at time.Duration) float64 { return 1 - perSecond*at.Seconds() })
}

// RarelyBad returns the service times of a store that has a part of its speed in the last moments of each period; the first period
// begins with the first request.
func RarelyBad(service func(n uint64) time.Duration, every, length time.Duration, speed float64) func(uint64) time.Duration {
	return overTime(service, func(at time.Duration) float64 {
		if at%every >= every-length {
			return speed
		}
		return 1
	})
}

// overTime divides service times by a speed, which varies with the time since the first request.
func overTime(service func(n uint64) time.Duration, speed func(at time.Duration) float64) func(uint64) time.Duration {
	begun := sync.OnceValue(clock.Now)
	return func(n uint64) time.Duration {
		first := begun()
		return time.Duration(float64(service(n)) / math.Max(slowest, speed(clock.Now().Sub(first))))
	}
}
