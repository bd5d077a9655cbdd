package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/cli/internal/process"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/gate"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/runinfo"
	"warp/pkg/script"
)

// Recorded returns rules of a scenario as its recording states them. clients returns how many clients perform a stream.
func Recorded(rules []script.Rule, clients func(stream string) int) (list []runinfo.Rule) {
	for _, r := range rules {
		r = r.ForClients(clients(r.Stream))
		list = append(list, runinfo.Rule{
			Stream: r.Stream,
			Text:   r.Text,
			Broken: r.Broken.String(),
			Over:   r.Over,
			Abort:  r.Abort,
		})
	}
	return list
}

// CheckExpected returns an error for each rule about a kind of operation that its stream never performs.
func CheckExpected(c *bench.Compiled, rules []script.Rule) error {
	var errs []error
	for _, rule := range rules {
		var known []string
		for _, kind := range bench.KindsOf(c, rule.Stream) {
			if base := string(kind.Base()); !slices.Contains(known, base) {
				known = append(known, base)
			}
		}
		kind := rule.Broken.Kind
		if kind == "" || kind == gate.Total || len(known) == 0 || slices.Contains(known, string(op.Kind(kind).Base())) {
			continue
		}
		errs = append(errs, fmt.Errorf("expected %s%s: there are no such operations (want %s or %s)", rule.Text, InStream(rule.Stream),
			strings.Join(known, ", "), gate.Total))
	}
	return errors.Join(errs...)
}

// Judge returns the verdict on each rule that streams must meet. Rules about sliding windows have been watched.
func Judge(rules []runinfo.Rule, s *aggregate.Snapshot, watches *Watches) (list []report.Expectation) {
	for _, rule := range rules {
		if e, ok := watches.verdict(rule); ok && rule.Over > 0 {
			list = append(list, e)
			continue
		}
		e := report.Expectation{Stream: rule.Stream, Rule: rule.Text}
		if rule.Over > 0 {
			e.Verdict, e.Found = gate.Unknown, "not known: operations are not recorded, only their statistics"
			list = append(list, e)
			continue
		}
		parsed, err := gate.Parse(rule.Broken)
		if err == nil {
			var text string
			e.Verdict, text, err = parsed[0].Eval(streamOf(s, rule.Stream))
			e.Found, _, _ = strings.Cut(text, ", rule: ")
		}
		if err != nil {
			e.Verdict, e.Found = gate.Unknown, err.Error()
		}
		e.Met = e.Verdict == gate.Held
		list = append(list, e)
	}
	return list
}

// Unmet returns an error for each expectation that is not met, or about which nothing is known.
func Unmet(list []report.Expectation) error {
	var errs []error
	for _, e := range list {
		switch e.Verdict {
		case gate.Broken:
			errs = append(errs, process.WithCode(process.ExitGate, fmt.Errorf("expected %s%s: not met (%s)", e.Rule, InStream(e.Stream), e.Found)))
		case gate.Unknown:
			errs = append(errs, process.WithCode(process.ExitUnknown, fmt.Errorf("expected %s%s: %s", e.Rule, InStream(e.Stream), e.Found)))
		}
	}
	return errors.Join(errs...)
}

// InStream names a stream behind a rule; empty for a rule about all of them.
func InStream(name string) string {
	if name == "" {
		return ""
	}
	return " in " + name
}

// streamOf returns what a snapshot has of a stream; without its name, which the line has already.
func streamOf(s *aggregate.Snapshot, name string) *aggregate.Snapshot {
	only := func(groups []*aggregate.Group) (list []*aggregate.Group) {
		for _, g := range groups {
			if g.Phase == name && !g.Combined() {
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
