package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
)

// operationCommands returns a command for each benchmark, below a command that measures benchmarks in a way of its own. full makes
// the one that the command line names; the others have no flags.
func operationCommands(e *Env, full func(bench.Info) *cli.Command) (commands []*cli.Command) {
	for _, info := range bench.Registry() {
		c := &cli.Command{Name: info.Name, Usage: operationUsage(info), Category: catOperations}
		if namesBenchmark(e.Args, info) {
			c = full(info)
		}
		commands = append(commands, c)
	}
	return commands
}

func operationUsage(info bench.Info) string {
	return "of " + strings.TrimPrefix(info.Usage, "benchmark ")
}

// missingOperation returns the action of such a command when no benchmark follows it.
func missingOperation(command, example string) cli.ActionFunc {
	return func(_ context.Context, c *cli.Command) error {
		if name := c.Args().First(); name != "" {
			hint := cmp.Or(didYouMean("%q", name, namesOf(c.Commands)), fmt.Sprintf(" (want one of the benchmarks, as in \"%s\")", example))
			return usageError("%s: unknown operation %q%s", command, name, hint)
		}
		return usageError("%s: missing OPERATION (write \"%s\")", command, example)
	}
}

// namesBenchmark reports whether arguments name a benchmark. To make the flags of all benchmarks would take longer than most commands run.
func namesBenchmark(args []string, info bench.Info) bool { return slices.Contains(args, info.Name) }
