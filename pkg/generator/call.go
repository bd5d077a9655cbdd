package generator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// call is a name with arguments in parentheses, as in zipf(0.99) or hot(10%,90%,shift=1%/min).
type call struct {
	name string
	args []string
}

// parseCall parses a call. Without parentheses there are no arguments.
func parseCall(text string) (call, error) {
	name, rest, some := strings.Cut(strings.TrimSpace(text), "(")
	c := call{name: strings.TrimSpace(name)}
	if !some {
		return c, nil
	}
	inner, closed := strings.CutSuffix(rest, ")")
	if !closed || strings.ContainsAny(inner, "()") {
		return c, fmt.Errorf("invalid value %q (want NAME or NAME(ARGUMENT,...))", text)
	}
	for arg := range strings.SplitSeq(inner, ",") {
		c.args = append(c.args, strings.TrimSpace(arg))
	}
	return c, nil
}

// take returns the values of arguments by their names; they may be given in this order without them. Empty: not given.
func (c call) take(form string, names ...string) ([]string, error) {
	values := make([]string, len(names))
	for i, arg := range c.args {
		if name, value, named := strings.Cut(arg, "="); named {
			if i = slices.Index(names, strings.TrimSpace(name)); i < 0 {
				return nil, fmt.Errorf("%s: unknown argument %q (want %s)", c.name, name, form)
			}
			arg = strings.TrimSpace(value)
		}
		if i >= len(names) || values[i] != "" || arg == "" {
			return nil, fmt.Errorf("%s: invalid arguments (want %s)", c.name, form)
		}
		values[i] = arg
	}
	return values, nil
}

// parsePercent parses a percentage with its sign.
func parsePercent(text string) (float64, error) {
	number, sign := strings.CutSuffix(text, "%")
	p, err := parseNumber(strings.TrimSpace(number))
	if err != nil || !sign || p > 100 {
		return 0, fmt.Errorf("invalid percentage %q (want 0%% to 100%%)", text)
	}
	return p, nil
}

// maxNumber is the largest number that is parsed.
const maxNumber = 1e18

// parseNumber parses a number from 0.
func parseNumber(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f <= maxNumber) {
		return 0, fmt.Errorf("invalid number %q (want 0 or more)", text)
	}
	return f + 0, nil // no negative zero
}

// number formats a number, so that it is parsed as the same.
func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
