package responder

import (
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/op"
)

// Hung returns a rule that delays the response to request n of a kind by d. All others follow rule.
func Hung(kind op.Kind, n uint64, d time.Duration, rule Rule) Rule {
	return func(k op.Kind, i uint64) Fault {
		f := rule(k, i)
		if k == kind && i == n {
			f.Delay += d
		}
		return f
	}
}

// Frozen returns a rule that answers no request of a kind between two times after the first one came. Requests that come meanwhile, or
// would be answered then, wait until the second time. All others follow rule.
func Frozen(kind op.Kind, from, until time.Duration, rule Rule) Rule {
	var once sync.Once
	var began time.Time
	return func(k op.Kind, i uint64) Fault {
		f := rule(k, i)
		if k != kind {
			return f
		}
		now := clock.Now()
		once.Do(func() { began = now })
		if answered := now.Add(f.Delay).Sub(began); answered > from && answered < until {
			f.Delay = until - now.Sub(began)
		}
		return f
	}
}
