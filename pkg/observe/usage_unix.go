//go:build unix

package observe

import (
	"time"

	"golang.org/x/sys/unix"
)

func processUsage() (usage, bool) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return usage{}, false
	}
	return usage{
		user:        time.Duration(r.Utime.Nano()),
		system:      time.Duration(r.Stime.Nano()),
		voluntary:   uint64(r.Nvcsw),
		involuntary: uint64(r.Nivcsw),
		switches:    true,
	}, true
}
