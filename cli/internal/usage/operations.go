package usage

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/pkg/bench/work"
)

// OperationCommands returns a command for each benchmark, below a command that measures benchmarks in a way of its own. full makes
// the one that the command line names; the others have no flags.
func OperationCommands(e *process.Env, full func(work.Info) *cli.Command) (commands []*cli.Command) {
	for _, info := range work.Registry() {
		c := &cli.Command{Name: info.Name, Usage: OperationUsage(info), Category: flags.CatOperations}
		if NamesBenchmark(e.Args, info) {
			c = full(info)
		}
		commands = append(commands, c)
	}
	return commands
}

// OperationUsage says in a line what an operation does.
func OperationUsage(info work.Info) string {
	return strings.TrimPrefix(info.Usage, "benchmark ")
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
