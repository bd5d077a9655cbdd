package cli

import (
	"context"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
)

// benchmarkCommand is the command that performs a benchmark.
func benchmarkCommand(e *Env, info bench.Info) *cli.Command {
	b := newBenchmark(e, info)
	c := b.command()
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if c.Args().Present() {
			return unexpected(c)
		}
		if b.printScenario {
			return writeScenario(ctx, b, c)
		}
		if err := b.makePlan(ctx, c.IsSet); err != nil {
			return err
		}
		return b.measure(ctx)
	}
	return c
}
