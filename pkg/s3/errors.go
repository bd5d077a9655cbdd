package s3

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Error is a failed request. Its text begins with its class, so that recordings can be counted by class (op.Class).
// See classes.go for the classes.
type Error struct {
	Class     string    // "503 SlowDown", "connection refused", "timeout", "short body", ...
	Status    int       // HTTP status; 0 if there was no response
	Code      string    // S3 error code, if the server sent one
	Message   string    // what the server or the system said
	RequestID string    // the server's id of the request
	Region    string    // the region that the server asks for, where it says so
	Err       error     // what lies below, may be nil
	Date      time.Time // the server's clock, where it says so
	Foreign   bool      // an HTTP error without any mark of an S3 server
	Server    string    // what the server calls itself
	Location  string    // where the server redirects to, where it says so
	Judgement Judgement // of a dialect other than S3; see Says
	Detail    string    // what only a debugger of signatures wants to read
}

func (e *Error) Error() string {
	switch {
	case e.RequestID == "" && e.Message == "":
		return e.Class
	case e.RequestID == "":
		return e.Class + ": " + e.Message
	case e.Message == "":
		return e.Class + ": request " + e.RequestID
	}
	return fmt.Sprintf("%s: %s (request %s)", e.Class, e.Message, e.RequestID)
}

func (e *Error) Unwrap() error { return e.Err }

// errorIn returns the *Error in err; nil if there is none. It allocates only for errors that wrap one.
func errorIn(err error) *Error {
	if e, ok := err.(*Error); ok || err == nil { //nolint:errorlint // wrapped ones come next
		return e
	}
	var e *Error
	_ = errors.As(err, &e)
	return e
}

// AsError returns the *Error in err, or an empty one, which has no class.
func AsError(err error) *Error {
	e := &Error{}
	_ = errors.As(err, &e)
	return e
}

// Errorf returns an error of a class; its message is brought into one line. Status is that of the response, 0 if there was none.
func Errorf(class string, status int, format string, args ...any) *Error {
	return &Error{Class: class, Status: status, Message: OneLine(fmt.Sprintf(format, args...))}
}

// InvalidRequest returns the error of a request that cannot be sent.
func InvalidRequest(err error) *Error {
	return &Error{Class: ClassBadRequest, Message: OneLine(err.Error()), Err: err}
}

// maxMessage is the longest message of an Error in bytes.
const maxMessage = 300

// OneLine brings a text of unknown origin into one line of printable characters that is not too long.
func OneLine(s string) string {
	if len(s) > 4*maxMessage {
		s = s[:4*maxMessage]
	}
	s = strings.ToValidUTF8(s, "")
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage-3], "") + "..."
	}
	return s
}
