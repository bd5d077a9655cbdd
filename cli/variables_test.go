package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/process"
	"warp/pkg/bench/work"
)

// TestWarpVariables: the list of variables is complete, or a user would be told that one of them has no effect.
func TestWarpVariables(t *testing.T) {
	env, _ := testEnv(benchmarks()...)
	commands := root(&env).Commands
	for len(commands) > 0 {
		c := commands[0]
		commands = append(commands[1:], c.Commands...)
		for _, f := range c.Flags {
			d, ok := f.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			for _, name := range d.GetEnvVars() {
				if strings.HasPrefix(name, "WARP_") && !slices.Contains(process.WarpVariables, name) {
					t.Errorf("%s: %s is not in the list", c.FullName(), name)
				}
			}
		}
	}
	if len(work.Registry()) == 0 {
		t.Fatal("no benchmark was asked")
	}
}
