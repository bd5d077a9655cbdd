// Package cli is the command line of warp: flags become a plan, the plan is performed, a report is printed.
//
// Output rules: what a program may want to read (the report, JSON, listings) goes to standard output, everything meant
// for a person at the moment (progress, notices, errors) to standard error. An error is one line that begins with
// "warp: ", says what is wrong and where, and a hint what to do.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log" //nolint:depguard // only to silence it
	"slices"
	"syscall"

	_ "warp/pkg/bench/workload" // registers the benchmarks

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/usage"
	"warp/internal/child"
	"warp/internal/embedded"
	"warp/internal/program"
	"warp/pkg/bench/work"
	"warp/view/terminal"
)

// Env is the process that warp runs in.
type Env = process.Env

// OS is the real process.
func OS() Env { return process.OS() }

// Version is the version of this binary.
func Version() string { return process.Version() }

// Main runs warp and returns its exit code.
func Main(env process.Env) int {
	if code, ran := child.Run(env.Args[1:], env.Stdin, env.Stdout, embedded.Child, program.Keeper, terminal.GuardChild); ran {
		return code
	}
	defer env.Begin()()
	log.SetOutput(io.Discard) // net/http logs unsolicited responses there
	if words, asked := usage.Unfinished(env.Args); asked {
		_, _ = io.WriteString(env.Stdout, usage.Complete(root(&env), words))
		return process.ExitOK
	}
	err := usage.VariableError(&env, root(&env).Run(context.Background(), usage.WithOptionalValues(env.Args)))
	if err != nil && !errors.Is(err, syscall.EPIPE) { // the reader of the pipe has gone
		_, _ = io.WriteString(env.Stderr, env.NameVariables(process.ErrorLines(err)))
	}
	return process.ExitCode(err)
}

// root is the command line as a tree of commands. Benchmarks that the arguments do not name have no flags.
func root(e *process.Env) *cli.Command {
	var profile selfProfile
	root := &cli.Command{
		Flags: append(usage.GlobalFlags(), profile.flags()...), Before: profile.begin, After: profile.end,
		Name: "warp", Usage: "measure S3-compatible object storage", Version: process.Version(),
		Writer: e.Stdout, ErrWriter: e.Stderr,
		HideHelpCommand: true,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usage.UnknownCommand(c, c.Args().First())
			}
			if err := usage.CheckGlobalFlags(c); err != nil {
				return err
			}
			return cli.ShowRootCommandHelp(c)
		},
		Metadata: usage.WithEnvironment(e),
	}
	for _, info := range work.Registry() {
		c := &cli.Command{Name: info.Name, Usage: info.Usage}
		if usage.NamesBenchmark(e.Args, info) {
			c = benchmarkCommand(e, info)
		}
		root.Commands = append(root.Commands, c)
	}
	root.Commands = append(root.Commands,
		searchCommand(e),
		sweepCommand(e),
		baselineCommand(e),
		runCommand(e),
		analyzeCommand(e),
		compareCommand(e),
		mergeCommand(e),
		traceCommand(e),
		replayCommand(e),
		cleanCommand(e),
		verifyCommand(e),
		doctorCommand(e),
		scriptCommand(e, convertCommand(e)),
		clientCommand(e),
		serveCommand(e),
		versionCommand(e),
		manCommand(func() *cli.Command { return entireRoot(e) }),
		helpCommand(),
		completionCommand(e),
	)
	for _, c := range root.Commands {
		usage.AcceptMinIOWarpFlags(c)
		finish(e, c)
	}
	setHooks(root)
	if e.DryRun != process.NotDry {
		root.Before, root.After = nil, nil // profiles of this process
		disableActions(root, e.DryRun == process.PlanOnly)
	}
	e.Commands = func() []*cli.Command { return entireRoot(e).Commands }
	root.CommandNotFound = nil
	root.OnUsageError = usage.RootParserError(e.Args[1:])
	return root
}

// planning are the commands, other than benchmarks, that make a plan of their flags before they do anything.
var planning = []string{"sweep", "search", "baseline", "run"}

// disableActions makes commands do nothing. With plan it leaves those that make a plan: it is not performed.
func disableActions(c *cli.Command, plan bool) {
	for _, sub := range c.Commands {
		_, benchmark := work.Lookup(sub.Name)
		if plan && (benchmark || slices.Contains(planning, sub.Name)) && sub.Name != "replay" { // which reads all of its traces
			continue
		}
		disableActions(sub, plan)
		if len(sub.Commands) == 0 {
			sub.Action = func(context.Context, *cli.Command) error { return nil }
		}
	}
}

// entireRoot is root with the flags of all benchmarks.
func entireRoot(e *process.Env) *cli.Command {
	all := *e
	all.Args = []string{"warp"}
	for _, info := range work.Registry() {
		all.Args = append(all.Args, info.Name)
	}
	return root(&all)
}

// finish sets what all commands of warp have in common.
func finish(e *process.Env, c *cli.Command) {
	e.BindVariables(c.Flags)
	setHooks(c)
	before := c.Before
	c.Before = func(ctx context.Context, c *cli.Command) (context.Context, error) {
		if err := usage.TakeGlobalFlags(c); err != nil || before == nil {
			return ctx, err
		}
		return before(ctx, c)
	}
	for _, sub := range c.Commands {
		finish(e, sub)
	}
}

// setHooks sets what warp and its commands have in common.
func setHooks(c *cli.Command) {
	c.OnUsageError = usage.ParserError
	c.ExitErrHandler = func(context.Context, *cli.Command, error) {}          // Main does it
	c.CommandNotFound = func(ctx context.Context, c *cli.Command, _ string) { // with --help the parser takes an argument for a topic
		_ = cli.ShowCommandHelp(ctx, c.Root(), c.Name)
	}
}

// completionCommand prints scripts for shells.
func completionCommand(e *process.Env) *cli.Command {
	c := &cli.Command{
		Name: "completion", Usage: "print the completion script for bash, zsh, fish or pwsh", ArgsUsage: "SHELL",
		UsageText: "source <(warp completion bash)",
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return process.UsageError("completion: invalid shell %q (want bash, zsh, fish or pwsh)", c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
	for _, shell := range usage.Shells {
		c.Commands = append(c.Commands, &cli.Command{
			Name: shell, Usage: "print the script for " + shell,
			Action: func(context.Context, *cli.Command) error {
				_, err := io.WriteString(e.Stdout, usage.CompletionScript(shell))
				return err
			},
		})
	}
	return c
}

func versionCommand(e *process.Env) *cli.Command {
	return &cli.Command{
		Name: "version", Usage: "print the version",
		Action: func(context.Context, *cli.Command) error {
			_, err := fmt.Fprintln(e.Stdout, "warp version", process.Version())
			return err
		},
	}
}

func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command, or a topic", ArgsUsage: "[COMMAND|TOPIC]",
		Action: func(_ context.Context, c *cli.Command) error {
			if topic, ok := usage.FindTopic(c.Args().First()); ok && c.Args().Len() == 1 {
				_, err := fmt.Fprint(c.Root().Writer, topic.Page(c.Root()))
				return err
			}
			of := c.Root()
			for _, name := range c.Args().Slice() {
				sub := of.Command(name)
				if sub == nil && len(of.Commands) == 0 {
					return process.UsageError("help: unexpected argument %q (%s has no commands of its own)", name, of.FullName())
				}
				if sub == nil {
					return usage.UnknownTopic(of, name)
				}
				of = sub
			}
			cli.HelpPrinter(c.Root().Writer, "", of)
			return nil
		},
	}
}
