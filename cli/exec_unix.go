//go:build unix

package cli

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a program into a process group of its own, so that Ctrl-C in a terminal does not reach it; the end of its context ends the
// group. The function that it returns kills what is left of the group.
func ownGroup(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM); !errors.Is(err, syscall.ESRCH) {
			return err
		}
		return os.ErrProcessDone
	}
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
	}
}
