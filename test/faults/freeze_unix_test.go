//go:build unix

package faults

import (
	"syscall"
	"testing"
	"time"

	"warp/pkg/op"
)

// TestTerminated tells one of two clients to end amid the benchmark: it stops and cleans up first, and ends well. The report
// is of the other client, says so, and so does the exit code.
func TestTerminated(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "INT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, begun, "8s")
			if err := s.far.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			s.far.ends(0)
			s.coordinator.ends(5)
			s.expect("^Clients: 1 of 2, ", "is left out of the result, because it measured only a part of the benchmark: the client is being shut down",
				"^warp: the result covers 1 of 2 clients$")
			if near, all := recordings(t, s.near.dir, false), recordings(t, s.dir, false); count(all) != count(near) {
				t.Errorf("%d operations in the recording of all, %d in that of the client that measured to the end", count(all), count(near))
			}
			if left := s.store.keys(); len(left) > 0 {
				t.Errorf("%d objects are left, such as %s", len(left), left[0])
			}
		})
	}
}

// TestStopped stops one of two clients for a while, as a paused machine is: the report says which, and that it was no fault of
// the server.
func TestStopped(t *testing.T) {
	t.Parallel()
	s := open(t, begun, "1h")
	if err := s.far.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Second)
	if err := s.far.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.store.goesOn(op.Get, 100)
	s.coordinator.send(syscall.SIGINT)
	s.coordinator.ends(130)
	s.expect("^Clients: 2 of 2, ", "client "+s.gate.addr+": .*client-limited.*did not run for")
}
