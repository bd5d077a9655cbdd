//go:build unix

package faults

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/pkg/op"
)

// TestStandstill stops a run for five seconds, as a paused machine does, in a closed and in an open loop: the verdict says so,
// on the screen and when the recording is analyzed.
func TestStandstill(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"closed loop": nil, "open loop": {"--rps-limit=100"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := runLocal(t, measuring, "1h", args...)
			l.send(syscall.SIGSTOP)
			time.Sleep(5 * time.Second)
			l.send(syscall.SIGCONT)
			l.store.goesOn(op.Get, 10)
			l.send(syscall.SIGINT)
			l.ends(130)
			again := start(t, "analyze", l.dir, nil, nil, "analyze", "run.csv.zst")
			again.ends(0)
			for _, text := range []string{l.out.String(), again.out.String()} {
				m := regexp.MustCompile(`(?m)^Warning: client-limited: .*did not run for (\d+)(\.\d+)?s `).FindStringSubmatch(text)
				if m == nil {
					t.Error("the report does not say that the client stood still")
				} else if seconds, _ := strconv.Atoi(m[1]); seconds < 4 { // all but the tenth of a second between two looks at the clock
					t.Errorf("it stood still for %d seconds", seconds)
				}
			}
		})
	}
}

// TestEmbeddedKilled kills the embedded server of a run that would go on for an hour: it ends at once, says so in one line and
// reports what was measured.
func TestEmbeddedKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p, left := runEmbedded(t, dir, "50")
	recorded(t, dir)
	kill(t, childOf(t, p))
	p.ends(1)
	p.reported(true)
	if ops := recordings(t, dir, false); count(ops) == 0 {
		t.Error("nothing is recorded")
	}
	said := p.err.String()
	if strings.Count(said, "the embedded server ended by itself: signal: killed") != 1 || strings.Contains(said, "could not be removed") {
		t.Error("the error is not said once")
	}
	if !strings.Contains(p.out.String(), "Warning: the store ended before the run did") {
		t.Error("the report does not say why it is short")
	}
	if !gone(left) {
		t.Errorf("%s is left", left)
	}
}

// childOf is the process id of the server that a run started.
func childOf(t *testing.T, p *process) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "pid=", "--ppid", strconv.Itoa(p.cmd.Process.Pid)).Output()
	if err != nil {
		t.Skipf("ps does not list children here: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatalf("children %q", out)
	}
	return pid
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
