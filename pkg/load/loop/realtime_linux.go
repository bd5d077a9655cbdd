package loop

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// realtimePriority is above ordinary threads, and below those of the kernel.
const realtimePriority = 20

// CheckRealtime returns an error if the system does not let a loop have a real-time priority.
func CheckRealtime() error {
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine
		failed <- setRealtime()
	}()
	return <-failed
}

// setRealtime gives the present thread a real-time priority. Threads that it starts have none.
func setRealtime() error {
	return unix.SchedSetAttr(0, &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: realtimePriority,
	}, 0)
}
