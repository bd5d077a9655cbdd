package cli

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"warp/cli/internal/process"
	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/op"
)

// fullTerminal is a terminal of 80 columns and 24 lines, and what was written to it.
func fullTerminal(t *testing.T) (keyboard, terminal *os.File, shown *buffer) {
	keyboard, terminal = testkit.Terminal(t)
	if err := unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	shown = &buffer{}
	done := make(chan struct{})
	reader, err := unix.Dup(int(keyboard.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		f := os.NewFile(uintptr(reader), "keyboard")
		defer f.Close()
		_, _ = io.Copy(shown, f) // until the last process has closed the terminal
	}()
	t.Cleanup(func() {
		_ = terminal.Close()
		if !t.Failed() { // else the run may go on, and has the terminal
			<-done
		}
	})
	return keyboard, terminal, shown
}

// await waits until something was shown. Frames hold only cells that have changed: it must stand where there was nothing, or nothing alike.
func await(t *testing.T, shown *buffer, what string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !strings.Contains(shown.String(), what); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%q was not shown: %q", what, shown.String())
		}
	}
}

// Sequences that switch to the alternate screen, and back.
const (
	takesScreen  = "\x1b[?1049h"
	leavesScreen = "\x1b[?1049l"
	hidesCursor  = "\x1b[?25l"
	showsCursor  = "\x1b[?25h"
)

// TestFullScreen runs a benchmark that would take hours on the whole screen, presses keys, and ends it: what keys did is in
// the report and in the recording, and the terminal is as it was.
func TestFullScreen(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string // and what to wait for after each
		code int
		said []string
	}{
		{"stop", []string{"234s1m|Mark", "+|hanged", "q|"}, process.ExitOK, []string{"Stopping: ", "Mark at "}},
		{"interrupt", []string{"\x03|"}, process.ExitInterrupted, []string{"Interrupted: "}},
		{"detach", []string{"d|" + leavesScreen, "|\x1b[1A", "q|"}, process.ExitOK, []string{"Stopping: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			current := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, current) })
			t.Chdir(t.TempDir())
			server, err := responder.New(responder.Options{Keep: true})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			keyboard, terminal, shown := fullTerminal(t)
			before := testkit.Mode(t, terminal)
			env, out := testEnv("stat", "--host="+server.Host(), "--access-key=a", "--secret-key=b", "--duration=10h", "--rate=200",
				"--objects=20", "--concurrent=2", "--benchdata=run", "--ui=full")
			env.Stderr, env.Keys, env.Screen, env.TTY = terminal, terminal, terminal, true
			env.Signals = make(chan os.Signal, 8)
			env.Getenv = func(name string) string { return map[string]string{"LANG": "C.UTF-8"}[name] }
			code := make(chan int, 1)
			go func() { code <- Main(env) }()
			await(t, shown, takesScreen)
			until(t, shown, func() bool { return server.Requests(op.Stat) >= 200 }) // a second
			await(t, shown, "Latency")
			for _, step := range c.keys {
				key, want, _ := strings.Cut(step, "|")
				if _, err := keyboard.WriteString(key); err != nil {
					t.Fatal(err)
				}
				await(t, shown, want)
			}
			if got := <-code; got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			await(t, shown, "Cleaning up: 20 objects")
			screen := shown.String()
			_, after, left := strings.Cut(screen, leavesScreen)
			if !left || strings.Contains(after, takesScreen) {
				t.Errorf("the screen was not left for good: %q", screen)
			}
			for _, want := range append(c.said, "Benchmarking stat", "Operations are recorded in run.csv.zst") {
				if !strings.Contains(after, want) {
					t.Errorf("what stays lacks %q: %q", want, after)
				}
			}
			if testkit.Mode(t, terminal) != before {
				t.Error("the terminal is in another mode")
			}
			env, again := testEnv("analyze", "run.csv.zst")
			if Main(env) != process.ExitOK || again.String() != out.String() {
				t.Errorf("the report is\n%s\nthat of the recording\n%s", out, again)
			}
			if c.name == "stop" && (!strings.Contains(out.String(), ": mark 1\n") || !strings.Contains(out.String(), ": rate changed from 200.00/s to 220.00/s\n")) {
				t.Errorf("the report lacks the marks: %s", out)
			}
		})
	}
}

// TestKilledAtATerminal ends a process that has changed the terminal: the terminal is as it was before, and what the process said of
// its end stays on it.
func TestKilledAtATerminal(t *testing.T) {
	testkit.ResetSIGHUP()
	server, err := responder.New(responder.Options{Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	warp := warpProgram(t)
	for _, c := range []struct {
		flag   string
		keys   string // pressed before
		signal syscall.Signal
		stays  string // on the terminal
	}{
		{"--ui=full", "", syscall.SIGKILL, ""},
		{"--ui=full", "", syscall.SIGTERM, "Interrupted: "},
		{"--ui=full", "", syscall.SIGHUP, "Interrupted: "},
		{"--ui=full", "", syscall.SIGABRT, "SIGABRT: abort"}, // the runtime ends by it as by a panic
		{"--ui=full", "", syscall.SIGSEGV, "SIGSEGV"},
		{"--ui=full", "d", syscall.SIGKILL, ""},
		{"--ui=full", "d", syscall.SIGQUIT, "SIGQUIT"},
		{"--ui=line", "", syscall.SIGKILL, ""},
		{"--ui=line", "", syscall.SIGQUIT, "SIGQUIT"},
		{"--ui=line", "", syscall.SIGTERM, "Interrupted: "},
		{"--quiet", "", syscall.SIGKILL, ""},
	} {
		t.Run(c.flag+" "+c.keys+" "+c.signal.String(), func(t *testing.T) {
			keyboard, terminal, shown := fullTerminal(t)
			before := testkit.Mode(t, terminal)
			cmd := exec.Command(warp, "stat", "--host="+server.Host(), "--access-key=a", "--secret-key=b", "--duration=10h", "--objects=20", "--concurrent=2", "--think=2ms", "--stress", c.flag)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			taken := func() bool { // the mode, and, if anything is shown, figures
				return testkit.Mode(t, terminal) != before && (c.flag == "--quiet" || strings.Contains(shown.String(), "p99"))
			}
			until(t, shown, taken)
			if c.keys != "" {
				if _, err := keyboard.WriteString(c.keys); err != nil {
					t.Fatal(err)
				}
				until(t, shown, func() bool { // the line has the terminal
					return strings.Contains(afterScreen(shown), hidesCursor) && testkit.Mode(t, terminal).Lflag&(unix.ISIG|unix.ECHO) == unix.ISIG
				})
			}
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			until(t, shown, func() bool {
				text := shown.String()
				return testkit.Mode(t, terminal) == before && strings.LastIndex(text, hidesCursor) <= strings.LastIndex(text, showsCursor) &&
					strings.Contains(text, takesScreen) == strings.Contains(text, leavesScreen) && strings.Contains(afterScreen(shown), c.stays)
			})
		})
	}
}

// until waits for a state of a terminal.
func until(t *testing.T, shown *buffer, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("on the terminal: %q", shown.String())
		}
	}
}

// afterScreen returns what was shown after the whole screen was left, or everything if it was never taken.
func afterScreen(shown *buffer) string {
	text := shown.String()
	if _, after, left := strings.Cut(text, leavesScreen); left {
		return after
	}
	if strings.Contains(text, takesScreen) {
		return ""
	}
	return text
}
