//go:build !linux

package load

import "time"

// fineTimer does nothing on this system: the timers of the runtime are used.
type fineTimer struct{}

func (*fineTimer) sleep(time.Duration) {}
func (*fineTimer) close()              {}
