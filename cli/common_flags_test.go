package cli

import (
	"slices"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench/work"
)

// withoutOutput are commands that neither report nor show progress.
var withoutOutput = []string{"script", "serve", "version", "man", "help", "completion"}

// Programs that call warp can give the same flags to each command that reports, or works in a store.
func TestCommonFlags(t *testing.T) {
	e, _ := testEnv(benchmarks()...)
	commands := slices.DeleteFunc(root(&e).Commands, func(c *cli.Command) bool { return slices.Contains(withoutOutput, c.Name) })
	if len(commands) < len(work.Registry())+10 {
		t.Fatalf("%d commands", len(commands))
	}
	for len(commands) > 0 {
		c := commands[0]
		commands = append(commands[1:], c.Commands...)
		for _, name := range []string{"quiet", "no-color", "overwrite"} {
			if len(c.Commands) == 0 && !slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
				t.Errorf("%s has no --%s", c.Name, name)
			}
		}
	}
}
