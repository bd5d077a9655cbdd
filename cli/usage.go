package cli

import (
	"errors"
	"fmt"

	"warp/internal/option"
)

// usageError marks a mistake in the command line (exit code 2).
func usageError(format string, args ...any) error {
	return withCode(exitUsage, fmt.Errorf(format, args...))
}

// usageErrors joins mistakes in the command line; nil if there are none.
func usageErrors(errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return withCode(exitUsage, err)
	}
	return nil
}

// didYouMean is a hint at the name that was probably meant; empty if none is near.
func didYouMean(format, name string, known []string) string {
	near := option.Nearest(name, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean "+format+"?)", near)
}
