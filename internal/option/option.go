// Package option reports options that cannot be used as they are set. An option is a flag of the command line, and has its
// name wherever it is set, so that an error reads the same everywhere.
package option

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error is what is wrong with one or several options.
type Error struct {
	Names []string // without dashes
	Err   error
}

func (e *Error) Error() string { return "--" + strings.Join(e.Names, ", --") + ": " + e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error about an option, or about several, whose names a comma separates.
func Errorf(names, format string, args ...any) error {
	return Wrap(names, fmt.Errorf(format, args...))
}

// Wrap says which options an error is about; nil stays nil. An error about an option is not wrapped again.
func Wrap(names string, err error) error {
	if known := (*Error)(nil); err == nil || errors.As(err, &known) {
		return err
	}
	return &Error{strings.Split(names, ", "), err}
}

// Invalid is the error for a value that an option does not take; want says which values it takes.
func Invalid(name string, value any, want string) error {
	if text, ok := value.(string); ok {
		return Errorf(name, "invalid value %q (want %s)", text, want)
	}
	return Errorf(name, "invalid value %v (want %s)", value, want)
}

// OneOf is an error unless the value is one of those that an option takes.
func OneOf[T ~string](name string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return Invalid(name, string(value), List(allowed...))
}

// List writes words for a sentence: "a, b or c".
func List[T ~string](words ...T) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			b.WriteString(" or ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}
