package usage

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/internal/secret"
)

// The parser's errors have no types, so they are known by their texts. TestParserErrors has the parser make each of them.
var (
	parserUnknown = regexp.MustCompile(`^flag provided but not defined: -*(.*)$`)
	parserInvalid = regexp.MustCompile(`(?s)^invalid value (".*") for flag -*([^ :]+): (.*)$`)
	parserEnv     = regexp.MustCompile(`(?s)^could not parse (".*") as \S+ value from (\S+) for flag [^ :]+: (.*)$`)
	invalidOnce   = regexp.MustCompile(`(?s)^invalid \w+ (".*") (\(want .*\))$`)
	parserMissing = regexp.MustCompile(`^flag needs an argument: -*(.*)$`)
)

// ParserError turns an error of the parser into a usage error in the words of all others.
func ParserError(_ context.Context, c *cli.Command, err error, _ bool) error {
	msg := err.Error()
	if m := parserUnknown.FindStringSubmatch(msg); m != nil {
		return unknownFlag(c, m[1])
	}
	if m := parserInvalid.FindStringSubmatch(msg); m != nil {
		i := slices.IndexFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), m[2]) })
		return process.UsageErrors(option.Errorf(m[2], "invalid value %s%s", m[1], expected(c.Flags[max(i, 0)], m[1], m[3])))
	}
	if m := parserMissing.FindStringSubmatch(msg); m != nil {
		return process.UsageErrors(option.Errorf(m[1], "missing value (write --%s=VALUE)", m[1]))
	}
	return process.UsageError("%s", msg)
}

// expected is what follows the invalid value of a flag: what it takes, or else the flag's own error.
func expected(f cli.Flag, value, text string) string {
	if want := ExpectedValue(f); want != "" {
		return " (want " + want + ")"
	}
	return problemOf(value, text)
}

// problemOf is what follows the invalid value of a flag, which the error of the flag may repeat.
func problemOf(value, text string) string {
	if m := invalidOnce.FindStringSubmatch(text); m != nil && m[1] == value {
		return " " + m[2]
	}
	if strings.HasPrefix(text, "want ") {
		return " (" + text + ")"
	}
	return ": " + strings.ReplaceAll(text, "\n", "; ")
}

// RootParserError is ParserError for warp itself, which also parses the flags of a command that does not exist.
func RootParserError(args []string) cli.OnUsageErrorFunc {
	return func(ctx context.Context, root *cli.Command, err error, sub bool) error {
		if !strings.HasPrefix(args[0], "-") {
			return UnknownCommand(root, args[0])
		}
		return ParserError(ctx, root, err, sub)
	}
}

// VariableError is ParserError for environment variables, which the parser reports past its hook.
func VariableError(e *process.Env, err error) error {
	if err == nil {
		return nil
	}
	m := parserEnv.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	if secret.Variable(m[2]) {
		return process.UsageError("%s: invalid value", m[2])
	}
	return process.UsageError("%s: invalid value %s%s", m[2], m[1], expected(e.FlagOf(m[2]), m[1], m[3]))
}

const wantBool = "true or false"

// ExpectedValue says which values a flag takes; empty if its own error says that.
func ExpectedValue(f cli.Flag) string {
	switch f.Get().(type) {
	case time.Duration:
		return "a duration such as 30s, 5m or 1h30m"
	case int, int64:
		return "an integer"
	case uint, uint64:
		return "an integer from 0"
	case float64:
		return "a number"
	case bool:
		return wantBool
	}
	return ""
}

// unknownFlag is the error for a flag that a command does not have.
func unknownFlag(c *cli.Command, name string) error {
	name, _, _ = strings.Cut(name, "=")
	if c.Root() == c {
		return process.UsageError("unknown flag --%s before the command (write \"warp COMMAND --%s\")", name, name)
	}
	if commandsTitle(c) != "" {
		return process.UsageError("%s: --%s before the operation (write \"warp %s get --%s\")", pathOf(c), name, pathOf(c), name)
	}
	if strings.HasPrefix(pathOf(c), "search ") && slices.Contains(flags.DecidedBySearch(), name) {
		return process.UsageError("%s: no --%s, as a search decides about load and length (see --control, --trial and --budget)", pathOf(c), name)
	}
	var flags []string
	for _, f := range c.VisibleFlags() {
		flags = append(flags, f.Names()[0])
	}
	return process.UsageError("%s: unknown flag --%s%s; \"%s --help\" lists all flags",
		pathOf(c), name, process.DidYouMean("--%s", name, flags), c.FullName())
}

// Unexpected is the error for an argument of a command that has none.
func Unexpected(c *cli.Command) error {
	arg := c.Args().First()
	if flag := strings.TrimLeft(arg, "\u2010\u2011\u2012\u2013\u2014\u2212"); flag != arg {
		return process.UsageError("%s: unexpected argument %q (its dash is no hyphen, as in pages and documents; did you mean %s?)",
			pathOf(c), arg, dashed(flag))
	}
	return process.UsageError("%s: unexpected argument %q", pathOf(c), arg)
}

// UnknownCommand is the error for a command that warp, or a command of it with commands of its own, does not have.
func UnknownCommand(of *cli.Command, name string) error {
	near := process.DidYouMean("%q", name, namesOf(of.Commands))
	if of.Root() != of {
		return process.UsageError("%s: unknown command %q%s; \"%s --help\" lists all commands", pathOf(of), name, near, of.FullName())
	}
	if why, known := foreignCommands[name]; known {
		return process.UsageError("%s: %s", name, why)
	}
	return process.UsageError("unknown command %q%s; \"warp help\" lists all commands", name, near)
}

// UnknownTopic is the error for an argument of "warp help" that is neither a command nor a topic.
func UnknownTopic(of *cli.Command, name string) error {
	if _, known := foreignCommands[name]; known || of.Root() != of {
		return UnknownCommand(of, name)
	}
	names := namesOf(of.Commands)
	for _, t := range Topics {
		names = append(names, t.Name)
	}
	return process.UsageError("help: unknown command or topic %q%s; \"warp help\" lists both", name, process.DidYouMean("%q", name, names))
}

// namesOf returns the names of commands that help lists.
func namesOf(commands []*cli.Command) (names []string) {
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	return names
}
