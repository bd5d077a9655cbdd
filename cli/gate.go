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
	"warp/pkg/search"
)

// gateFlags are the rules that a result must keep.
type gateFlags struct{ failIf []string }

func (g *gateFlags) flags() []cli.Flag {
	return categorize(catReport, []cli.Flag{
		&cli.StringSliceFlag{Name: "fail-if", Destination: &g.failIf, Usage: "`RULE` exit with status 4 if this rule holds: GET.p99>50ms, errors>0.1%, PUT.throughput<100MiB/s, search.rate<4000/s of a search, and for cmp GET.p99>+10%; repeatable"},
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

// rulesOfRun are rules for a single run.
type rulesOfRun struct {
	of       gateRules
	searches []search.Rule
}

// rulesOfOne parses the rules for a single result, which has nothing to have changed from.
func (g *gateFlags) rulesOfOne() (r rulesOfRun, err error) {
	var others gateFlags
	if r.searches, others.failIf, err = search.CutRules(g.failIf); err != nil {
		return r, usageErrors(err)
	}
	r.of, err = others.rules()
	for _, rule := range r.of {
		if rule.Relative {
			return r, usageErrors(option.Errorf("fail-if", "%q is about a change, which only \"warp cmp\" knows", rule))
		}
	}
	return r, err
}

// judge is an error if a report breaks rules.
func (r rulesOfRun) judge(v *reportView) error {
	var broken []string
	for _, rule := range r.searches {
		if len(v.Searches) == 0 {
			return usageErrors(option.Errorf("fail-if", "%s: there was no search", rule))
		}
		for i := range v.Searches {
			is, text, err := rule.Judge(&v.Searches[i])
			if err != nil {
				return usageErrors(option.Wrap("fail-if", err))
			}
			if is {
				broken = append(broken, "--fail-if: "+text)
			}
		}
	}
	err := r.of.judge(v.snapshot)
	if broken != nil {
		err = errors.Join(&codedError{exitGate, errors.New(strings.Join(broken, "\n"))}, err)
	}
	return err
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
