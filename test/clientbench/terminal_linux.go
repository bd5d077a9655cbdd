package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"warp/internal/testkit"
)

// terminal returns a terminal of 120 columns and 40 lines that somebody reads, and what closes it.
func terminal() (*os.File, func() error, error) {
	keyboard, screen, err := testkit.OpenTerminal()
	if err != nil {
		return nil, nil, err
	}
	go func() { _, _ = io.Copy(io.Discard, keyboard) }() // until it is closed
	err = unix.IoctlSetWinsize(int(screen.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120})
	return screen, func() error { _ = screen.Close(); return keyboard.Close() }, err
}
