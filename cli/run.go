package cli

import (
	"context"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/cli/internal/runs"
	"warp/cli/internal/scenarios"
	"warp/cli/internal/usage"
	"warp/pkg/bench/work"
)

func runCommand(e *process.Env) *cli.Command {
	r := &scenarios.Run{Benchmark: runs.New(e, work.Info{Name: "run", New: func() work.Workload { return nil }})}
	r.Warp = func(ctx context.Context, e *process.Env) error {
		return usage.VariableError(e, root(e).Run(usage.Standalone(ctx), usage.WithOptionalValues(e.Args)))
	}
	c := &cli.Command{
		Name: "run", Usage: "run scenarios: files that describe a benchmark in phases", ArgsUsage: "FILE... [-- ARGUMENTS]",
		Description: "Runs scenarios one after the other; - is standard input. A file of another tool is run as the scenario that " +
			"\"warp script convert\" prints, a shell script line by line: each command line of a known tool or of warp is a run, " +
			"and nothing else is executed; arguments of the script follow --. A scenario states data sets, the operations on them and their " +
			"order, the load, and the expected results. All files are checked before anything runs. Flags have precedence over the " +
			"file. \"warp script init\" prints a scenario to start with.",
		UsageText: "warp run --host=s3.example.com:9000 mixed.warp.yaml",
		Action:    r.Action,
	}
	c.Flags = append(c.Flags, flags.Categorize(flags.CatScenario, []cli.Flag{
		&cli.GenericFlag{
			Name:    "set",
			Aliases: []string{"var"},
			Value:   flags.Repeated(&r.Set),
			Usage:   "`NAME=VALUE` value of a variable: ${NAME} in the file; repeatable",
		},
		&cli.BoolFlag{
			Name:        "small",
			Destination: &r.Small,
			Usage:       "a trial of seconds, with the values below small in the file",
		},
		&cli.BoolFlag{Name: "check", Destination: &r.Check, Usage: "check the files, and run nothing"},
		&cli.StringFlag{
			Name:        "prices",
			Destination: &r.Prices,
			Usage:       "`FILE` price table for --explain (JSON)",
		},
		&cli.BoolFlag{Name: "explain", Destination: &r.Explain, Usage: "print what a run would do and cost, and run nothing"},
	})...)
	c.Flags = append(c.Flags, flags.Categorize(flags.CatScenario, append(r.Allow.Flags(), r.Foreign.Flags()...))...)
	c.Flags = append(c.Flags, r.Target.Flags(e)...)
	for _, f := range r.Data.Flags("") {
		switch f.Names()[0] {
		case "noclear", "keep-data", "overwrite-kept", "force", "seed":
			c.Flags = append(c.Flags, f)
		}
	}
	c.Flags = append(c.Flags, r.Target.Uploads.Flags()...)
	c.Flags = append(c.Flags, r.Analyze.Compat.Flags(flags.CatTarget, flags.CompatRequests)...)
	c.Flags = append(c.Flags, r.Analyze.Compat.RequestFlags()...)
	c.Flags = append(c.Flags, scenarios.RunFlags(r.Benchmark)...)
	return c
}
