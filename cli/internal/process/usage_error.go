package process

import (
	"errors"
	"fmt"

	"warp/internal/option"
)

// UsageError marks a mistake in the command line (exit code 2).
func UsageError(format string, args ...any) error {
	return WithCode(ExitUsage, fmt.Errorf(format, args...))
}

// UsageErrors joins mistakes in the command line; nil if there are none.
func UsageErrors(errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return WithCode(ExitUsage, err)
	}
	return nil
}

// DidYouMean is a hint at the name that was probably meant, or empty if no name is near.
func DidYouMean(format, name string, known []string) string {
	near := option.Nearest(name, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean "+format+"?)", near)
}
