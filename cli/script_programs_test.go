package cli

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"warp/internal/testkit"
)

// started is a program that a script started.
type started struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // once done is closed
}

// programsKey is the key of a script's programs, a map by name.
type programsKey struct{}

// inherited are the variables of a script that its background programs get.
var inherited = []string{"PATH", "HOME", "TMPDIR", "TMP", "LANG", "WARP_HOST", "WARP_STORE", "WARP_ACCESS_KEY", "WARP_SECRET_KEY", "GORACE", "WARP_TEST_EMBEDDED"}

func startProgram(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 2, "start NAME PROGRAM ARGS...")
	path, err := exec.LookPath(args[1]) // testscript.Main put the programs into PATH
	ts.Check(err)
	p := &started{cmd: exec.Command(path, args[2:]...), done: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = []string{} // nil would be all of this process
	for _, name := range inherited {
		if v := ts.Getenv(name); v != "" {
			p.cmd.Env = append(p.cmd.Env, name+"="+v)
		}
	}
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	defer errs.Close()
	p.cmd.Stdout, p.cmd.Stderr = out, errs
	testkit.ResetSIGHUP()
	ts.Check(p.cmd.Start())
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	ts.Value(programsKey{}).(map[string]*started)[args[0]] = p
	ts.Defer(func() {
		_ = p.cmd.Process.Kill() // it is gone already, or else the script failed
		<-p.done
	})
}

func named(ts *testscript.TestScript, name string) *started {
	p := ts.Value(programsKey{}).(map[string]*started)[name]
	if p == nil {
		ts.Fatalf("no program %q was started", name)
	}
	return p
}

func signalProgram(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 2, "signal NAME INT|TERM|HUP|KILL")
	s := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill}[args[1]]
	if err := named(ts, args[0]).cmd.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) {
		ts.Check(err)
	}
}

func finishProgram(ts *testscript.TestScript, neg bool, args []string) {
	demand(ts, neg, args, 2, "finish NAME CODE")
	p := named(ts, args[0])
	select {
	case <-p.done:
	case <-time.After(patience):
		ts.Fatalf("%s does not end", args[0])
	}
	_, err := ts.Stdout().Write([]byte(ts.ReadFile(args[0] + ".out")))
	ts.Check(err)
	_, err = ts.Stderr().Write([]byte(ts.ReadFile(args[0] + ".err")))
	ts.Check(err)
	checkCode(ts, args[1], p.err)
}
