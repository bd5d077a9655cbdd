//go:build unix

package testkit

import (
	"syscall"
	"testing"
	"time"
)

// ProcessorTime returns the processor time that this process took so far. Unlike the time of day, it hardly depends on what
// else runs on the machine: benchmarks that compare measure it.
func ProcessorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
