package ui

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

// terminalMode is the modes of the console's input and of its screen buffer.
type terminalMode struct{ Input, Output uint32 }

// console is the console of this process, whatever its standard files are.
type console struct{ in, out *os.File }

// openConsole opens the console; what it returns must be closed.
func openConsole() (c console, err error) {
	var outErr error
	c.in, err = os.OpenFile("CONIN$", os.O_RDWR, 0)
	c.out, outErr = os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err = errors.Join(err, outErr); err != nil {
		c.close()
	}
	return c, err
}

// close closes what was opened: Close of a nil file is an error without effect.
func (c console) close() { _, _ = c.in.Close(), c.out.Close() }

func (c console) mode() (m terminalMode, err error) {
	err = windows.GetConsoleMode(windows.Handle(c.in.Fd()), &m.Input)
	return m, errors.Join(err, windows.GetConsoleMode(windows.Handle(c.out.Fd()), &m.Output))
}

func modeOf(*os.File) (*terminalMode, error) {
	c, err := openConsole()
	if err != nil {
		return nil, err
	}
	defer c.close()
	m, err := c.mode()
	return &m, err
}

// attachTerminal gives a guard its console, which all processes share. In a group of its own it gets no Ctrl-C.
func attachTerminal(cmd *exec.Cmd, _ *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// ignoreSignals ignores Ctrl-Break, which goes to all processes of the console.
func ignoreSignals() { signal.Ignore(os.Interrupt, syscall.SIGTERM) }

// restoreTerminal puts the console back into its modes, and writes a text to it.
func restoreTerminal(before *terminalMode, text []byte) error {
	c, err := openConsole()
	if err != nil {
		return err
	}
	defer c.close()
	now, err := c.mode()
	if err != nil {
		return err
	}
	in, out := windows.Handle(c.in.Fd()), windows.Handle(c.out.Fd())
	// A shell may have set its own mode by now, in which Ctrl-C is processed; the screen's mode is without.
	if now.Input&windows.ENABLE_PROCESSED_INPUT == 0 {
		err = windows.SetConsoleMode(in, before.Input)
	}
	// The text has escape sequences.
	sequences := uint32(windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	err = errors.Join(err, windows.SetConsoleMode(out, now.Output|sequences))
	_, writeErr := c.out.Write(text)
	return errors.Join(err, writeErr, windows.SetConsoleMode(out, before.Output))
}
