package usage

import (
	"slices"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench/work"
)

// CommandGroup is a heading of commands in help.
type CommandGroup struct {
	Title    string
	Commands []*cli.Command
}

// loads are the commands, other than benchmarks, that measure.
var loads = []string{"run", "search", "sweep", "baseline", "replay"}

// groups are the headings with the names of their commands. Other benchmarks are operations, and what remains is the last group.
var groups = []struct {
	title string
	names []string
}{
	{"Get started", []string{"get", "put", "mixed", "doctor", "serve"}},
	{"Operations", nil},
	{"Scenarios and load", loads},
	{"Results", []string{"analyze", "cmp", "merge", "trace"}},
	{"Upkeep", []string{"verify", "clean"}},
	{"Other", nil},
}

// CommandGroups returns the commands of warp under their headings.
func CommandGroups(root *cli.Command) (list []CommandGroup) {
	rest := slices.DeleteFunc(slices.Clone(root.Commands), func(c *cli.Command) bool { return c.Hidden })
	take := func(of func(*cli.Command) bool) (taken []*cli.Command) {
		for _, c := range rest {
			if of(c) {
				taken = append(taken, c)
			}
		}
		rest = slices.DeleteFunc(rest, of)
		return taken
	}
	named := make([][]*cli.Command, len(groups))
	for i, g := range groups {
		for _, name := range g.names {
			named[i] = append(named[i], take(func(c *cli.Command) bool { return c.Name == name })...)
		}
	}
	for i, g := range groups {
		if g.names == nil && i < len(groups)-1 {
			named[i] = take(isBenchmark)
		} else if g.names == nil {
			named[i] = rest
		}
		list = append(list, CommandGroup{g.title, named[i]})
	}
	return list
}

// isBenchmark reports whether a command of warp is a benchmark.
func isBenchmark(c *cli.Command) bool {
	info, ok := work.Lookup(c.Name)
	return ok && !info.Hidden
}

// Measures reports whether a command of warp measures a store.
func Measures(c *cli.Command) bool { return isBenchmark(c) || slices.Contains(loads, c.Name) }
