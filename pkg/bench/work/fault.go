package work

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Fault is the error for a bug in warp, such as a panic. It ends the run but not the process: a client serves other runs, and the
// coordinator and the other clients would wait for a dead process.
type Fault struct{ Text string }

func (f *Fault) Error() string { return "a fault of warp itself, please report it: " + f.Text }

// IsFault reports whether an error is a bug in warp.
func IsFault(err error) bool {
	if err == nil {
		return false
	}
	var f *Fault
	return errors.As(err, &f)
}

// Guard calls do and turns a panic into an error.
func Guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Fault{fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
	}()
	return do()
}
