//go:build unix

package observe

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestStoppedProcess stops a process that observes itself. How long it stood still lies between what its parent saw.
func TestStoppedProcess(t *testing.T) {
	const variable = "WARP_TEST_OBSERVED"
	if os.Getenv(variable) != "" {
		b := Start(Options{})
		_, _ = os.Stdout.WriteString("!")
		_, _ = io.Copy(io.Discard, os.Stdin)
		b.Stop()
		_ = json.NewEncoder(os.Stdout).Encode(b.Summary(time.Time{}, time.Time{}))
		os.Exit(0)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestStoppedProcess$")
	cmd.Env = append(os.Environ(), variable+"=1")
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(cmd.Process.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("status %v, %v", status, err)
	}
	stopped := time.Now()
	time.Sleep(stallLimit + 2*stallCheckInterval)
	least := time.Since(stopped) - stallCheckInterval
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_ = in.Close()
	var s Summary
	if err := json.NewDecoder(out).Decode(&s); err != nil {
		t.Fatal(err)
	}
	most := time.Since(before)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	switch l := s.Stalls; {
	case l == nil || l.Count < 1 || l.Seconds < least.Seconds() || l.Longest.Seconds > most.Seconds():
		t.Errorf("stood still %+v, want one of %v to %v", l, least, most)
	case l.Longest.Start.After(stopped):
		t.Errorf("stood still from %v on, it was stopped at %v", l.Longest.Start, stopped)
	case !limited(s, "the client process did not run for "):
		t.Errorf("the verdict is %q", s.Limits())
	}
}
