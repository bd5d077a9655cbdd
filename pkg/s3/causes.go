package s3

import (
	"errors"
	"net/http"
	"slices"
)

// NoResponse reports whether a request failed without any response of a server, unless it was canceled
// or could not be sent by any client.
func NoResponse(err error) bool {
	e := errorIn(err)
	return e != nil && e.Status == 0 && e.Class != ClassCanceled && e.Class != ClassBadRequest
}

// HasResponse reports whether a request had a response of a server. One that was canceled, or never left, had none.
func HasResponse(err error) bool {
	e := errorIn(err)
	return e == nil || e.Status != 0
}

// CodeNoBucket is S3's code of the error that the bucket does not exist.
const CodeNoBucket = "NoSuchBucket"

// IsNotFound reports whether a request failed only because the object, version, upload or bucket does not exist.
func IsNotFound(err error) bool {
	e := AsError(err)
	return e.Says(NotThere|NoContainer) || e.Status == http.StatusNotFound && e.Code == ""
}

// NoBucket reports whether a request failed only because the bucket does not exist.
func NoBucket(err error) bool {
	e := AsError(err)
	return e.Says(NoContainer) || e.Status == http.StatusNotFound && e.Code == ""
}

// NoRoom reports whether a request failed because the store is full.
func NoRoom(err error) bool {
	if err == nil {
		return false // before e costs an allocation
	}
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusInsufficientStorage || e.Says(Full))
}

// NotImplemented reports whether the server says that it lacks the operation, which may stand behind status 200.
func (e *Error) NotImplemented() bool {
	return e.Status == http.StatusNotImplemented || e.Says(Unknown)
}

// Unsupported reports whether an error may mean that the server does not know the request. Servers say that in many ways.
func Unsupported(err error) bool {
	e := AsError(err)
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return e.NotImplemented() || e.Class == ClassBadResponse
}

// Temporary reports whether a request that failed may succeed when it is sent again later. Unlike a retry (Config.Retries)
// it looks at what the server said first, which may stand in a response of status 200.
func Temporary(err error) bool {
	e := AsError(err)
	switch {
	case e.Says(Later):
		return true
	case e.Code == "":
		if e.Status/100 == 2 { // it was cut off, unless it is nothing that can be read
			return e.Class != ClassBadResponse
		}
	default:
		if e.Status/100 != 5 && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout {
			return false
		}
	}
	return Retryable(err)
}

// Retryable reports whether the same request may fare better a moment later.
func Retryable(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Status {
	case 0:
		return e.Class != ClassCanceled && e.Class != ClassBadRequest
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	}
	return e.Status/100 == 5 && e.Status != http.StatusNotImplemented
}

// Outcome returns the status of the response if an error is an outcome, a status that the caller expects; else 0. The condition of a
// request did not hold, or the object was not there, and that is what is measured. It is an error all the same, since the request did not
// do what it says, but it costs no more than a success.
func Outcome(err error, expected []int) int {
	if e := errorIn(err); e != nil && slices.Contains(expected, e.Status) {
		return e.Status
	}
	return 0
}
