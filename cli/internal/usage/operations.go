package usage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/pkg/bench/work"
)

// OperationCommands returns a command for each benchmark, below a command that measures benchmarks in a way of its own. full makes
// the one that the command line names; the others have no flags.
func OperationCommands(e *process.Env, full func(work.Info) *cli.Command) (commands []*cli.Command) {
	for _, info := range work.Registry() {
		c := &cli.Command{Name: info.Name, Usage: info.Usage}
		if NamesBenchmark(e.Args, info) {
			c = full(info)
		}
		commands = append(commands, c)
	}
	return commands
}

// operationsKey is where a command has the flags of all its operations.
const operationsKey = "operations"

// WithShared tells which flags the commands of all operations have, for the help of the command above them.
func WithShared(flags []cli.Flag) map[string]any { return map[string]any{operationsKey: flags} }

// SharedFlags returns the flags that the commands of all operations have.
func SharedFlags(c *cli.Command) []cli.Flag {
	flags, _ := c.Metadata[operationsKey].([]cli.Flag)
	return flags
}

// commandsTitle is the heading of operations; empty for other commands.
func commandsTitle(c *cli.Command) string {
	if c.Metadata[operationsKey] == nil {
		return ""
	}
	return "Operations"
}

// titleOf is what help says at the top: a command of an operation says what the one above it does with it.
func titleOf(c *cli.Command) string {
	if above := c.Lineage(); len(above) > 1 && commandsTitle(above[1]) != "" {
		return strings.Replace(above[1].Usage, "an operation", c.Name, 1)
	}
	return c.Usage
}

// MissingOperation returns the action of such a command when no benchmark follows it.
func MissingOperation(command, example string) cli.ActionFunc {
	return func(_ context.Context, c *cli.Command) error {
		if name := c.Args().First(); name != "" {
			hint := cmp.Or(process.DidYouMean("%q", name, namesOf(c.Commands)), fmt.Sprintf(" (want one of the benchmarks, as in \"%s\")", example))
			return process.UsageError("%s: unknown operation %q%s", command, name, hint)
		}
		return process.UsageError("%s: missing OPERATION (write \"%s\")", command, example)
	}
}

// NamesBenchmark reports whether arguments name a benchmark. To make the flags of all benchmarks would take longer than most commands run.
func NamesBenchmark(args []string, info work.Info) bool { return slices.Contains(args, info.Name) }
