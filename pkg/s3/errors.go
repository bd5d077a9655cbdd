package s3

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Error is a failed request. Its text begins with its class, so that recordings can be counted by class (op.Class).
// See classify.go for the classes.
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
	e := errorIn(err)
	return e != nil && e.Status == 0 && e.Class != ClassCanceled && e.Class != ClassBadRequest
}

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

func (e *Error) fill(b errorBody) {
	e.Code, e.Message = cleanCode(b.Code), oneLine(b.Message)
	e.RequestID, e.Region = cleanID(b.RequestID), cleanCode(b.Region)
}

// noRoom are the codes with which servers refuse uploads because the store, or the share of its user, is full.
var noRoom = []string{"XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientCapacity", "EntityQuotaExceeded"}

// NoRoom reports whether a request failed because the store is full.
func NoRoom(err error) bool {
	if err == nil {
		return false // before e costs an allocation
	}
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusInsufficientStorage || slices.Contains(noRoom, e.Code))
}
