// Package rules judges runs by what users demand of them: --fail-if, --max-errors, and what scenarios expect. Some end a run.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/internal/option"
	"warp/pkg/aggregate"
	"warp/pkg/bench/work"
	"warp/pkg/compare"
	"warp/pkg/gate"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/search"
)

// Flags are the rules that a result must keep.
type Flags struct{ failIf []string }

// Flags has --fail-if.
func (g *Flags) Flags() []cli.Flag {
	return flags.Categorize(flags.CatReport, []cli.Flag{
		&cli.StringSliceFlag{
			Name:        "fail-if",
			Destination: &g.failIf,
			Usage:       "`RULE` exit with 4 if this holds, as in GET.p99>50ms (see \"warp help rules\")",
		},
	})
}

// gateRules are rules to be judged.
type gateRules []gate.Rule

// rules parses the rules. What is wrong with one is a usage error that shows the place.
func (g *Flags) rules() (gateRules, error) {
	rules, err := gate.Parse(g.failIf...)
	if err != nil {
		return nil, process.UsageErrors(option.Wrap("fail-if", err))
	}
	return rules, nil
}

// Rules are rules for a single run.
type Rules struct {
	Of       gateRules
	searches []search.Rule
}

// OfOne parses the rules for a single result, which has nothing to have changed from.
func (g *Flags) OfOne() (r Rules, err error) {
	if r, err = g.OfChange(); err != nil {
		return r, err
	}
	for _, rule := range r.Of {
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
	return process.UsageErrors(option.Errorf("fail-if", "%q is about a change, which only \"warp cmp\" knows", rule))
}

// OfChange parses the rules for a comparison.
func (g *Flags) OfChange() (r Rules, err error) {
	var others Flags
	if r.searches, others.failIf, err = search.CutRules(g.failIf); err != nil {
		return r, process.UsageErrors(err)
	}
	r.Of, err = others.rules()
	return r, err
}

// ruling is a rule, and what was found.
type ruling struct {
	rule    fmt.Stringer
	verdict gate.Verdict
	text    string // what was found, with the rule
	err     error  // no result can be judged by it
}

// Rulings are rules that have been judged.
type Rulings []ruling

// Judge judges the figures and searches of a report.
func (r Rules) Judge(s *aggregate.Snapshot, searches []search.Record) Rulings {
	list := r.judgeSearches(len(searches), func(rule search.Rule, i int) (gate.Verdict, string, error) { return rule.Judge(&searches[i]) })
	return append(list, r.Of.judge(func(rule gate.Rule) (gate.Verdict, string, error) { return rule.Eval(s) })...)
}

// JudgeChange judges a comparison.
func (r Rules) JudgeChange(c *compare.Comparison, searches []search.Change) Rulings {
	list := r.judgeSearches(len(searches),
		func(rule search.Rule, i int) (gate.Verdict, string, error) { return rule.JudgeChange(&searches[i]) })
	return append(list, r.Of.judge(func(rule gate.Rule) (gate.Verdict, string, error) { return rule.EvalChange(c) })...)
}

// judgeSearches judges each rule about searches by each of n searches.
func (r Rules) judgeSearches(n int, judge func(rule search.Rule, i int) (gate.Verdict, string, error)) (list Rulings) {
	for _, rule := range r.searches {
		if n == 0 {
			list = append(list, ruling{rule: rule, verdict: gate.Unknown, text: fmt.Sprintf("not known: there was no search, rule: %s", rule)})
		}
		for i := range n {
			verdict, text, err := judge(rule, i)
			list = append(list, ruling{rule, verdict, text, err})
		}
	}
	return list
}

func (r gateRules) judge(eval func(gate.Rule) (gate.Verdict, string, error)) (list Rulings) {
	for _, rule := range r {
		verdict, text, err := eval(rule)
		list = append(list, ruling{rule, verdict, text, err})
	}
	return list
}

// About returns the rulings as those on one of several recordings.
func (l Rulings) About(name string) Rulings {
	for i := range l {
		l[i].text = name + ": " + l[i].text
		if l[i].err != nil {
			l[i].err = fmt.Errorf("%s: %w", name, l[i].err)
		}
	}
	return l
}

// Err reports all rules that are broken, all whose verdict is not known, and all that are mistakes.
func (l Rulings) Err() error {
	said := map[gate.Verdict][]string{}
	var wrong []error
	for _, r := range l {
		if r.err != nil {
			wrong = append(wrong, option.Wrap("fail-if", r.err))
		} else {
			said[r.verdict] = append(said[r.verdict], "--fail-if: "+r.text)
		}
	}
	unknown := codedLines(process.ExitUnknown, said[gate.Unknown])
	if broken := codedLines(process.ExitGate, said[gate.Broken]); broken != nil {
		return process.WithCode(process.ExitGate, errors.Join(errors.Join(wrong...), broken, unknown))
	}
	return errors.Join(process.UsageErrors(wrong...), unknown)
}

// codedLines returns an error of some lines; nil if there are none.
func codedLines(code int, lines []string) error {
	if lines == nil {
		return nil
	}
	return process.WithCode(code, errors.New(strings.Join(lines, "\n")))
}

// Unanswered returns an error for each search without an answer. A rule about searches takes its place: it has a verdict of its own.
func (r Rules) Unanswered(searches []search.Record) error {
	var lines []string
	for i := range searches {
		res := searches[i].Result()
		if len(r.searches) > 0 || res.Status.Answered() {
			continue
		}
		line := fmt.Sprintf("%s: no answer (%s)", cmp.Or(searches[i].Stream, "search"), res.Status)
		if held := res.AtLeast(); held > 0 {
			line += ": at least " + report.Load(searches[i].Config.Control, held)
		}
		lines = append(lines, line)
	}
	return codedLines(process.ExitUnknown, lines)
}

// Reported returns the rulings as files have them, with those on rules of a scenario.
func (l Rulings) Reported(expected []report.Expectation) (list []report.Ruling) {
	for _, r := range l {
		found, _, _ := strings.Cut(r.text, ", rule: ")
		if r.err != nil {
			found = r.err.Error()
		}
		list = append(list, report.Ruling{
			Source:  report.FailIf,
			Rule:    r.rule.String(),
			Verdict: r.verdict,
			Found:   found,
		})
	}
	for _, e := range expected {
		list = append(list, report.Ruling{
			Source:  report.Expected,
			Stream:  e.Stream,
			Rule:    e.Rule,
			Verdict: e.Verdict,
			Found:   e.Found,
		})
	}
	return list
}

// CheckKinds rejects rules about kinds that no benchmark performs.
func (r gateRules) CheckKinds() error {
	for _, rule := range r {
		if rule.Kind == "" || rule.Kind == gate.Total {
			continue
		}
		known := []string{string(gate.Total)}
		for _, kind := range work.Kinds() {
			known = append(known, string(kind))
		}
		if kind := string(op.Kind(rule.Kind).Base()); !slices.Contains(known, kind) {
			hint := cmp.Or(process.DidYouMean("%s", kind, known), " (want "+option.List(known...)+")")
			return process.UsageErrors(option.Errorf("fail-if", "rule %q, character 1: unknown kind %q%s", rule, kind, hint))
		}
	}
	return nil
}
