//go:build !(linux || darwin || freebsd || netbsd || openbsd || windows)

package ui

import (
	"errors"
	"os"
	"os/exec"
)

// saveMode says that there is no guard on this system.
func saveMode(*os.File) ([]byte, error) { return nil, errors.ErrUnsupported }

func guards(*exec.Cmd, *os.File) {}

func ignoreSignals() {}

func restoreTerminal(_, _ []byte) error { return errors.ErrUnsupported }
