//go:build !windows

package target

import (
	"context"
	"os/exec"
)

// shell returns a command for the shell.
func shell(ctx context.Context, command string) *exec.Cmd {
	return exec.CommandContext(ctx, "sh", "-c", command)
}
