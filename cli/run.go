package cli

import (
	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
)

func runCommand(e *Env) *cli.Command {
	r := &scenarioRun{benchmark: newBenchmark(e, bench.Info{Name: "run", New: func() bench.Workload { return nil }})}
	c := &cli.Command{
		Name: "run", Usage: "run scenarios: files that say what is measured, in phases", ArgsUsage: "FILE...", Category: catBenchmarks,
		Description: "Runs scenarios one after the other; - is standard input. A file of another tool is run as the scenario that \"warp script convert\" prints. A scenario says which data sets there are, which operations run on them in which order, under which load, " +
			"and what the result must be. All files are checked before anything runs. Flags have precedence over the file. \"warp script init\" prints a scenario to start with.",
		UsageText: "warp run --host=s3.example.com:9000 mixed.warp.yaml",
		Action:    r.action,
	}
	c.Flags = append(c.Flags, categorize(catWorkload, []cli.Flag{
		&cli.GenericFlag{Name: "set", Aliases: []string{"var"}, Value: value{(*texts)(&r.set)}, Usage: "`NAME=VALUE` value of a variable: ${NAME} in the file; repeatable"},
		&cli.BoolFlag{Name: "check", Destination: &r.check, Usage: "check the files, and run nothing"},
		&cli.StringFlag{Name: "prices", Destination: &r.prices, Usage: "`FILE` price table for --explain (JSON), in place of the built-in list prices"},
		&cli.BoolFlag{Name: "explain", Destination: &r.explain, Usage: "print what a run would do, phase by phase, and run nothing"},
	})...)
	c.Flags = append(c.Flags, categorize(catWorkload, append(r.allow.flags(), r.foreign.flags()...))...)
	c.Flags = append(c.Flags, r.target.flags(e)...)
	for _, f := range r.data.flags("") {
		switch f.Names()[0] {
		case "noclear", "keep-data", "force", "seed":
			c.Flags = append(c.Flags, f)
		}
	}
	c.Flags = append(c.Flags, r.target.uploads.flags()...)
	for _, f := range r.load.flags() {
		if f.Names()[0] == "syncstart" {
			c.Flags = append(c.Flags, f)
		}
	}
	c.Flags = append(c.Flags, r.out.flags()...)
	c.Flags = append(c.Flags, r.analyze.flags()...)
	c.Flags = append(c.Flags, r.gate.flags()...)
	c.Flags = append(append(c.Flags, r.http.flags()...), r.push.flags(e)...)
	c.Flags = append(c.Flags, r.clients.flags()...)
	return c
}
