package runs

import (
	"context"
	"errors"
	"testing"

	"warp/cli/internal/process"
	"warp/pkg/bench"
)

func TestStopError(t *testing.T) {
	plain := errors.New("x")
	for _, c := range []struct {
		cause, err error
		code       int
	}{
		{nil, nil, process.ExitOK},
		{nil, plain, process.ExitFailed},
		{process.ErrInterrupt, nil, process.ExitInterrupted},
		{process.ErrInterrupt, plain, process.ExitInterrupted},
		{process.ErrInterrupt, bench.ErrInterrupted, process.ExitInterrupted},
		{process.ErrQuit, nil, process.ExitOK},
		{process.ErrQuit, plain, process.ExitFailed},
		{process.ErrQuit, bench.ErrInterrupted, process.ExitOK},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if c.cause != nil {
			cancel(c.cause)
		}
		if got := process.ExitCode(stopError(ctx, c.err)); got != c.code {
			t.Errorf("after %v with %v: code %d, want %d", c.cause, c.err, got, c.code)
		}
		cancel(nil)
	}
}
