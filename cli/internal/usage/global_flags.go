package usage

import (
	"slices"
	"strconv"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/internal/option"
)

// globalFlags are flags that MinIO warp also takes before the command.
var globalFlags = []string{"json", "quiet", "no-color", "debug", "insecure", "autocompletion"}

// GlobalFlags returns flags of warp itself, which help does not list: those that TakeGlobalFlags gives to the command.
func GlobalFlags() (list []cli.Flag) {
	for _, name := range globalFlags {
		f := &cli.BoolFlag{Name: name, Hidden: true, Local: true, Sources: process.CommandLineOnly()}
		if name == "quiet" {
			f.Aliases = []string{"q"}
		}
		list = append(list, f)
	}
	return list
}

// CheckGlobalFlags refuses, without a command, what all commands refuse.
func CheckGlobalFlags(root *cli.Command) error {
	if root.Bool("autocompletion") {
		return process.UsageErrors(option.Errorf("autocompletion", printScript))
	}
	return nil
}

// TakeGlobalFlags sets the flags of a command that stand before it, as in "warp --json get". What follows the command has precedence.
func TakeGlobalFlags(c *cli.Command) error {
	if len(c.Commands) > 0 {
		return nil
	}
	for _, name := range globalFlags {
		if !c.Root().IsSet(name) {
			continue
		}
		i := slices.IndexFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		if i < 0 {
			return unknownFlag(c, name)
		}
		if !c.Flags[i].IsSet() {
			if err := c.Set(name, strconv.FormatBool(c.Root().Bool(name))); err != nil {
				return err
			}
		}
	}
	return nil
}
