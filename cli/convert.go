package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/script/convert"
)

// conversion is the command that prints the scenario which a file of another tool stands for.
type conversion struct {
	env  *Env
	from string
	text string
	vars []string
}

func convertCommand(e *Env) *cli.Command {
	c := &conversion{env: e}
	return &cli.Command{
		Name:      "convert",
		Usage:     "print a file of another tool as a scenario",
		ArgsUsage: "FILE",
		Description: "Reads the file of another tool, or standard input if FILE is -, and prints a scenario, with a comment at everything that is approximated. " +
			"What would mislead is an error. Files of hsbench and s3bench hold their command line.",
		UsageText: "warp script convert --from hsbench test.sh > test.warp.yaml",
		Flags: categorize(catWorkload, []cli.Flag{
			&cli.StringFlag{Name: "from", Destination: &c.from, Usage: "`TOOL` tool that the file is of: " + option.List(convert.Names()...), DefaultText: "what the file says"},
			&cli.StringFlag{Name: "script", Destination: &c.text, Usage: "`STATEMENTS` statements of object-store-bench, instead of a file"},
			&cli.StringSliceFlag{Name: "var", Destination: &c.vars, Usage: "`NAME=VALUE` variable of a template of MinIO warp; may be repeated"},
		}),
		Action: c.action,
	}
}

// action performs the command.
func (c *conversion) action(_ context.Context, cmd *cli.Command) error {
	name, text, err := c.read(cmd)
	if err != nil {
		return err
	}
	converted, err := c.convert(name, text)
	if err != nil {
		return usageErrors(err)
	}
	_, err = io.WriteString(c.env.Stdout, converted)
	return err
}

// read returns the file, and its name in errors.
func (c *conversion) read(cmd *cli.Command) (name, text string, err error) {
	switch {
	case c.text != "" && cmd.Args().Present():
		return "", "", usageErrors(option.Errorf("script", "not with a file"))
	case c.text != "":
		if c.from == "" {
			c.from = "object-store-bench"
		}
		return "--script", c.text, nil
	case cmd.Args().Len() != 1:
		return "", "", usageError("script convert: want one file, as in \"warp script convert test.yaml\"")
	case cmd.Args().First() == "-":
		data, err := io.ReadAll(c.env.Stdin)
		return "standard input", string(data), err
	}
	data, err := os.ReadFile(cmd.Args().First())
	return cmd.Args().First(), string(data), err
}

// convert returns the scenario as text.
func (c *conversion) convert(name, text string) (string, error) {
	vars := map[string]string{}
	for _, v := range c.vars {
		key, value, ok := strings.Cut(v, "=")
		if !ok {
			return "", option.Invalid("var", v, "NAME=VALUE")
		}
		vars[key] = value
	}
	source, ok := convert.Detect(text)
	if c.from != "" {
		var err error
		if source, err = convert.Lookup(c.from); err != nil {
			return "", err
		}
	} else if !ok {
		return "", fmt.Errorf("%s: the file of no other tool is recognized; name the tool with --from", name)
	}
	file, err := source.Convert(name, text, vars)
	if err != nil {
		return "", err
	}
	return file.Format(), nil
}
