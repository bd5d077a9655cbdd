package scenarios

import (
	"context"
	"io"
	"strconv"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/runs"
	"warp/pkg/script"
)

// WriteScenario prints a scenario that makes the same plan as the flags. What is wrong with them is reported first.
func WriteScenario(ctx context.Context, b *runs.Benchmark, c *cli.Command) error {
	if err := b.MakePlan(ctx, c.IsSet); err != nil {
		return err
	}
	var given []GivenFlag
	for _, f := range c.Flags {
		if InPlan(f) && f.IsSet() && !isCleared(f) {
			given = append(given, GivenBy(f))
		}
	}
	return WriteFlagsAsScenario(b, given, script.Load{})
}

// isCleared reports whether --compat gave the value of a flag to another one.
func isCleared(f cli.Flag) bool {
	g, ok := f.(*cli.GenericFlag)
	return ok && g.Value.String() == ""
}

// WriteFlagsAsScenario prints a scenario of flags, with the seed of the plan. Variables of AWS name files of this machine.
func WriteFlagsAsScenario(b *runs.Benchmark, given []GivenFlag, load script.Load) error {
	set := []script.Param{script.NewParam("seed", strconv.FormatUint(b.Plan.Seed, 10))}
	for _, f := range given {
		if f.name != "seed" && !b.Env.FromAWS(f.name) {
			set = append(set, script.NewParam(f.name, f.values...))
		}
	}
	file := script.FromFlags(b.Info.Name, NewPlanFlags(context.Background(), b.Env, b.Info.Name, nil), set, load)
	_, err := io.WriteString(b.Env.Stdout, file.Format())
	return err
}
