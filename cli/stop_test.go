package cli

import (
	"context"
	"errors"
	"testing"

	"warp/pkg/bench"
)

func TestStopError(t *testing.T) {
	plain := errors.New("x")
	for _, c := range []struct {
		cause, err error
		code       int
	}{
		{nil, nil, exitOK},
		{nil, plain, exitFailed},
		{errInterrupt, nil, exitInterrupted},
		{errInterrupt, plain, exitInterrupted},
		{errInterrupt, bench.ErrInterrupted, exitInterrupted},
		{errQuit, nil, exitOK},
		{errQuit, plain, exitFailed},
		{errQuit, bench.ErrInterrupted, exitOK},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if c.cause != nil {
			cancel(c.cause)
		}
		if got := exitCode(stopError(ctx, c.err)); got != c.code {
			t.Errorf("after %v with %v: code %d, want %d", c.cause, c.err, got, c.code)
		}
		cancel(nil)
	}
}
