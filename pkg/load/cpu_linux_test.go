package load

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time that this process took so far.
func processorTime(tb testing.TB) time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &at); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(at.Nano())
}
