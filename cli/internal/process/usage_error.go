package process

import (
	"errors"
	"fmt"
	"strings"

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

// ErrorLines formats an error for the terminal, one line per mistake.
func ErrorLines(err error) string {
	var b strings.Builder
	for l := range strings.Lines(err.Error()) {
		switch l = strings.TrimRight(l, " \n"); {
		case l == "":
		case strings.HasPrefix(l, "  "): // an excerpt of a file, below what is wrong with it
			b.WriteString(l + "\n")
		default:
			b.WriteString("warp: " + strings.TrimSpace(l) + "\n")
		}
	}
	return b.String()
}
