package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/scenarios"
)

// conversion is the command that prints the scenario which a file of another tool stands for.
type conversion struct {
	scenarios.Foreign
	env  *process.Env
	vars []string
}

func convertCommand(e *process.Env) *cli.Command {
	c := &conversion{env: e}
	return &cli.Command{
		Name:      "convert",
		Usage:     "print a file of another tool as a scenario",
		ArgsUsage: "FILE",
		Description: "Reads the file of another tool, or standard input if FILE is -, and prints a scenario, with a comment at " +
			"everything that is approximated. What would mislead is an error. Of a shell script, each command line of a known " +
			"tool is printed as a scenario.",
		UsageText: "warp script convert --from hsbench test.sh > test.warp.yaml",
		Flags: flags.Categorize(flags.CatScenario, append(c.Foreign.Flags(),
			&cli.GenericFlag{
				Name:  "var",
				Value: flags.Repeated(&c.vars),
				Usage: "`NAME=VALUE` variable of a template of MinIO warp, or of a job file of fio; repeatable",
			},
		)),
		Action: c.action,
	}
}

// action performs the command.
func (c *conversion) action(ctx context.Context, cmd *cli.Command) error {
	names, err := c.Foreign.Names(cmd.Args().Slice())
	if err != nil {
		return err
	}
	if len(names) != 1 {
		return process.UsageError("script convert: want one file, as in \"warp script convert test.yaml\"")
	}
	name, text, err := c.Foreign.Read(c.env, names[0])
	if err != nil {
		return err
	}
	converted, err := c.convert(ctx, name, text)
	if err != nil {
		return process.UsageErrors(err)
	}
	_, err = io.WriteString(c.env.Stdout, converted)
	return err
}

// convert returns the scenario as text.
func (c *conversion) convert(ctx context.Context, name, text string) (string, error) {
	variables, err := scenarios.VariablesOf("var", c.vars)
	if err != nil {
		return "", err
	}
	if c.IsShell(name, text) {
		converted, err := c.ConvertShell(ctx, c.env, name, text, variables)
		if err == nil {
			err = errors.Join(c.CheckVariables("var", variables, name)...)
		}
		return converted, err
	}
	source, err := c.Source(text)
	if err != nil {
		return "", err
	}
	if source == nil {
		return "", fmt.Errorf("%s: the file of no other tool is recognized; name the tool with --from", name)
	}
	job, err := c.ConvertFile(c.env, source, name, text, variables)
	if err == nil {
		err = errors.Join(c.CheckVariables("var", variables, name)...)
	}
	if err != nil {
		return "", err
	}
	return job.Conversion().Format(), nil
}
