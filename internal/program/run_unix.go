//go:build unix

package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// order is what a keeper is told on its standard input. The end of that input tells it to end the program.
type order struct {
	Path    string
	Command []string
}

// ending is what a keeper says, on another file, of the program's end.
type ending struct {
	Err string // empty: it succeeded
}

// run has a keeper run a program.
func run(ctx context.Context, path string, command, env []string, out io.Writer) error {
	cmd, err := Keeper.Command()
	if err != nil {
		return err
	}
	input, orders, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = orders.Close() }()
	answers, answer, err := os.Pipe()
	if err != nil {
		_ = input.Close()
		return err
	}
	defer func() { _ = answers.Close() }()
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = env, input, out, out, grace
	cmd.ExtraFiles = []*os.File{answer}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in a terminal does not reach it
	err = cmd.Start()
	_, _ = input.Close(), answer.Close() // the keeper has them
	if err != nil {
		return err
	}
	writeErr := json.NewEncoder(orders).Encode(order{path, command})
	stop := context.AfterFunc(ctx, func() { _ = orders.Close() })
	defer stop()
	var end ending
	readErr := json.NewDecoder(answers).Decode(&end)
	waitErr := wait(cmd)
	switch {
	case end.Err != "":
		return errors.New(end.Err)
	case readErr != nil:
		return errors.Join(fmt.Errorf("the process that runs it has ended: %w", readErr), writeErr, waitErr)
	}
	return nil
}
