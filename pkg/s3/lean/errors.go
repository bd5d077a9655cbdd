package lean

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// errStale ends an exchange before anything was sent: the server closed the connection, or sent something unasked.
var errStale = errors.New("the connection was closed while it was idle")

// errEarly means that there is something to read before all of the body was sent.
var errEarly = errors.New("a response came before the body was sent")

// TimeoutError means that a server was silent for too long.
type TimeoutError struct {
	Waited time.Duration
	For    string
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("no %s within %v", e.For, e.Waited) }

// Unwrap makes it an expired deadline, like that of a context.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// Timeout returns true; see net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// Temporary returns true, so that crypto/tls does not give up the connection; see net.Error.
func (e *TimeoutError) Temporary() bool { return true }

// malformed is the error of a response that is not HTTP/1.x (RFC 9112).
func malformed(what string, text []byte) error {
	const enough = 48
	if len(text) > enough {
		text = text[:enough]
	}
	return fmt.Errorf("malformed HTTP %s %q", what, text)
}
