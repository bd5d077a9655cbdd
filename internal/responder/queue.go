package responder

import (
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/op"
)

// Queue returns the rule of a store that serves requests of one kind by a number of servers with a common queue. The n-th request takes
// service(n) of a server; others are answered at once.
func Queue(kind op.Kind, servers int, service func(n uint64) time.Duration) Rule {
	var mu sync.Mutex
	free := make([]time.Time, servers) // when each server is free
	return func(k op.Kind, n uint64) Fault {
		if k != kind {
			return Fault{}
		}
		mu.Lock()
		defer mu.Unlock()
		now, first := clock.Now(), &free[0]
		for i := range free {
			if free[i].Before(*first) {
				first = &free[i]
			}
		}
		if first.Before(now) {
			*first = now
		}
		*first = first.Add(service(n))
		return Fault{Delay: first.Sub(now)}
	}
}

// Always returns the service times of a store where every request takes the same time.
func Always(d time.Duration) func(uint64) time.Duration {
	return func(uint64) time.Duration { return d }
}
