package cli

import (
	"context"
	_ "embed"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/cli/internal/usage"
	"warp/pkg/bench/work"
	"warp/pkg/script"
	"warp/pkg/script/convert/draft"
)

// baselineVersion is the version of the definition. A recording says which one it is of.
const baselineVersion = 1

// baselineText is the definition, which is never changed: figures of many months refer to it. Another one gets another version.
//
//go:embed baseline-1.warp.yaml
var baselineText string

// baselineRun is the command that measures what can be compared across stores and months.
type baselineRun struct {
	*scenarios.Run
	print bool
}

func baselineCommand(e *process.Env) *cli.Command {
	b := &baselineRun{Run: &scenarios.Run{Benchmark: runs.New(e, work.Info{Name: "baseline", New: func() work.Workload { return nil }})}}
	b.Version = baselineVersion
	c := &cli.Command{
		Name: "baseline", Usage: "measure a fixed set of operations, to compare stores",
		Description: "Searches for the highest rates of small and large uploads and downloads, listings and deletions at which the " +
			"store meets objectives, in at most 24 minutes, and prints one page. Operations and objectives are fixed and have a version, " +
			"so figures of any two stores or days are comparable: \"warp cmp\" compares two recordings.",
		UsageText: "warp baseline --host=s3.example.com:9000",
		Action:    b.action,
	}
	c.Flags = flags.Categorize(flags.CatScenario, []cli.Flag{
		&cli.BoolFlag{Name: "print", Destination: &b.print, Usage: "print the definition, a scenario, and run nothing"},
		&cli.BoolFlag{Name: "explain", Destination: &b.Explain, Usage: "print what a run would do, phase by phase, and run nothing"},
	})
	c.Flags = append(c.Flags, b.Target.Flags(e)...)
	c.Flags = append(c.Flags, b.Out.Flags()...)
	c.Flags = append(c.Flags, b.Analyze.Flags()...)
	c.Flags = append(c.Flags, b.Gate.Flags()...)
	c.Flags = append(append(c.Flags, b.HTTP.Flags()...), b.Push.Flags(e)...)
	c.Flags = append(c.Flags, b.Clients.Flags()...)
	return c
}

func (b *baselineRun) action(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return usage.Unexpected(c)
	}
	if b.print {
		_, err := io.WriteString(b.Env.Stdout, baselineText)
		return err
	}
	b.TakeFlags(c)
	name := fmt.Sprintf("baseline-%d", baselineVersion)
	file, err := script.Parse(name, []byte(baselineText))
	if err != nil {
		return err
	}
	s, err := b.Resolve(ctx, name, &draft.Job{File: file}, nil)
	if err != nil {
		return process.UsageErrors(err)
	}
	return b.Perform(ctx, []*scenarios.Scenario{s})
}
