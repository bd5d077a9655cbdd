package cli

import (
	"errors"
	"fmt"
	"strings"

	"warp/pkg/aggregate"
	"warp/pkg/script"
)

// expectations are the rules of a scenario.
type expectations []script.Rule

// judge returns a line for each rule, and an error if one is not met.
func (e expectations) judge(s *aggregate.Snapshot) (lines []string, err error) {
	var broken []error
	for _, rule := range e {
		is, text, err := rule.Broken.Eval(streamOf(s, rule.Stream))
		figures, _, _ := strings.Cut(text, ", rule: ")
		verdict := "met"
		switch {
		case err != nil:
			is, verdict, figures = true, "not met", err.Error()
		case is:
			verdict = "not met"
		}
		line := fmt.Sprintf("Expected %s%s: %s (%s)", rule.Text, inStream(rule.Stream), verdict, figures)
		lines = append(lines, line)
		if is {
			broken = append(broken, &codedError{exitGate, errors.New(line)})
		}
	}
	return lines, errors.Join(broken...)
}

func inStream(name string) string {
	if name == "" {
		return ""
	}
	return " in " + name
}

// streamOf returns what a snapshot has of a stream; without its name, which the line has already.
func streamOf(s *aggregate.Snapshot, name string) *aggregate.Snapshot {
	only := func(groups []*aggregate.Group) (list []*aggregate.Group) {
		for _, g := range groups {
			if g.Phase == name {
				unnamed := *g
				unnamed.Phase = ""
				list = append(list, &unnamed)
			}
		}
		return list
	}
	if name == "" {
		return s
	}
	part := *s
	part.Groups, part.Totals = only(s.Groups), only(s.Totals)
	return &part
}
