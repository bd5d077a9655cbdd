package loop

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A loop has a real-time priority where CheckRealtime says that it can, and fails to start elsewhere. What it starts has none.
func TestRealtime(t *testing.T) {
	start(t) // skips
	possible := CheckRealtime()
	l, err := New(true)
	if possible != nil {
		if err == nil || err.Error() != possible.Error() {
			t.Errorf("New: %v, want %v", err, possible)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	perform(l, func(task *Task) {
		if a, err := unix.SchedGetAttr(0, 0); err != nil || a.Policy != unix.SCHED_FIFO || a.Priority != realtimePriority {
			t.Errorf("priority of a loop %+v, %v, want %d of SCHED_FIFO", a, err, realtimePriority)
		}
		task.block(func() {
			if a, err := unix.SchedGetAttr(0, 0); err != nil || a.Policy != unix.SCHED_NORMAL {
				t.Errorf("priority of another thread %+v, %v, want an ordinary one", a, err)
			}
		})
	})
}
