//go:build unix

package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"warp/internal/child"
)

// asParent makes this test program one that runs a shell script, the value, and nothing else.
const asParent = "PROGRAM_TEST_PARENT"

func TestMain(m *testing.M) {
	signal.Ignore(syscall.SIGPIPE) // as warp does
	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, Keeper); ran {
		os.Exit(code)
	}
	if os.Getenv(asParent) != "" {
		if err := Run(context.Background(), []string{"sh", "-c", os.Getenv(asParent)}, os.Environ(), os.Stdout); err != nil {
			fmt.Println(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// text is an output that is read while it is written.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(b)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// until waits for something that another process does.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timeout waiting until %s", what)
		}
	}
}

// pids waits for n lines with process ids.
func pids(t *testing.T, out *text, n int) (list []int) {
	t.Helper()
	until(t, "all processes run", func() bool { return strings.Count(out.String(), "\n") == n })
	for line := range strings.Lines(out.String()) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, pid)
	}
	return list
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command []string
		env     []string
		out     string
		err     string
	}{
		"output":   {[]string{"sh", "-c", "echo a b; echo c >&2"}, nil, "a b\nc\n", ""},
		"argument": {[]string{"printf", "%s|", "a b", "", "$X\n"}, nil, "a b||$X\n|", ""},
		"input":    {[]string{"cat"}, nil, "", ""},
		"code":     {[]string{"sh", "-c", "exit 3"}, nil, "", "sh -c exit 3: exit status 3"},
		"signal":   {[]string{"sh", "-c", "kill -9 $$"}, nil, "", "sh -c kill -9 $$: signal: killed"},
		"missing":  {[]string{"no-such-program"}, nil, "", `no-such-program: exec: "no-such-program": executable file not found in $PATH`},
		"variable": {[]string{"sh", "-c", "echo $A-$B-$HOME"}, []string{"A=1", "B=2 3"}, "1-2 3-\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out text
			err := Run(t.Context(), c.command, append([]string{"PATH=" + os.Getenv("PATH")}, c.env...), &out)
			if out.String() != c.out || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("%q, %v; want %q, %q", out.String(), err, c.out, c.err)
			}
		})
	}
}

// TestBackground: a program that another one has left in the background goes on when that one ends by itself.
func TestBackground(t *testing.T) {
	t.Parallel()
	var out text
	if err := Run(t.Context(), []string{"sh", "-c", `sleep 1000 >/dev/null 2>&1 & echo $!`}, os.Environ(), &out); err != nil {
		t.Fatal(err)
	}
	pid := pids(t, &out, 1)[0]
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the program in the background: %v", err)
	}
}

// TestStop: the end of the context ends a program and what it has started, also what ignores the request.
func TestStop(t *testing.T) {
	t.Parallel()
	const deaf = `sh -c 'echo $$; while :; do sleep 1000; done' & `
	for name, script := range map[string]string{
		"children": `sh -c 'echo $$; exec sleep 1000' & sh -c 'echo $$; exec sleep 1000' & echo $$; wait`,
		"deaf":     `trap "" TERM; ` + deaf + deaf + `echo $$; while :; do sleep 1000; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stops(t, script)
		})
	}
}

// stops runs a script whose three processes print their ids, and stops it.
func stops(t *testing.T, script string) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out text
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, []string{"sh", "-c", script}, os.Environ(), &out) }()
	list := pids(t, &out, 3)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, pid := range list {
		if runtime.GOOS == "linux" && !gone(pid) { // elsewhere init waits for orphans when it likes
			t.Errorf("process %d goes on", pid)
		}
		until(t, "a process has ended", func() bool { return gone(pid) })
	}
}

// parent starts a process that runs a script, and returns the ids of three processes in it.
func parent(t *testing.T, script string) (cmd *exec.Cmd, list []int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out text
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), asParent+"="+script)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = write, write
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	done := make(chan struct{})
	go func() { defer close(done); _, _ = io.Copy(&out, read) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = read.Close(); <-done })
	return cmd, pids(t, &out, 3)
}

// TestKilled: when this process is killed, with its whole group, the program and what it has started end.
func TestKilled(t *testing.T) {
	t.Parallel()
	cmd, list := parent(t, `sh -c 'echo $$; exec sleep 1000' & sh -c 'echo $$; exec sleep 1000' & echo $$; wait`)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, pid := range list {
		until(t, "a process has ended", func() bool { return gone(pid) })
	}
}
