package cli

import (
	"context"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/cli/internal/usage"
	"warp/pkg/bench/work"
)

// benchmarkCommand is the command that performs a benchmark.
func benchmarkCommand(e *process.Env, info work.Info) *cli.Command {
	b := runs.New(e, info)
	c := b.Command()
	c.Action = func(ctx context.Context, c *cli.Command) error {
		if c.Args().Present() {
			return usage.Unexpected(c)
		}
		if b.PrintScenario {
			return scenarios.WriteScenario(ctx, b, c)
		}
		if err := b.MakePlan(ctx, c.IsSet); err != nil {
			return err
		}
		return b.Measure(ctx)
	}
	return c
}
