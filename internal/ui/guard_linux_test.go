package ui

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"warp/internal/testkit"
)

// crashing makes this test program one that takes the terminal at its standard output, and fails in a goroutine; its value names how.
const crashing = "WARP_TEST_CRASHING"

func init() {
	switch {
	case IsGuard(os.Args[1:]):
		os.Exit(GuardMain(os.Stdin))
	case os.Getenv(crashing) != "":
		crash(os.Stdout, failures[os.Getenv(crashing)])
	}
}

// failures end a process by the runtime; no recover holds up the second.
var failures = map[string]func(){
	"panic": func() { panic("a worker failed") },
	"fatal": func() { new(sync.Mutex).Unlock() },
}

// crash does what a full screen does, until something beside it fails.
func crash(terminal *os.File, fail func()) {
	guard := StartGuard(terminal)
	defer guard.End()
	mode, err := unix.IoctlGetTermios(int(terminal.Fd()), getTermios)
	if err != nil {
		panic(err)
	}
	mode.Lflag &^= unix.ISIG | unix.ECHO | unix.ICANON
	mode.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(terminal.Fd()), setTermios, mode); err != nil {
		panic(err)
	}
	_, _ = io.WriteString(terminal, "\x1b[?1049h\x1b[?25l")
	go fail()
	select {}
}

// TestGuardAfterACrash: a failure of any goroutine leaves the terminal as it was, and its trace on it.
func TestGuardAfterACrash(t *testing.T) {
	// The runtime writes the line "fatal error: ..." to standard error only, not to the crash output: the trace begins below it.
	for name, said := range map[string]string{"panic": "panic: a worker failed\r\n", "fatal": "sync.(*Mutex).Unlock("} {
		t.Run(name, func(t *testing.T) { testCrash(t, name, said) })
	}
}

func testCrash(t *testing.T, name, said string) {
	keyboard, terminal := testkit.Terminal(t)
	before := testkit.Mode(t, terminal)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), crashing+"="+name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	go func() {
		var text strings.Builder
		b := make([]byte, 4096)
		for {
			n, err := keyboard.Read(b)
			text.Write(b[:n])
			_, after, left := strings.Cut(text.String(), "\x1b[?1049l")
			if left && strings.Contains(after, said) && strings.Contains(after, "guard_linux_test.go") || err != nil {
				lines <- after
				return
			}
		}
	}()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit code %d, want 2, as after every panic", code)
	}
	select {
	case after := <-lines:
		if !strings.Contains(after, "\x1b[?25h") || !strings.Contains(after, said) {
			t.Errorf("after the screen: %q", after)
		}
	case <-time.After(time.Minute):
		t.Error("the trace is not on the terminal")
	}
	if now := testkit.Mode(t, terminal); now != before {
		t.Errorf("the terminal is in mode %+v, was %+v", now, before)
	}
}
