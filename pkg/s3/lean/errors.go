package lean

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errStale is the end of an exchange that did not begin: the server had closed the connection, or said something on it
// that nobody had asked for. Nothing was sent.
var errStale = errors.New("the connection was closed while it was idle")

// errEarly says that something can be read before the body of the request was sent in full.
var errEarly = errors.New("an answer came before the body was sent")

// TimeoutError says that a server kept silent for too long.
type TimeoutError struct {
	Waited time.Duration
	For    string
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("no %s within %v", e.For, e.Waited) }

// Unwrap makes it a deadline that has passed, whoever noticed first: the socket or the context.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// Timeout is true: see net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary is true, so that TLS does not give up a connection because of it; see net.Error.
func (e *TimeoutError) Temporary() bool { return true }

// malformed is the error of an answer that is not HTTP/1.x as its standard (RFC 9112) has it.
func malformed(what string, text []byte) error {
	const enough = 48
	if len(text) > enough {
		text = text[:enough]
	}
	return fmt.Errorf("malformed HTTP %s %q", what, text)
}
