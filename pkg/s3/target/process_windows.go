package target

import (
	"context"
	"os/exec"
	"syscall"
)

// shell returns a command for the shell, which has rules of its own for quotes.
func shell(ctx context.Context, command string) *exec.Cmd {
	c := exec.CommandContext(ctx, "cmd")
	c.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /C "` + command + `"`}
	return c
}
