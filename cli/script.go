package cli

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/scenarios"
	"warp/cli/internal/usage"
	"warp/pkg/script"
)

// scriptCommand has the commands that work on files of scenarios; convert is one of them.
func scriptCommand(e *process.Env, convert *cli.Command) *cli.Command {
	return &cli.Command{
		Name: "script", Usage: "print, format and convert scenarios", ArgsUsage: "COMMAND", HideHelpCommand: true,
		Commands: []*cli.Command{convert, scriptRunCommand(e), initCommand(e), formatCommand(e), schemaCommand(e)},
		Action: func(ctx context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usage.UnknownCommand(c, c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

// scriptRunCommand is "warp run" by another name, since that is where its users look for it.
func scriptRunCommand(e *process.Env) *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "run files: the same as \"warp run\", with all of its flags", ArgsUsage: "FILE... [-- ARGUMENTS OF A SHELL SCRIPT]",
		UsageText: "warp script run --check bench.sh", SkipFlagParsing: true,
		Action: func(ctx context.Context, c *cli.Command) error {
			part := e.Part()
			part.Args = append([]string{"warp", "run"}, c.Args().Slice()...)
			return root(part).Run(usage.Standalone(ctx), usage.WithOptionalValues(part.Args))
		},
	}
}

func initCommand(e *process.Env) *cli.Command {
	return &cli.Command{
		Name: "init", Usage: "print a commented scenario to start with", UsageText: "warp script init > mixed.warp.yaml",
		Action: func(context.Context, *cli.Command) error {
			_, err := io.WriteString(e.Stdout, script.Start)
			return err
		},
	}
}

func schemaCommand(e *process.Env) *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema (draft 2020-12) of scenarios, for editors to check and complete them",
		UsageText: "warp script schema > warp-scenario.schema.json",
		Action: func(ctx context.Context, _ *cli.Command) error {
			text, err := script.Schema(func(operation string) script.Described { return scenarios.NewPlanFlags(ctx, e, operation, nil) })
			if err == nil {
				_, err = e.Stdout.Write(text)
			}
			return err
		},
	}
}

func formatCommand(e *process.Env) *cli.Command {
	write := false
	return &cli.Command{
		Name: "fmt", Usage: "print scenarios in their canonical form", ArgsUsage: "FILE...", UsageText: "warp script fmt --write mixed.warp.yaml",
		Flags: flags.Categorize(flags.CatOutput, []cli.Flag{
			&cli.BoolFlag{Name: "write", Destination: &write, Usage: "write the result to the file, instead of printing it"},
		}),
		Action: func(_ context.Context, c *cli.Command) error { return formatScenarios(e, c.Args().Slice(), write) },
	}
}

// formatScenarios prints files in their canonical form, or writes them.
func formatScenarios(e *process.Env, names []string, write bool) error {
	if len(names) == 0 {
		return process.UsageError("script fmt: missing FILE (- is standard input)")
	}
	var errs []error
	for _, name := range names {
		file, text, err := parseScenario(e, name)
		switch {
		case err != nil:
			errs = append(errs, process.UsageErrors(err))
		case !write || name == "-":
			_, err := io.WriteString(e.Stdout, file.Format())
			errs = append(errs, err)
		case file.Format() != string(text):
			errs = append(errs, files.WriteText(name, file.Format()))
		}
	}
	return errors.Join(errs...)
}

// parseScenario reads a file; - is standard input.
func parseScenario(e *process.Env, name string) (*script.File, []byte, error) {
	shown, text, err := scenarios.ReadText(e, name)
	if err != nil {
		return nil, nil, err
	}
	file, err := script.Parse(shown, text)
	return file, text, err
}
