package ui

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
)

// guardArg is the hidden first argument that makes a process the guard of a terminal.
const guardArg = "__terminal-guard"

// allIsWell is what a guard reads when the terminal is as it was.
const allIsWell = "well\n"

// restoreSequence takes a terminal out of everything that the full screen puts it into: the alternate screen, bracketed paste, reports of
// keys and of the mouse, colours, and a hidden cursor.
const restoreSequence = "\x1b[?2026l\x1b[?1049l\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[>4m\x1b[<u\x1b[0m\x1b[?25h\r\n"

// maxTrace is how much of the trace of a panic is printed: what panicked comes first.
const maxTrace = 64 << 10

// IsGuard reports whether a process started with these arguments (without the program's name) is to guard a terminal.
func IsGuard(args []string) bool { return len(args) > 0 && args[0] == guardArg }

// Guard is a child process that restores the terminal when this one ends without doing so: killed, or by a panic outside of the
// screen. Without it a terminal stays on the alternate screen and shows no keys. It prints the trace of the panic too, which is lost with
// the alternate screen.
type Guard struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// StartGuard starts the guard of a terminal, which must be that of this process, in the mode that it has now. It returns nil where that is not possible.
func StartGuard(terminal *os.File) *Guard {
	mode, err := modeOf(terminal)
	if err != nil {
		return nil
	}
	line, err := json.Marshal(mode)
	if err != nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil
	}
	cmd := exec.Command(self, guardArg)
	cmd.Stdin, cmd.Env = in, []string{}
	attachTerminal(cmd, terminal)
	err = cmd.Start()
	_ = in.Close() // the guard has it
	if err != nil {
		_ = out.Close()
		return nil
	}
	_, err = out.Write(append(line, '\n'))
	if err = errors.Join(err, debug.SetCrashOutput(out, debug.CrashOptions{})); err != nil {
		_ = out.Close()
		_ = cmd.Wait()
		return nil
	}
	return &Guard{cmd, out}
}

// End ends the guard: the terminal has been restored.
func (g *Guard) End() {
	if g == nil {
		return
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // it has the pipe open too
	_, _ = io.WriteString(g.pipe, allIsWell)
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}

// GuardMain is the whole life of a guard, and returns its exit code. It waits for the end of its parent.
func GuardMain(in io.Reader) int {
	ignoreSignals()
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return 1
	}
	var mode terminalMode
	if err := json.Unmarshal(line, &mode); err != nil {
		return 1
	}
	trace, _ := io.ReadAll(io.LimitReader(lines, maxTrace))
	_, _ = io.Copy(io.Discard, lines) // or the parent could not end
	if string(trace) == allIsWell {
		return 0
	}
	if err := restoreTerminal(&mode, append([]byte(restoreSequence), trace...)); err != nil {
		return 1
	}
	return 0
}
