package testkit

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime returns the processor time that this process took so far. Unlike the time of day, it hardly depends on what else runs on the
// machine: benchmarks that compare measure it.
func ProcessorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &at); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(at.Nano())
}
