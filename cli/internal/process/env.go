// Package process is the process that warp runs in: its terminal, environment, signals and exit codes.
package process

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/mattn/go-colorable"
	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"warp/pkg/aggregate"
	"warp/view/terminal"
)

// Env is the process that warp runs in. Nothing else in the program touches it, so that tests can be another one.
type Env struct {
	Args    []string // with the program's name first
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Getenv  func(string) string
	Environ func() []string // all variables, as NAME=VALUE; nil: not known
	Home    string          // the user's home directory, may be empty
	Keys    *os.File        // a terminal to read keys from; nil if there is none
	Screen  *os.File        // the terminal that Stderr is, or nil
	TTY     bool            // Stderr is a terminal
	TTYOut  bool            // Stdout is a terminal
	Width   func() int      // columns of the terminal
	Signals chan os.Signal  // those that ask to end: interrupt, terminate, hang-up
	Exit    func(code int)  // leaves at once

	Commands func() []*cli.Command // all of warp, whose flags variables may set; nil: not known

	DryRun   DryRun                    // how much of commands is checked instead of performed
	Script   *Script                   // the shell script that the command is a line of; nil: none
	Depth    int                       // of shell scripts within shell scripts
	OnReport func(*aggregate.Snapshot) // called with the figures of each run; may be nil

	Guard   *terminal.Guard // restores the terminal; nil without one
	halted  context.Context // over with the first interrupt; nil: it is not known
	halt    func()          // ends it
	early   func()          // ends what handles interrupts before a command does; may be nil
	noticed map[string]bool // texts of notice
	read    map[string]bool // variables that scenarios read
	given   givenFlags      // by variables
	bound   map[string]bool // variables that set flags
}

// OS is the real process.
func OS() Env {
	home, _ := os.UserHomeDir()
	e := Env{
		Args:    os.Args,
		Stdin:   os.Stdin,
		Stdout:  os.Stdout,
		Stderr:  os.Stderr,
		Getenv:  os.Getenv,
		Environ: os.Environ,
		Home:    home,
		TTY:     term.IsTerminal(int(os.Stderr.Fd())),
		TTYOut:  term.IsTerminal(int(os.Stdout.Fd())),
		Width:   terminalWidth,
		Signals: make(chan os.Signal, 8),
		Exit:    os.Exit,
	}
	if e.TTY {
		e.Screen = os.Stderr
		e.Stderr = colorable.NewColorable(os.Stderr) // for consoles of Windows that know no sequences
	}
	if e.TTYOut {
		e.Stdout = colorable.NewColorable(os.Stdout)
	}
	if e.TTY && term.IsTerminal(int(os.Stdin.Fd())) {
		e.Keys = os.Stdin
	}
	signal.Notify(e.Signals, endSignals()...)
	// A reader that goes away early, as in "warp get | head", must not end a run before it has cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	return e
}

// terminalWidth is the width of the terminal in columns, or the usual one if it does not say.
func terminalWidth() int {
	for _, f := range []*os.File{os.Stderr, os.Stdout, os.Stdin} {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// endSignals are the signals that ask a run to end. A hang-up that is ignored from the start, as under nohup, stays ignored.
func endSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// ASCII reports whether the terminal shows nothing but ASCII: its locale does not name UTF-8.
func (e *Env) ASCII() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := e.Getenv(name); locale != "" {
			charset := strings.ToLower(strings.ReplaceAll(locale, "-", ""))
			return !strings.Contains(charset, "utf8")
		}
	}
	return runtime.GOOS != "windows" // which has no such variables, and shows all characters
}

// Refresh is how often progress is updated.
const Refresh = 250 * time.Millisecond
