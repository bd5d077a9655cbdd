package terminal

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

// modeTest recognizes a mode of the console's input by some of its flags.
type modeTest struct{ Mask, Flags uint32 }

// screenMode recognizes the mode of the full screen: in that of a shell, Ctrl-C is processed.
func screenMode() modeTest { return modeTest{Mask: windows.ENABLE_PROCESSED_INPUT} }

// keysMode recognizes the mode of the input that gives single keys.
func keysMode(input uint32) modeTest {
	return modeTest{windows.ENABLE_PROCESSED_INPUT | windows.ENABLE_LINE_INPUT | windows.ENABLE_ECHO_INPUT, input}
}

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

// attachTerminal gives a child its console, which all processes share. In a group of its own it gets no Ctrl-C.
func attachTerminal(cmd *exec.Cmd, _, _ *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// ignoreSignals ignores Ctrl-Break, which goes to all processes of the console.
func ignoreSignals() { signal.Ignore(os.Interrupt, syscall.SIGTERM) }

// restoreTerminal undoes a change of the console's modes, which may be nil, and writes a text to it.
func restoreTerminal(change *modeChange, text []byte) error {
	c, err := openConsole()
	if err != nil {
		return err
	}
	defer c.close()
	now, err := c.mode()
	if err != nil {
		return err
	}
	in, out, after := windows.Handle(c.in.Fd()), windows.Handle(c.out.Fd()), now.Output
	if change != nil {
		after = change.Was.Output
		if now.Input&change.Is.Mask == change.Is.Flags&change.Is.Mask {
			err = windows.SetConsoleMode(in, change.Was.Input)
		}
	}
	// The text has escape sequences.
	sequences := uint32(windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	err = errors.Join(err, windows.SetConsoleMode(out, now.Output|sequences))
	_, writeErr := c.out.Write(text)
	return errors.Join(err, writeErr, windows.SetConsoleMode(out, after))
}
