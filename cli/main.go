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

// Main runs warp and returns its exit code.
func Main(env Env) int {
	if embedded.IsChild(env.Args[1:]) {
		return embedded.ChildMain(env.Args[1:], env.Stdin, env.Stdout)
	}
	log.SetOutput(io.Discard) // net/http logs unsolicited responses there
	err := envError(root(&env).Run(context.Background(), withOptionalValues(env.Args)))
	if err != nil && !errors.Is(err, syscall.EPIPE) { // the reader of the pipe has gone
		_, _ = io.WriteString(env.Stderr, lines(err))
	}
	return exitCode(err)
}

// root is the command line as a tree of commands.
func root(e *Env) *cli.Command {
	root := &cli.Command{
		Name: "warp", Usage: "measure S3-compatible object storage", Version: Version(),
		Writer: e.Stdout, ErrWriter: e.Stderr,
		EnableShellCompletion: true, HideHelpCommand: true,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return unknownCommand(c, c.Args().First())
			}
			return cli.ShowRootCommandHelp(c)
		},
	}
	for _, info := range bench.Registry() {
		root.Commands = append(root.Commands, newBenchmark(e, info).command())
	}
	root.Commands = append(root.Commands, searchCommand(e), runCommand(e), analyzeCommand(e), compareCommand(e), mergeCommand(e), cleanCommand(e), verifyCommand(e), doctorCommand(e), scriptCommand(e), clientCommand(e), serveCommand(e), versionCommand(e), helpCommand())
	for _, c := range root.Commands {
		acceptForeign(c)
	}
	for _, c := range root.Commands {
		finish(c, c.Name)
	}
	finish(root, "")
	root.OnUsageError = rootParserError(e.Args[1:])
	root.CustomRootCommandHelpTemplate = rootHelp(root)
	return root
}

// finish sets what all commands have in common; path is the command as it is typed, without warp.
func finish(c *cli.Command, path string) {
	c.OnUsageError = parserError
	c.ExitErrHandler = func(context.Context, *cli.Command, error) {} // Main does it
	if path == "" {
		return
	}
	c.CommandNotFound = func(ctx context.Context, c *cli.Command, _ string) { // with --help the parser takes an argument for a topic
		_ = cli.ShowCommandHelp(ctx, c.Root(), c.Name)
	}
	c.CustomHelpTemplate = commandHelp(c, path)
	for _, sub := range c.Commands {
		finish(sub, path+" "+sub.Name)
	}
}

func versionCommand(e *Env) *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Action: func(context.Context, *cli.Command) error {
			_, err := fmt.Fprintln(e.Stdout, "warp version", Version())
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
