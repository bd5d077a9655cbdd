package loop

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// realtimePriority is above all ordinary threads, and below the threads of the kernel that are at real-time priority by default.
const realtimePriority = 20

// CheckRealtime returns an error if loops cannot have a real-time priority.
func CheckRealtime() error {
	if runtime.GOMAXPROCS(0) < 2 {
		return errors.New("only one processor (want at least 2: recording and statistics need one)")
	}
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		failed <- setRealtime()
	}()
	return <-failed
}

// setRealtime gives the present thread a real-time priority. Threads that it starts have none.
func setRealtime() error {
	err := unix.SchedSetAttr(0, &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Flags: unix.SCHED_FLAG_RESET_ON_FORK, Priority: realtimePriority,
	}, 0)
	if err != nil {
		return fmt.Errorf("sched_setattr: %w (want CAP_SYS_NICE, or at least %d by ulimit -r)", err, realtimePriority)
	}
	return nil
}
