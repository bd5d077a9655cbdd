//go:build linux || darwin || freebsd || netbsd || openbsd

package ui

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// guardedFile is the file descriptor of the terminal in the guard.
const guardedFile = 3

// terminalMode is the mode of a terminal.
type terminalMode = unix.Termios

func modeOf(terminal *os.File) (*terminalMode, error) {
	return unix.IoctlGetTermios(int(terminal.Fd()), getTermios)
}

// attachTerminal gives a guard its terminal. The guard is in a group of its own, so that it outlives a kill of the whole job.
func attachTerminal(cmd *exec.Cmd, terminal *os.File) {
	cmd.ExtraFiles = []*os.File{terminal}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// ignoreSignals ignores those that end the parent. The guard is in the background: to change the terminal's mode would stop it.
func ignoreSignals() {
	signal.Ignore(syscall.SIGTTOU, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGPIPE)
}

// restoreTerminal puts the terminal back into its mode, and writes a text to it.
func restoreTerminal(mode *terminalMode, text []byte) error {
	terminal := os.NewFile(guardedFile, "terminal")
	if terminal == nil {
		return os.ErrInvalid
	}
	fd := int(terminal.Fd())
	now, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	// A shell may have set its own mode by now, in which Ctrl-C sends a signal; the screen's mode is without.
	if now.Lflag&unix.ISIG == 0 {
		err = unix.IoctlSetTermios(fd, setTermios, mode)
	}
	_, writeErr := terminal.Write(text)
	return errors.Join(err, writeErr)
}
