//go:build !(linux || darwin || freebsd || netbsd || openbsd || windows)

package terminal

import (
	"errors"
	"os"
	"os/exec"
)

type (
	terminalMode struct{}
	modeTest     struct{}
)

// modeOf says that there is no guard on this system.
func modeOf(*os.File) (*terminalMode, error) { return nil, errors.ErrUnsupported }

func screenMode() modeTest { return modeTest{} }

func attachTerminal(*exec.Cmd, *os.File, *os.File) {}

func ignoreSignals() {}

func restoreTerminal(*modeChange, []byte) error { return errors.ErrUnsupported }
