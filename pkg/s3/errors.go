package s3

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is a failed request. Its text begins with its class, so that recordings can be counted by class (op.Class).
// See classify.go for the classes.
type Error struct {
	Class     string // "503 SlowDown", "connection refused", "timeout", "short body", ...
	Status    int    // HTTP status; 0 if there was no response
	Code      string // S3 error code, if the server sent one
	Message   string // what the server or the system said
	RequestID string // the server's id of the request
	Region    string // the region that the server asks for, where it says so
	Err       error  // what lies below, may be nil

	date    time.Time // the server's clock, where it says so
	foreign bool      // an HTTP error without any mark of an S3 server
	server  string    // what the server calls itself
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

// NoResponse reports whether a request failed without any response of a server, unless it was canceled
// or could not be sent by any client.
func NoResponse(err error) bool {
	if err == nil {
		return false // before e costs an allocation
	}
	var e *Error
	return errors.As(err, &e) && e.Status == 0 && e.Class != classCanceled && e.Class != classBadRequest
}

// asError returns the *Error in err, or an empty one, which has no class.
func asError(err error) *Error {
	e := &Error{}
	_ = errors.As(err, &e)
	return e
}

// response is what the host said, in its own words: status and code, message, id of the request. Where no S3 server
// speaks, it says who does, and leaves out the tags of a web page.
func (e *Error) response() string {
	s, words := e.Class, e.Message
	if e.foreign || e.Status/100 == 5 && e.Code == "" {
		if e.server != "" {
			s += " from " + e.server
		}
		words = stripTags(words)
	}
	if words != "" {
		s += ": " + words
	}
	if e.RequestID != "" {
		s = strings.TrimSuffix(s, ".") + ", request " + e.RequestID
	}
	return s
}

// doubtsSignature reports whether the host may have refused the time of a request, without saying so.
func (e *Error) doubtsSignature() bool {
	switch e.Code {
	case "", "AccessDenied", "Forbidden", "SignatureDoesNotMatch", "AuthorizationHeaderMalformed", "InvalidRequest":
		return e.Status == http.StatusForbidden || e.Status == http.StatusBadRequest || e.Status == http.StatusUnauthorized
	}
	return false
}

func (e *Error) fill(b errorBody) {
	e.Code, e.Message = cleanCode(b.Code), oneLine(b.Message)
	e.RequestID, e.Region = cleanID(b.RequestID), cleanCode(b.Region)
}
