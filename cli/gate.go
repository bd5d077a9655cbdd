package cli

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/compare"
	"warp/pkg/gate"
	"warp/pkg/op"
)

// gateFlags are the rules that a result must keep.
type gateFlags struct{ failIf []string }

func (g *gateFlags) flags() []cli.Flag {
	return categorize(catReport, []cli.Flag{
		&cli.StringSliceFlag{Name: "fail-if", Destination: &g.failIf, Usage: "`RULE` exit with status 4 if this rule holds: GET.p99>50ms, errors>0.1%, PUT.throughput<100MiB/s, and for cmp GET.p99>+10%; repeatable"},
	})
}

// gateRules are rules to be judged.
type gateRules []gate.Rule

// rules parses the rules. What is wrong with one is a usage error that shows the place.
func (g *gateFlags) rules() (gateRules, error) {
	rules, err := gate.Parse(g.failIf...)
	if err != nil {
		return nil, usageErrors(option.Wrap("fail-if", err))
	}
	return rules, nil
}

// rulesOfOne parses the rules for a single result, which has nothing to have changed from.
func (g *gateFlags) rulesOfOne() (gateRules, error) {
	rules, err := g.rules()
	for _, rule := range rules {
		if rule.Relative {
			return nil, usageErrors(option.Errorf("fail-if", "%q is about a change, which only \"warp cmp\" knows", rule))
		}
	}
	return rules, err
}

// judge is an error if a report breaks rules.
func (r gateRules) judge(s *aggregate.Snapshot) error {
	return r.verdict(func(rule gate.Rule) (bool, string, error) { return rule.Eval(s) })
}

// judgeChange is an error if a comparison breaks rules.
func (r gateRules) judgeChange(c *compare.Comparison) error {
	return r.verdict(func(rule gate.Rule) (bool, string, error) { return rule.EvalChange(c) })
}

// verdict reports all rules that are broken, and all that are about something that was not measured.
func (r gateRules) verdict(eval func(gate.Rule) (broken bool, text string, err error)) error {
	var broken []string
	var wrong []error
	for _, rule := range r {
		is, text, err := eval(rule)
		switch {
		case err != nil:
			wrong = append(wrong, option.Wrap("fail-if", err))
		case is:
			broken = append(broken, "--fail-if: "+text)
		}
	}
	if broken == nil {
		return usageErrors(wrong...)
	}
	return &codedError{exitGate, errors.Join(append(wrong, errors.New(strings.Join(broken, "\n")))...)}
}

// checkKinds rejects rules about kinds that no benchmark performs.
func (r gateRules) checkKinds() error {
	for _, rule := range r {
		if rule.Kind == "" || rule.Kind == gate.Total {
			continue
		}
		if err := option.OneOf("fail-if", op.Kind(rule.Kind).Base(), append(bench.Kinds(), gate.Total)...); err != nil {
			return err
		}
	}
	return nil
}
