package bench

import (
	"errors"
	"fmt"
)

// PartError is an error about a part of a plan: a step, a data set, a task, or a stream. The text names the phase of a step, or the part.
type PartError struct {
	Phase, Step int    // indices of a step; Step is -1 without one
	Set         string // name of a data set; empty without one
	Stream      string // name
	Task        int    // index in the stream; -1: the whole stream
	Err         error
}

func (e *PartError) Error() string {
	if e.Step >= 0 {
		return fmt.Sprintf("phase %d: %v", e.Phase+1, e.Err)
	}
	return e.Err.Error()
}

func (e *PartError) Unwrap() error { return e.Err }

// errorInStep turns err into an error about a step; nil stays nil, as in the other functions.
func errorInStep(phase, step int, err error) error {
	if err == nil {
		return nil
	}
	return &PartError{Phase: phase, Step: step, Task: -1, Err: err}
}

// errorInSet turns err into an error about a data set.
func errorInSet(name string, err error) error {
	if err == nil {
		return nil
	}
	return &PartError{Step: -1, Set: name, Task: -1, Err: err}
}

// errorInTask turns err into an error about a task, with the task's name if its stream has others.
func errorInTask(s *Stream, k int, err error) error {
	return &PartError{Step: -1, Stream: s.Name, Task: k, Err: inTask(s, k, err)}
}

// errorsInStream turns errors into errors about a stream, unless they are about one of its tasks.
func errorsInStream(name string, errs ...error) (list []error) {
	for _, err := range errs {
		if known := (*PartError)(nil); err != nil && !errors.As(err, &known) {
			err = &PartError{Step: -1, Stream: name, Task: -1, Err: err}
		}
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}
