//go:build linux || darwin || freebsd || netbsd || openbsd

package terminal

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// The file descriptors of the terminal in the guard's child.
const (
	guardedKeys   = 3
	guardedScreen = 4
)

// terminalMode is the mode of a terminal.
type terminalMode = unix.Termios

// modeFlags are flags of a mode: input, output, local.
type modeFlags [3]uint64

func flagsOf(m *terminalMode) modeFlags {
	return modeFlags{uint64(m.Iflag), uint64(m.Oflag), uint64(m.Lflag)}
}

// modeTest recognizes a mode by some of its flags.
type modeTest struct{ Mask, Flags modeFlags }

func (t *modeTest) matches(m *terminalMode) bool {
	flags := flagsOf(m)
	for i, mask := range t.Mask {
		if flags[i]&mask != t.Flags[i]&mask {
			return false
		}
	}
	return true
}

// screenMode recognizes the mode of the full screen: in that of a shell, Ctrl-C sends a signal.
func screenMode() modeTest { return modeTest{Mask: modeFlags{2: unix.ISIG}} }

// keysMode recognizes the mode that gives single keys. Line editors of shells set another one, where the return key is itself.
func keysMode(m *terminalMode) modeTest {
	return modeTest{modeFlags{unix.ICRNL | unix.INLCR, unix.OPOST, unix.ISIG | unix.ICANON | unix.ECHO}, flagsOf(m)}
}

func modeOf(terminal *os.File) (*terminalMode, error) {
	return unix.IoctlGetTermios(int(terminal.Fd()), getTermios)
}

// attachTerminal gives a child its terminal. The child is in a group of its own, so that it outlives a kill of the whole job.
func attachTerminal(cmd *exec.Cmd, keys, screen *os.File) {
	cmd.ExtraFiles = []*os.File{keys, screen}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// ignoreSignals ignores those that end the parent. The child is in the background: to change the terminal's mode would stop it.
func ignoreSignals() {
	signal.Ignore(syscall.SIGTTOU, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGPIPE)
}

// restoreTerminal undoes a change of the terminal's mode, which may be nil, and writes a text to it.
func restoreTerminal(c *modeChange, text []byte) error {
	var err error
	if c != nil {
		err = restoreMode(c)
	}
	screen := os.NewFile(guardedScreen, "screen")
	_, writeErr := screen.Write(text)
	return errors.Join(err, writeErr)
}

func restoreMode(c *modeChange) error {
	now, err := unix.IoctlGetTermios(guardedKeys, getTermios)
	if err != nil || !c.Is.matches(now) {
		return err
	}
	return unix.IoctlSetTermios(guardedKeys, setTermios, &c.Was)
}
