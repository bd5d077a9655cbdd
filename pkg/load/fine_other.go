//go:build !linux

package load

import "time"

// fineTimer does nothing here; the timers of the runtime have to do.
type fineTimer struct{}

func (*fineTimer) sleep(time.Duration) {}
func (*fineTimer) close()              {}
