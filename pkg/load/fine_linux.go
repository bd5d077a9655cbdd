package load

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// fineTimer is a timer of the kernel, late by some 50 µs. The waiting goroutine is parked in the runtime's network
// poller, so that it blocks no thread, as a sleeping system call would. The zero value is ready.
type fineTimer struct {
	fd     int
	file   *os.File // of fd
	broken bool     // no kernel timer: use the timers of the runtime
	count  [8]byte
}

// sleep waits for d. It may return early.
func (f *fineTimer) sleep(d time.Duration) {
	if f.file == nil && !f.broken {
		f.open()
	}
	if f.broken {
		return
	}
	at := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(1, d)))} // 0 would disarm it
	if err := unix.TimerfdSettime(f.fd, 0, &at, nil); err != nil {
		f.broken = true
		return
	}
	if _, err := f.file.Read(f.count[:]); err != nil {
		f.broken = true
	}
}

func (f *fineTimer) open() {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		f.broken = true
		return
	}
	f.fd, f.file = fd, os.NewFile(uintptr(fd), "timer")
}

func (f *fineTimer) close() {
	if f.file != nil {
		_ = f.file.Close() // nothing was written that could be lost
	}
}
