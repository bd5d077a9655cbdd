package terminal

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"warp/internal/child"
	"warp/internal/testkit"
)

// crashing makes this test program one that takes the terminal at its standard output, and fails in a goroutine; its value names the
// view, and how it fails.
const crashing = "WARP_TEST_CRASHING"

func init() {
	if code, ran := child.Run(os.Args[1:], os.Stdin, os.Stdout, GuardChild); ran {
		os.Exit(code)
	}
	if os.Getenv(crashing) != "" {
		view, failure, _ := strings.Cut(os.Getenv(crashing), " ")
		views[view](os.Stdout)
		go failures[failure]()
		select {}
	}
}

// failures end a process by the runtime; no recover holds up the second.
var failures = map[string]func(){
	"panic": func() { panic("a worker failed") },
	"fatal": func() { new(sync.Mutex).Unlock() },
}

// views take a terminal.
var views = map[string]func(terminal *os.File){
	"full": func(terminal *os.File) {
		NewGuard(terminal, terminal).Screen()
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
	},
	"line": func(terminal *os.File) {
		g := NewGuard(terminal, terminal)
		if _, err := WatchKeys(terminal, terminal, g); err != nil {
			panic(err)
		}
		New(terminal, Options{Terminal: true, Width: func() int { return 80 }, Guard: g}).Stage(Stage{Name: "Benchmarking"})
	},
}

// TestGuardAfterACrash: a failure of any goroutine leaves the terminal as it was, and its trace on it, once.
func TestGuardAfterACrash(t *testing.T) {
	// The runtime writes the line "fatal error: ..." to standard error only, not to the crash output: the trace begins below it.
	for name, said := range map[string]string{"panic": "panic: a worker failed\r\n", "fatal": "\nsync.(*Mutex).Unlock("} {
		for view, left := range map[string]string{"full": "\x1b[?1049l", "line": ""} {
			t.Run(view+" "+name, func(t *testing.T) { testCrash(t, view+" "+name, said, left) })
		}
	}
}

// testCrash has a view crash. What was said must be on the terminal once; if the view has to be left, it must be there after that.
func testCrash(t *testing.T, name, said, left string) {
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
	_ = terminal.Close() // so that the last process that has it ends what is read
	shown := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(keyboard) // an error is the end of a terminal
		shown <- string(text)
	}()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("exit code %d, want 2, as after every panic", code)
	}
	text := <-shown
	if before.Lflag&unix.ECHO == 0 || testkit.Mode(t, keyboard) != before { // either end has the mode of the terminal
		t.Errorf("the terminal is in mode %+v, was %+v", testkit.Mode(t, keyboard), before)
	}
	_, after, _ := strings.Cut(text, left)
	if strings.Count(after, said) != 1 || !strings.Contains(after, "guard_linux_test.go") {
		t.Errorf("the trace is not on the terminal, or twice: %q", text)
	}
	if strings.LastIndex(text, showCursor) < strings.LastIndex(text, hideCursor) {
		t.Errorf("the cursor is hidden: %q", text)
	}
	if left == "" && strings.Contains(text, "\x1b[?1049l") {
		t.Error("a screen was left that was never taken")
	}
}

// TestGuardKnowsWhatWasChanged: the child is told of each change before it is made, and of its end; what is not a change is the trace
// of a panic.
func TestGuardKnowsWhatWasChanged(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	g := &Guard{child: &guardChild{pipe: out}}
	mode := &modeChange{Was: terminalMode{Lflag: 1}}
	keys := g.hold(change{Mode: mode})
	cursor := g.hold(change{Undo: leaveLine})
	_, _ = io.WriteString(out, "panic: {\n{\nmore")
	_ = out.Close()
	last, trace := followParent(in)
	if last.Mode == nil || *last.Mode != *mode || last.Undo != leaveLine || string(trace) != "panic: {\n{\nmore" {
		t.Errorf("the child knows of %+v, and a trace %q", last, trace)
	}

	if in, g.child.pipe, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	keys()
	keys() // again
	cursor()
	_ = g.child.pipe.Close()
	if last, trace = followParent(in); last.Mode != nil || last.Undo != "" || trace != nil {
		t.Errorf("the child knows of %+v after the end, and a trace %q", last, trace)
	}
}

// TestModeOfAShell: modes that warp sets are known again; modes that shells set, the first by readline, are not.
func TestModeOfAShell(t *testing.T) {
	_, terminal := testkit.Terminal(t)
	was := testkit.Mode(t, terminal)
	k, err := WatchKeys(terminal, terminal, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := testkit.Mode(t, terminal)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	readline, screen := keys, keys
	readline.Iflag &^= unix.ICRNL
	screen.Lflag &^= unix.ISIG
	ofKeys, ofScreen := keysMode(&keys), screenMode()
	for name, c := range map[string]struct {
		mode         unix.Termios
		keys, screen bool
	}{
		"usual": {was, false, false}, "readline": {readline, false, false}, "keys": {keys, true, false}, "screen": {screen, false, true},
	} {
		if isKeys, isScreen := ofKeys.matches(&c.mode), ofScreen.matches(&c.mode); isKeys != c.keys || isScreen != c.screen {
			t.Errorf("%s: taken for that of keys %v, of the screen %v", name, isKeys, isScreen)
		}
	}
}
