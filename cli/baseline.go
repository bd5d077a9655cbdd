package cli

import (
	"context"
	_ "embed"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
	"warp/pkg/script"
)

// baselineVersion is the version of the definition. A recording says which one it is of.
const baselineVersion = 1

// baselineText is the definition, which is never changed: figures of many months refer to it. Another one gets another version.
//
//go:embed baseline-1.warp.yaml
var baselineText string

// baselineRun is the command that measures what can be compared across stores and months.
type baselineRun struct {
	*scenarioRun
	print bool
}

func baselineCommand(e *Env) *cli.Command {
	b := &baselineRun{scenarioRun: &scenarioRun{benchmark: newBenchmark(e, bench.Info{Name: "baseline", New: func() bench.Workload { return nil }})}}
	b.version = baselineVersion
	c := &cli.Command{
		Name: "baseline", Usage: "measure a fixed set of operations, to be compared across stores and months", Category: catBenchmarks,
		Description: "Searches for the highest rates of small and large uploads and downloads, listings and deletions at which the store meets fixed objectives, for at most 24 minutes, and prints one page. " +
			"What is measured is fixed and has a version, so that the figures of any two stores and days are comparable: \"warp cmp\" compares two recordings.",
		UsageText: "warp baseline --host=s3.example.com:9000",
		Action:    b.action,
	}
	c.Flags = categorize(catWorkload, []cli.Flag{
		&cli.BoolFlag{Name: "print", Destination: &b.print, Usage: "print the definition, a scenario, and run nothing"},
		&cli.BoolFlag{Name: "explain", Destination: &b.explain, Usage: "print what a run would do, phase by phase, and run nothing"},
	})
	c.Flags = append(c.Flags, b.target.flags(e)...)
	c.Flags = append(c.Flags, b.out.flags()...)
	c.Flags = append(c.Flags, b.analyze.flags()...)
	c.Flags = append(c.Flags, b.gate.flags()...)
	c.Flags = append(append(c.Flags, b.http.flags()...), b.push.flags(e)...)
	c.Flags = append(c.Flags, b.clients.flags()...)
	return c
}

func (b *baselineRun) action(ctx context.Context, c *cli.Command) error {
	if c.Args().Present() {
		return unexpected(c)
	}
	if b.print {
		_, err := io.WriteString(b.env.Stdout, baselineText)
		return err
	}
	b.given = givenFlags(c.Flags, b.env.Args)
	name := fmt.Sprintf("baseline-%d", baselineVersion)
	file, err := script.Parse(name, []byte(baselineText))
	if err != nil {
		return err
	}
	s, err := b.resolve(ctx, name, file, nil)
	if err != nil {
		return usageErrors(err)
	}
	return b.perform(ctx, []*scenario{s})
}
