package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/urfave/cli/v3"

	"warp/pkg/script"
)

// writeScenario prints a scenario that makes the same plan as the flags. What is wrong with them is reported first.
func writeScenario(ctx context.Context, b *benchmark, c *cli.Command) error {
	if err := b.makePlan(ctx, c.IsSet); err != nil {
		return err
	}
	var given []givenFlag
	for _, f := range c.Flags {
		if inPlan(f) && f.IsSet() {
			given = append(given, givenFlag{f.Names()[0], flagTexts(f)})
		}
	}
	return writeFlagsAsScenario(b, given, script.Load{})
}

// writeFlagsAsScenario prints a scenario of flags, with the seed of the plan.
func writeFlagsAsScenario(b *benchmark, given []givenFlag, load script.Load) error {
	set := []script.Param{script.NewParam("seed", strconv.FormatUint(b.plan.Seed, 10))}
	for _, f := range given {
		if f.name != "seed" {
			set = append(set, script.NewParam(f.name, f.values...))
		}
	}
	file := script.FromFlags(b.info.Name, newPlanFlags(context.Background(), b.env, b.info.Name, nil), set, load)
	_, err := io.WriteString(b.env.Stdout, file.Format())
	return err
}

// flagTexts returns the values of a flag as they are written.
func flagTexts(f cli.Flag) []string {
	if texts, ok := f.Get().([]string); ok {
		return texts
	}
	return []string{fmt.Sprint(f.Get())}
}
