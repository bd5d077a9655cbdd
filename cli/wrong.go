package cli

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// What the parser of flags complains of.
var (
	badFlag  = regexp.MustCompile(`^flag provided but not defined: -*(.*)$`)
	badValue = regexp.MustCompile(`(?s)^invalid value (".*") for flag -*([^ :]+): (.*)$`)
	badEnv   = regexp.MustCompile(`(?s)^could not parse (".*") as bool value from (.*) for flag `)
	noValue  = regexp.MustCompile(`^flag needs an argument: -*(.*)$`)
)

// wrongFlag turns what the parser says into a usage error that says what to do.
func wrongFlag(_ context.Context, c *cli.Command, err error, _ bool) error {
	msg := err.Error()
	if m := badFlag.FindStringSubmatch(msg); m != nil {
		return unknownFlag(c, m[1])
	}
	if m := badValue.FindStringSubmatch(msg); m != nil {
		return usageError("%s: %s", m[2], wanted(c, m[2], m[1], m[3]))
	}
	if m := noValue.FindStringSubmatch(msg); m != nil {
		return usageError("%s: a value is missing; write --%s=VALUE", m[1], m[1])
	}
	return usageError("%s", msg)
}

// wrongBeforeCommand is wrongFlag for warp itself, which parses the flags of a command that it does not have too.
func (a *app) wrongBeforeCommand(ctx context.Context, root *cli.Command, err error, sub bool) error {
	if name := a.env.Args[1]; !strings.HasPrefix(name, "-") {
		return unknownCommand(root, name)
	}
	return wrongFlag(ctx, root, err, sub)
}

// wrongEnv turns what the parser says about a variable of the environment into a usage error; it does not ask wrongFlag
// about these. Variables of texts are never wrong, those of bools can be.
func wrongEnv(err error) error {
	if err == nil {
		return nil
	}
	if m := badEnv.FindStringSubmatch(err.Error()); m != nil {
		return usageError("%s: %s is neither true nor false", m[2], m[1])
	}
	return err
}

// wanted says what is wrong with a value, quoted here, of a flag.
func wanted(c *cli.Command, name, quoted, problem string) string {
	is := ""
	for _, f := range c.Flags {
		if !slices.Contains(f.Names(), name) {
			continue
		}
		switch f := f.(type) {
		case *cli.DurationFlag:
			is = "not a length of time; write for instance 30s, 5m or 1h30m"
		case *cli.IntFlag:
			is = "not a whole number"
		case *cli.Uint64Flag:
			is = "not a whole number from 0 on"
		case *cli.FloatFlag:
			is = "not a number"
		case *cli.BoolFlag:
			is = "neither true nor false"
		case *cli.GenericFlag:
			is = wantedOf(f)
		}
	}
	if is == "" {
		return quoted + ": " + problem
	}
	return quoted + " is " + is
}

// wantedOf says what is wrong with a value of a workload's flag; empty if the flag itself says it.
func wantedOf(f *cli.GenericFlag) string {
	v, _ := f.Value.(value)
	g, ok := v.Value.(flag.Getter)
	if !ok {
		return ""
	}
	switch g.Get().(type) {
	case int, int64:
		return "not a whole number"
	case uint, uint64:
		return "not a whole number from 0 on"
	case float64:
		return "not a number"
	case bool:
		return "neither true nor false"
	}
	return ""
}

// unknownFlag is the error for a flag that a command does not have.
func unknownFlag(c *cli.Command, name string) error {
	name, _, _ = strings.Cut(name, "=")
	if c.Root() == c {
		return usageError("warp has no flag --%s before the command; write \"warp COMMAND --%s\"", name, name)
	}
	var names []string
	for _, f := range c.VisibleFlags() {
		names = append(names, f.Names()...)
	}
	hint := ""
	if s := closest(name, names); s != "" {
		hint = fmt.Sprintf("did you mean --%s? ", s)
	}
	return usageError("%s has no flag --%s; %s\"%s --help\" lists all flags", c.FullName(), name, hint, c.FullName())
}

// unknownCommand is the error for a command that there is not.
func unknownCommand(root *cli.Command, name string) error {
	var names []string
	for _, c := range root.Commands {
		names = append(names, c.Name)
	}
	hint := ""
	if s := closest(name, names); s != "" {
		hint = fmt.Sprintf("did you mean %q? ", s)
	}
	return usageError("there is no command %q; %s\"warp help\" lists all commands", name, hint)
}

// closest is the name that was probably meant; empty if none is close.
func closest(given string, names []string) (best string) {
	least := min(len(given)/3+1, 3) + 1
	for _, name := range names {
		if d := distance(given, name); d < least && d < len(name) {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters must be put in, left out or replaced to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
