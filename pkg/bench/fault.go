package bench

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// fault is the error for a bug in warp, such as a panic. It ends the run but not the process: a client serves other runs, and a
// coordinator and its other clients would wait for a process that died.
type fault struct{ text string }

func (f *fault) Error() string { return "a fault of warp itself, please report it: " + f.text }

func isFault(err error) bool {
	if err == nil {
		return false
	}
	var f *fault
	return errors.As(err, &f)
}

// Guard calls do, and returns a panic in it as an error.
func Guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &fault{fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
	}()
	return do()
}
