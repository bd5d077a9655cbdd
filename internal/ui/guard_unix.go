//go:build linux || darwin || freebsd || netbsd || openbsd

package ui

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// saveMode returns the mode of a terminal as a line.
func saveMode(terminal *os.File) ([]byte, error) {
	mode, err := unix.IoctlGetTermios(int(terminal.Fd()), getTermios)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(mode)
	return append(text, '\n'), err
}

// apart puts a process into a group of its own, so that it outlives a kill of the whole job.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// maxTrace is how much of the trace of a panic is printed: what panicked comes first.
const maxTrace = 64 << 10

// GuardMain is the whole life of a guard, and returns its exit code. It waits for the end of its parent.
func GuardMain(in io.Reader) int {
	// It is in the background: to change the terminal's mode would stop it.
	signal.Ignore(syscall.SIGTTOU, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGPIPE)
	lines := bufio.NewReader(in)
	text, err := lines.ReadBytes('\n')
	if err != nil {
		return 1
	}
	var mode unix.Termios
	if err := json.Unmarshal(text, &mode); err != nil {
		return 1
	}
	trace, _ := io.ReadAll(io.LimitReader(lines, maxTrace))
	_, _ = io.Copy(io.Discard, lines) // or the parent could not end
	if string(trace) == allIsWell {
		return 0
	}
	terminal := os.NewFile(guardedFile, "terminal")
	if terminal == nil {
		return 1
	}
	fd := int(terminal.Fd())
	now, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return 1
	}
	// A shell may have set its own mode by now, in which Ctrl-C sends a signal; the screen's mode is without.
	if now.Lflag&unix.ISIG == 0 {
		_ = unix.IoctlSetTermios(fd, setTermios, &mode)
	}
	_, _ = io.WriteString(terminal, restoreSequence)
	_, _ = terminal.Write(trace)
	return 0
}
