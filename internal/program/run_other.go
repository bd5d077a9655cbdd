//go:build !unix

package program

import (
	"context"
	"io"
	"os/exec"
)

// run runs a program without a keeper: the end of the context ends the program alone.
func run(ctx context.Context, path string, command, env []string, out io.Writer) error {
	cmd := exec.CommandContext(ctx, path, command[1:]...) //nolint:gosec // which is what --allow=exec allows
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, out, out, grace
	if err := cmd.Start(); err != nil {
		return err
	}
	return wait(cmd)
}

// keep does nothing: there are no keepers on this system.
func keep(io.Reader, io.Writer) int { return 1 }
