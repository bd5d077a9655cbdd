package faults

import (
	"io"
	"syscall"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/op"
)

// TestTerminalLost takes away the terminal that a run began at, as a lost ssh session does: the kernel hangs up, and writing
// to the terminal fails from then on. The run ends in good order; a report that goes to a file is whole.
func TestTerminalLost(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"all", "report to a file"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &local{t: t, store: startStore(t), dir: t.TempDir()}
			screen, terminal := testkit.Terminal(t)
			l.process = prepare(t, "warp", l.dir, l.environment(), nil, l.args("1h")...)
			l.cmd.Stdin, l.cmd.Stderr = terminal, terminal
			if name == "all" {
				l.cmd.Stdout = terminal
			}
			l.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
			l.begin()
			if err := terminal.Close(); err != nil { // this process's own end of it
				t.Fatal(err)
			}
			go func() { _, _ = io.Copy(io.Discard, screen) }() // ends with it
			until(t, "there are operations", func() bool { return l.store.Requests(op.Get) > 100 })
			if err := screen.Close(); err != nil {
				t.Fatal(err)
			}
			l.ends(130)
			l.clean()
			l.reported(name != "all")
			if ops := recordings(t, l.dir, false); count(ops) == 0 {
				t.Error("nothing is recorded")
			}
		})
	}
}
