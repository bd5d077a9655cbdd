package terminal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"sync"

	"warp/internal/child"
)

// GuardChild is the process that guards a terminal. It waits for the end of its parent.
var GuardChild = &child.Kind{Arg: "__terminal-guard", Main: guardMain}

// leaveScreen takes a terminal out of everything that the full screen puts it into: the alternate screen, bracketed paste, reports of
// keys and of the mouse, colours, and a hidden cursor.
const leaveScreen = "\x1b[?2026l\x1b[?1049l\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[>4m\x1b[<u" + leaveLine + "\r\n"

// leaveLine does so for the line view.
const leaveLine = "\x1b[0m" + showCursor

// maxTrace is how much of the trace of a panic is printed: what panicked comes first.
const maxTrace = 64 << 10

// change is something that this process does to its terminal, and how it is undone.
type change struct {
	Mode  *modeChange `json:",omitempty"`
	Undo  string      `json:",omitempty"` // to be written to the terminal
	Trace bool        `json:",omitempty"` // the trace of a panic is lost with what the terminal shows
}

// modeChange is a change of the terminal's mode. It is undone only if the terminal still is in the mode that this process set: a shell
// may have set its own.
type modeChange struct {
	Was terminalMode
	Is  modeTest
}

// Guard knows what this process has changed at its terminal, and has a child process undo it when this one ends without doing so:
// killed, or by a panic. Without it the terminal shows no keys and no cursor, or stays on the alternate screen. The child starts with
// the first change. A nil Guard does nothing.
type Guard struct {
	keys, screen *os.File

	mu      sync.Mutex
	changes []*change
	child   *guardChild
	failed  bool // there can be no child
}

// guardChild is the process, and the pipe whose end tells it that its parent has ended.
type guardChild struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// NewGuard returns the guard of a terminal: what keys are read from, which may be nil, and what progress is shown on. Without that
// there is nothing to guard.
func NewGuard(keys, screen *os.File) *Guard {
	switch {
	case screen == nil:
		return nil
	case keys == nil:
		keys = screen
	}
	return &Guard{keys: keys, screen: screen}
}

// Screen is to be called before the full screen takes the terminal, and what it returns when the terminal has been given back.
func (g *Guard) Screen() (release func()) {
	if g == nil {
		return func() {}
	}
	c := change{Undo: leaveScreen, Trace: true}
	if was, err := modeOf(g.keys); err == nil {
		c.Mode = &modeChange{*was, screenMode()}
	}
	return g.hold(c)
}

// hold has the child know of a change that is about to be made, until it has been undone and release is called.
func (g *Guard) hold(c change) (release func()) {
	if g == nil {
		return func() {}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changes = append(g.changes, &c)
	g.update()
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.changes = slices.DeleteFunc(g.changes, func(other *change) bool { return other == &c })
		g.update()
	})
}

// update gives the child the one change that all are together. The screen and the keys of the line never change the mode at the same time.
func (g *Guard) update() {
	if g.child == nil && !g.failed {
		g.child = startGuard(g.keys, g.screen)
		g.failed = g.child == nil
	}
	if g.child == nil {
		return
	}
	var all change
	for _, c := range g.changes {
		if c.Mode != nil {
			all.Mode = c.Mode
		}
		all.Undo += c.Undo
		all.Trace = all.Trace || c.Trace
	}
	line, err := json.Marshal(all)
	if err == nil {
		_, _ = g.child.pipe.Write(append(line, '\n')) // in one piece: a panic may write too
	}
}

// startGuard starts the child; nil where that is not possible.
func startGuard(keys, screen *os.File) *guardChild {
	if _, err := modeOf(screen); err != nil {
		return nil
	}
	cmd, err := GuardChild.Command()
	if err != nil {
		return nil
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil
	}
	cmd.Stdin, cmd.Env = in, []string{}
	attachTerminal(cmd, keys, screen)
	err = cmd.Start()
	_ = in.Close() // the child has it
	if err != nil {
		_ = out.Close()
		return nil
	}
	if err = debug.SetCrashOutput(out, debug.CrashOptions{}); err != nil {
		_ = out.Close()
		_ = cmd.Wait()
		return nil
	}
	return &guardChild{cmd, out}
}

// Close ends the child, which undoes what is left to be undone.
func (g *Guard) Close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.child == nil {
		return
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{}) // it has the pipe open too
	_ = g.child.pipe.Close()
	_ = g.child.cmd.Wait()
	g.child = nil
}

func guardMain(in io.Reader, _ io.Writer) int {
	ignoreSignals()
	last, trace := followParent(in)
	if !last.Trace {
		trace = nil
	}
	if last.Mode == nil && last.Undo == "" {
		return 0
	}
	if err := restoreTerminal(last.Mode, append([]byte(last.Undo), trace...)); err != nil {
		return 1
	}
	return 0
}

// followParent reads changes until the parent ends, and returns the last one, and the trace of a panic if that is how it ended.
func followParent(in io.Reader) (last change, trace []byte) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		var next change
		switch {
		case bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &next) == nil:
			last = next
		case len(line) > 0:
			trace = line
		}
		if err != nil {
			return last, trace
		}
		if trace == nil {
			continue
		}
		rest, _ := io.ReadAll(io.LimitReader(lines, maxTrace))
		_, _ = io.Copy(io.Discard, lines) // or the parent could not end
		return last, append(trace, rest...)
	}
}
