package cli

import (
	"errors"
	"fmt"
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
	if r, err = g.rulesOfChange(); err != nil {
		return r, err
	}
	for _, rule := range r.of {
		if rule.Relative {
			return r, relativeError(rule)
		}
	}
	for _, rule := range r.searches {
		if rule.Relative {
			return r, relativeError(rule)
		}
	}
	return r, nil
}

func relativeError(rule fmt.Stringer) error {
	return usageErrors(option.Errorf("fail-if", "%q is about a change, which only \"warp cmp\" knows", rule))
}

// rulesOfChange parses the rules for a comparison.
func (g *gateFlags) rulesOfChange() (r rulesOfRun, err error) {
	var others gateFlags
	if r.searches, others.failIf, err = search.CutRules(g.failIf); err != nil {
		return r, usageErrors(err)
	}
	r.of, err = others.rules()
	return r, err
}

// judge is an error if a report breaks rules.
func (r rulesOfRun) judge(v *reportView) error {
	broken, err := r.judgeSearches(len(v.Searches), func(rule search.Rule, i int) (bool, string, error) { return rule.Judge(&v.Searches[i]) })
	if err != nil {
		return err
	}
	return errors.Join(broken, r.of.judge(v.snapshot))
}

// judgeChange is an error if a comparison breaks rules.
func (r rulesOfRun) judgeChange(c *compare.Comparison, searches []search.Change) error {
	broken, err := r.judgeSearches(len(searches), func(rule search.Rule, i int) (bool, string, error) { return rule.JudgeChange(&searches[i]) })
	if err != nil {
		return err
	}
	return errors.Join(broken, r.of.judgeChange(c))
}

// judgeSearches judges each rule about searches by each of so many; broken is an error that names those that are violated.
func (r rulesOfRun) judgeSearches(n int, judge func(rule search.Rule, i int) (bool, string, error)) (broken, err error) {
	var texts []string
	for _, rule := range r.searches {
		if n == 0 {
			return nil, usageErrors(option.Errorf("fail-if", "%s: there was no search", rule))
		}
		for i := range n {
			is, text, err := judge(rule, i)
			if err != nil {
				return nil, usageErrors(option.Wrap("fail-if", err))
			}
			if is {
				texts = append(texts, "--fail-if: "+text)
			}
		}
	}
	if texts != nil {
		broken = &codedError{exitGate, errors.New(strings.Join(texts, "\n"))}
	}
	return broken, nil
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
