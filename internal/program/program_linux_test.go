package program

import (
	"context"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// sessions starts a process in a session of its own, and an orphan in another one.
const sessions = `setsid sh -c 'echo $$; exec sleep 1000' & (setsid sh -c 'echo $$; exec sleep 1000' &); echo $$; exec sleep 1000`

// TestStopOfSessions: what began a session of its own is ended too.
func TestStopOfSessions(t *testing.T) {
	t.Parallel()
	stops(t, sessions)
}

// TestKilledWithSessions does so when this process is killed.
func TestKilledWithSessions(t *testing.T) {
	t.Parallel()
	cmd, list := parent(t, sessions)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range list {
		until(t, "a process has ended", func() bool { return gone(pid) })
	}
}

// TestKilledKeeper: without its keeper a program is ended, and the run is told.
func TestKilledKeeper(t *testing.T) {
	t.Parallel()
	var out text
	ended := make(chan error, 1)
	go func() {
		ended <- Run(context.Background(), []string{"sh", "-c", "echo $$; exec sleep 1000"}, os.Environ(), &out)
	}()
	pid := pids(t, &out, 1)[0]
	keeper, ok := parentOf(pid)
	if !ok {
		t.Fatalf("process %d has no parent", pid)
	}
	if err := syscall.Kill(keeper, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the process that runs it has ended") {
		t.Errorf("error %v", err)
	}
	until(t, "the program has ended", func() bool { return gone(pid) })
}

// TestSignalsOfAProgram: a program ignores none of the signals that warp and the keeper do not want.
func TestSignalsOfAProgram(t *testing.T) {
	t.Parallel()
	var out text
	if err := Run(t.Context(), []string{"sed", "-n", "s/^SigIgn:[^0-9a-f]*//p", "/proc/self/status"}, os.Environ(), &out); err != nil {
		t.Fatal(err)
	}
	ignored, err := strconv.ParseUint(strings.TrimSpace(out.String()), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE} {
		if ignored&(1<<(s-1)) != 0 {
			t.Errorf("the program ignores signal %v", s)
		}
	}
}
