// Package program runs the programs of scenarios. A process of its own watches over each of them (the keeper), so that what a program
// has started ends with it when it is stopped, and when warp is killed.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"warp/internal/child"
)

// grace is how long programs have to end after they were told to, and their output to be read after that.
const grace = 5 * time.Second

// Keeper is the process that watches over a program. It runs the program that it is told to, and ends it when its input ends: warp
// has closed it, or was killed.
var Keeper = &child.Kind{Arg: "__program-keeper", Main: keep}

// Run runs a command with an environment, until it ends or ctx does. Both of its outputs go to out. A program that it has left in the
// background when it ended by itself stays.
func Run(ctx context.Context, command, env []string, out io.Writer) error {
	path, err := exec.LookPath(command[0])
	if err == nil {
		err = run(ctx, path, command, env, out)
	}
	switch {
	case ctx.Err() != nil:
		return nil // it was ended, as the phase was
	case err != nil:
		return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return nil
}

// wait waits for a process. A program in the background that has its output open is no error.
func wait(cmd *exec.Cmd) error {
	if err := cmd.Wait(); !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	return nil
}
