//go:build unix

package program

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// answerFile is the file descriptor on which a keeper says how the program ended.
const answerFile = 3

// look is how often a keeper looks for processes that are left.
const look = 20 * time.Millisecond

// keep is the whole life of a keeper, and returns its exit code.
func keep(in io.Reader, _ io.Writer) int {
	syscall.CloseOnExec(answerFile)
	heedNoSignals()
	adoptOrphans()
	answers := json.NewEncoder(os.NewFile(answerFile, "answers"))
	orders := json.NewDecoder(in)
	var o order
	if err := orders.Decode(&o); err != nil {
		return 1 // warp was killed
	}
	runtime.LockOSThread() // the program ends with the thread that has started it
	p, err := start(&o)
	if err != nil {
		_ = answers.Encode(ending{Err: err.Error()})
		return 0
	}
	k := &keeper{program: p.Pid, ended: make(chan syscall.WaitStatus, 1), alone: make(chan struct{})}
	go k.reap()
	stopped := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(stopped)
	}()
	select {
	case status := <-k.ended:
		_ = answers.Encode(ending{Err: describe(status)})
	case <-stopped:
		k.end()
	}
	return 0
}

// start starts the program in a process group of its own, without an input.
func start(o *order) (*os.Process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	files := []*os.File{null, os.NewFile(1, "output"), os.NewFile(2, "errors")}
	return os.StartProcess(o.Path, o.Command, &os.ProcAttr{Files: files, Env: os.Environ(), Sys: attributes()})
}

// heedNoSignals leaves all decisions to warp. Signals are caught and not ignored, since programs inherit what is ignored; for the same
// reason a hang-up that was ignored from the start stays so.
func heedNoSignals() {
	caught := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE}
	if !signal.Ignored(syscall.SIGHUP) {
		caught = append(caught, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), caught...)
}

// keeper watches over a program.
type keeper struct {
	program int
	ended   chan syscall.WaitStatus // of the program
	alone   chan struct{}           // closed when there is no child
}

// reap waits for all children, among which are orphans that were adopted.
func (k *keeper) reap() {
	defer close(k.alone)
	for {
		var status syscall.WaitStatus
		switch pid, err := syscall.Wait4(-1, &status, 0, nil); {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return
		case pid == k.program:
			k.ended <- status
		}
	}
}

// end ends the program and what it has started: it asks, and kills what is left after the grace period.
func (k *keeper) end() {
	k.signal(syscall.SIGTERM)
	if k.gone(grace, func() {}) {
		return
	}
	k.gone(grace, func() { k.signal(syscall.SIGKILL) }) // again and again, since they may start others meanwhile
}

// gone reports whether nothing is left within a time, and does something whenever it looks.
func (k *keeper) gone(within time.Duration, do func()) bool {
	late := time.NewTimer(within)
	defer late.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	alone := k.alone
	for {
		do()
		select {
		case <-alone:
			if !k.left() {
				return true
			}
			alone = nil
		case <-tick.C:
			if alone == nil && !k.left() {
				return true
			}
		case <-late.C:
			return false
		}
	}
}

// describe says how a process ended, as package os does; empty: it succeeded.
func describe(status syscall.WaitStatus) string {
	switch {
	case status.Exited() && status.ExitStatus() == 0:
		return ""
	case status.Exited():
		return "exit status " + strconv.Itoa(status.ExitStatus())
	case status.CoreDump():
		return "signal: " + status.Signal().String() + " (core dumped)"
	}
	return "signal: " + status.Signal().String()
}
