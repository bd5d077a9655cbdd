package clock

import (
	"sync"
	"time"
)

// Every calls a function at intervals, until the function that it returns is called. That one waits for a call in progress.
func Every(interval time.Duration, do func()) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				do()
			}
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
