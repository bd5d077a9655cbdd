package process

import (
	"errors"
	"fmt"
	"testing"
)

func TestExitCodes(t *testing.T) {
	plain := errors.New("x")
	for want, err := range map[int]error{
		ExitOK:          nil,
		ExitFailed:      plain,
		ExitUsage:       fmt.Errorf("around: %w", UsageErrors(plain, nil, plain)),
		ExitErrors:      errors.Join(nil, WithCode(ExitErrors, plain)),
		ExitGate:        fmt.Errorf("around: %w", errors.Join(WithCode(ExitGate, plain), WithCode(ExitErrors, plain))),
		ExitInterrupted: WithCode(ExitInterrupted, errors.Join(plain, WithCode(ExitErrors, plain))),
	} {
		if got := ExitCode(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
	for _, err := range []error{errors.Join(WithCode(ExitErrors, plain), plain), errors.Join(plain, WithCode(ExitGate, plain))} {
		if got := ExitCode(err); got != ExitFailed {
			t.Errorf("%v: %d, but something failed", err, got)
		}
	}
	if err := UsageErrors(nil, nil); err != nil {
		t.Errorf("no complaint is the error %v", err)
	}
}
