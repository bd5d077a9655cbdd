//go:build !(linux || darwin || freebsd || netbsd || openbsd || windows)

package ui

import (
	"errors"
	"os"
	"os/exec"
)

type terminalMode struct{}

// modeOf says that there is no guard on this system.
func modeOf(*os.File) (*terminalMode, error) { return nil, errors.ErrUnsupported }

func attachTerminal(*exec.Cmd, *os.File) {}

func ignoreSignals() {}

func restoreTerminal(*terminalMode, []byte) error { return errors.ErrUnsupported }
