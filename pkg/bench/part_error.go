package bench

import (
	"fmt"
)

// PartError is an error about a part of a plan: a step, a data set, a task, or a stream. The text names the phase of a step; others name
// themselves.
type PartError struct {
	Phase, Step int    // indices of a step; Step is -1 if it is about none
	Set         string // name of a data set; empty: it is about none
	Stream      string // name
	Task        int    // index in the stream; -1: it is about all of the stream
	Err         error
}

func (e *PartError) Error() string {
	if e.Step >= 0 {
		return fmt.Sprintf("phase %d: %v", e.Phase+1, e.Err)
	}
	return e.Err.Error()
}

func (e *PartError) Unwrap() error { return e.Err }

// errorInStep returns an error as one about a step; nil stays nil, as with the other functions.
func errorInStep(phase, step int, err error) error {
	if err == nil {
		return nil
	}
	return &PartError{Phase: phase, Step: step, Task: -1, Err: err}
}

// errorInSet returns an error as one about a data set.
func errorInSet(name string, err error) error {
	if err == nil {
		return nil
	}
	return &PartError{Step: -1, Set: name, Task: -1, Err: err}
}

// errorsInStream returns errors as errors about a stream.
func errorsInStream(name string, errs ...error) (list []error) {
	for _, err := range errs {
		if err != nil {
			list = append(list, &PartError{Step: -1, Stream: name, Task: -1, Err: err})
		}
	}
	return list
}
