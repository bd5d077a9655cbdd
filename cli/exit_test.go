package cli

import (
	"errors"
	"fmt"
	"testing"
)

func TestExitCodes(t *testing.T) {
	plain := errors.New("x")
	for want, err := range map[int]error{
		exitOK:          nil,
		exitFailed:      plain,
		exitUsage:       fmt.Errorf("around: %w", usageErrors(plain, nil, plain)),
		exitErrors:      errors.Join(nil, withCode(exitErrors, plain)),
		exitGate:        fmt.Errorf("around: %w", errors.Join(withCode(exitGate, plain), withCode(exitErrors, plain))),
		exitInterrupted: withCode(exitInterrupted, errors.Join(plain, withCode(exitErrors, plain))),
	} {
		if got := exitCode(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
	for _, err := range []error{errors.Join(withCode(exitErrors, plain), plain), errors.Join(plain, withCode(exitGate, plain))} {
		if got := exitCode(err); got != exitFailed {
			t.Errorf("%v: %d, but something failed", err, got)
		}
	}
	if err := usageErrors(nil, nil); err != nil {
		t.Errorf("no complaint is the error %v", err)
	}
}
