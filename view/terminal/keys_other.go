//go:build !(linux || darwin || freebsd || netbsd || openbsd || windows)

package terminal

import "os"

// keyboard is not supported on this system.
type keyboard struct{}

func openKeyboard(_, _ *os.File, _ *Guard) (*keyboard, error) { return nil, errNoKeys }

func (*keyboard) read() (key byte, ok bool) { return 0, false }
func (*keyboard) wake()                     {}
func (*keyboard) restore() error            { return nil }

// Foreground reports whether this process may read keys from a terminal.
func Foreground(*os.File) bool { return false }
