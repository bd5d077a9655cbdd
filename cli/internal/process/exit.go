package process

// Exit codes, as the manual promises them.
const (
	ExitOK          = 0
	ExitFailed      = 1   // the run failed
	ExitUsage       = 2   // a mistake in the command line
	ExitErrors      = 3   // finished, but operations failed beyond --max-errors
	ExitGate        = 4   // a rule of --fail-if was broken
	ExitIncomplete  = 5   // finished, but clients were lost, stopped early or failed
	ExitDiffers     = 6   // objects are not as they were uploaded
	ExitUnknown     = 7   // finished, but the question has no answer: a rule of --fail-if, or a search
	ExitInterrupted = 130 // interrupted; what was measured is reported
)

// Status is an exit status, and the flag of commands that can end with it; no flag: all can.
type Status struct{ Code, Meaning, Flag string }

// ExitStatus is shown at the end of the help of commands.
var ExitStatus = []Status{
	{"0", "done", ""},
	{"1", "the run failed; or there is a report, but the recording is incomplete or the clean-up failed", ""},
	{"2", "usage error", ""},
	{"3", "finished, but more operations failed than --max-errors allows", "max-errors"},
	{"4", "a rule of --fail-if was broken", "fail-if"},
	{"5", "finished, but clients were lost, stopped early or failed", "warp-client"},
	{"6", "verify: objects are missing, wrong or unreadable", "sample"},
	{"7", "a search found no answer, or a rule is about something that was not measured", "fail-if"},
	{"130", "interrupted; what was measured is reported", ""},
}

// codedError is an error that ends the process with a code of its own.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// WithCode returns an error that ends the process with a code.
func WithCode(code int, err error) error { return &codedError{code, err} }

// weight ranks the codes of a run that has several: a failed run counts more than a bad result, such as too many failed operations, and a
// bad result more than an unknown one.
func weight(code int) int {
	switch code {
	case ExitOK:
		return 0
	case ExitUnknown:
		return 1
	case ExitErrors, ExitGate:
		return 2
	}
	return 3
}

// ExitCode is the code with which err ends the process: of several errors the one that counts most, of equal ones the first.
func ExitCode(err error) int {
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case nil:
		return ExitOK
	case *codedError:
		return e.code
	case interface{ Unwrap() []error }:
		var code int
		for _, part := range e.Unwrap() {
			if c := ExitCode(part); weight(c) > weight(code) {
				code = c
			}
		}
		return code
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return ExitCode(inner)
		}
	}
	return ExitFailed
}
