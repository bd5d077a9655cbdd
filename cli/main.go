package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log" //nolint:depguard // only to silence it
	"syscall"

	"github.com/urfave/cli/v3"

	"warp/internal/embedded"
	"warp/pkg/bench"
)

// app is one call of warp.
type app struct {
	env Env
}

// Main runs warp and returns its exit code.
func Main(env Env) int {
	if embedded.IsChild(env.Args[1:]) {
		return embedded.ChildMain(env.Args[1:], env.Stdin, env.Stdout)
	}
	log.SetOutput(io.Discard) // net/http logs unsolicited responses there
	a := &app{env: env}
	err := envError(a.root().Run(context.Background(), env.Args))
	if err != nil && !errors.Is(err, syscall.EPIPE) { // the reader of the pipe has gone
		_, _ = io.WriteString(env.Stderr, lines(err))
	}
	return exitCode(err)
}

// root is the command line as a tree of commands.
func (a *app) root() *cli.Command {
	root := &cli.Command{
		Name: "warp", Usage: "measure S3-compatible object storage", Version: Version(),
		Writer: a.env.Stdout, ErrWriter: a.env.Stderr,
		EnableShellCompletion: true, HideHelpCommand: true,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return unknownCommand(c, c.Args().First())
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
	for _, info := range bench.Registry() {
		root.Commands = append(root.Commands, a.newBenchmark(info).command())
	}
	root.Commands = append(root.Commands, a.analyzeCommand(), a.compareCommand(), a.mergeCommand(), a.cleanCommand(), a.clientCommand(), a.serveCommand(), a.versionCommand(), helpCommand())
	for _, c := range append(root.Commands, root) {
		c.OnUsageError = parserError
		c.ExitErrHandler = func(context.Context, *cli.Command, error) {} // Main does it
		c.CustomHelpTemplate = commandHelp(c)
	}
	root.OnUsageError = a.rootParserError
	root.CustomRootCommandHelpTemplate = rootHelp(root)
	return root
}

func (a *app) versionCommand() *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Action: func(context.Context, *cli.Command) error {
			_, err := fmt.Fprintln(a.env.Stdout, "warp version", Version())
			return err
		},
	}
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command", ArgsUsage: "[COMMAND]",
		Action: func(ctx context.Context, c *cli.Command) error {
			name := c.Args().First()
			switch {
			case name == "":
				return cli.ShowRootCommandHelp(c.Root())
			case c.Root().Command(name) == nil:
				return unknownCommand(c.Root(), name)
			}
			return cli.ShowCommandHelp(ctx, c.Root(), name)
		},
	}
}
