//go:build unix && !noembed

package embedded_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/embedded"
)

// startParent runs parentMain in a process group of its own, as a shell would.
func startParent(t *testing.T, env ...string) (*exec.Cmd, *bufio.Reader, report) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), parentMode+"=1"), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	r := bufio.NewReader(stdout)
	return cmd, r, hear(t, r)
}

func hear(t *testing.T, r *bufio.Reader) report {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("the parent says nothing: %v", err)
	}
	var rep report
	if err := json.Unmarshal([]byte(line), &rep); err != nil {
		t.Fatalf("the parent says %q: %v", line, err)
	}
	return rep
}

// eventually waits for something that another process does, which nothing tells of.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("not yet: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// dead reports whether pid has ended, with all its threads: its files are open until the last one is gone. It may still wait
// for a parent that collects it.
func dead(pid int) bool {
	s := status(pid)
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || strings.HasPrefix(s, "Z") && !strings.Contains(s, "l")
}

// state reports whether a process is in a state of ps.
func state(pid int, letter string) bool { return strings.HasPrefix(status(pid), letter) }

// status is the state of a process as ps prints it: one letter, and more, such as "l" for several threads.
func status(pid int) string {
	out, _ := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output() // fails if there is none
	return string(out)
}

func TestParentKilled(t *testing.T) {
	cmd, _, rep := startParent(t)
	if gone(rep.Dir) || dead(rep.Pid) {
		t.Fatalf("no server: %+v", rep)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "directory removed", func() bool { return gone(rep.Dir) })
	eventually(t, "child ended", func() bool { return dead(rep.Pid) })
}

func TestInterrupt(t *testing.T) {
	cmd, r, rep := startParent(t)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	hear(t, r) // the server outlived the interrupt
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if !gone(rep.Dir) || !dead(rep.Pid) {
		t.Errorf("something was left: %+v", rep)
	}
}

func TestChildIgnoresSignals(t *testing.T) {
	s := start(t, embedded.Options{})
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := syscall.Kill(s.Pid(), sig); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := connect(t, s, s.Access, s.Secret).ListBuckets(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestChildKilled(t *testing.T) {
	s := start(t, embedded.Options{})
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(s.Pid(), syscall.SIGQUIT); err != nil { // Go prints its stacks and ends
		t.Fatal(err)
	}
	<-s.Done()
	err := s.Err()
	if err == nil || !strings.Contains(err.Error(), "ended by itself") || !strings.Contains(err.Error(), `"SIGQUIT: quit"`) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error does not say so in one line: %v", err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("stop after the end: %v", err)
	}
	if !gone(s.Dir()) {
		t.Errorf("%s was left", s.Dir())
	}
}
