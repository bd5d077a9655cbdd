//go:build unix && !linux

package program

import (
	"errors"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// adoptOrphans does nothing: this system has no such thing.
func adoptOrphans() {}

// signal sends a signal to the group of the program. What has left the group is not reached.
func (k *keeper) signal(s syscall.Signal) { _ = syscall.Kill(-k.program, s) }

// left reports whether a process of the group is left although there is no child.
func (k *keeper) left() bool { return !errors.Is(syscall.Kill(-k.program, 0), syscall.ESRCH) }
