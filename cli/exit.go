package cli

// Exit codes, as the manual promises them.
const (
	exitOK          = 0
	exitFailed      = 1   // the run failed
	exitUsage       = 2   // a mistake in the command line
	exitErrors      = 3   // finished, but operations failed beyond --max-errors
	exitGate        = 4   // a rule of --fail-if was broken
	exitIncomplete  = 5   // finished, but clients were lost, stopped early or failed
	exitDiffers     = 6   // objects are not as they were uploaded
	exitUnknown     = 7   // finished, but the question has no answer: a rule of --fail-if, or a search
	exitInterrupted = 130 // interrupted; what was measured is reported
)

// exitStatus is shown at the end of the help of commands.
var exitStatus = []struct{ code, meaning string }{
	{"0", "done"},
	{"1", "the run failed; or there is a report, but the recording is incomplete or the clean-up failed"},
	{"2", "usage error"},
	{"3", "finished, but more operations failed than --max-errors allows"},
	{"4", "a rule of --fail-if was broken"},
	{"5", "finished, but clients were lost, stopped early or failed"},
	{"6", "verify: objects are missing, wrong or unreadable"},
	{"7", "a search found no answer, or a rule is about something that was not measured"},
	{"130", "interrupted; what was measured is reported"},
}

// codedError is an error that ends the process with a code of its own.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// withCode returns an error that ends the process with a code.
func withCode(code int, err error) error { return &codedError{code, err} }

// weight ranks the codes of a run that has several: a failed run counts more than a bad result, such as too many failed operations, and a
// bad result more than an unknown one.
func weight(code int) int {
	switch code {
	case exitOK:
		return 0
	case exitUnknown:
		return 1
	case exitErrors, exitGate:
		return 2
	}
	return 3
}

// exitCode is the code with which err ends the process: of several errors the one that counts most, of equal ones the first.
func exitCode(err error) int {
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case nil:
		return exitOK
	case *codedError:
		return e.code
	case interface{ Unwrap() []error }:
		var code int
		for _, part := range e.Unwrap() {
			if c := exitCode(part); weight(c) > weight(code) {
				code = c
			}
		}
		return code
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return exitCode(inner)
		}
	}
	return exitFailed
}
