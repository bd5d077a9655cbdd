package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/op"
)

// judgement is the result of a rule for one kind of operation.
type judgement struct {
	verdict Verdict
	text    string // "= 61.2ms", "not known: ..."
	absent  bool   // the kind has no such metric: bytes per second of operations that move none

	value float64 // of the metric, of a single run
}

// subjectOf is one kind of operation that a rule may be about.
type subjectOf struct {
	compare.Name
	judge func() judgement // nil if the kind exists but cannot be judged
}

// Eval returns the verdict of a run on the rule, with the figures: "GET.p99 = 61.2ms, rule: GET.p99 > 50ms". It is an
// error if no run can say anything: the rule is about a change, or about a figure that the kind of operation does not have.
func (r Rule) Eval(s *aggregate.Snapshot) (v Verdict, text string, err error) {
	if r.Relative {
		return Unknown, "", fmt.Errorf("rule %v: %s is a change, which needs a comparison of runs (want an absolute value)",
			r, r.value)
	}
	var list []subjectOf
	add := func(g *aggregate.Group, total bool) {
		n := compare.Name{Phase: g.Phase, Kind: g.Kind, Total: total}
		list = append(list, subjectOf{n, func() judgement { return r.judgeGroup(g, s.Segment) }})
	}
	for _, g := range s.Groups {
		add(g, false)
	}
	for _, g := range s.Totals {
		add(g, true)
	}
	return r.decide(list, "in this run")
}

// decide combines the results of the rule for all kinds that it is about: one that violates it is enough, and one that is not known is
// not enough.
func (r Rule) decide(all []subjectOf, where string) (v Verdict, text string, err error) {
	list := r.matching(all)
	if len(list) == 0 {
		return Unknown, fmt.Sprintf("%s, rule: %v", r.notMeasured(all, where), r), nil
	}
	said := map[Verdict][]string{}
	for _, s := range list {
		j := s.judge()
		text := r.subject(s.String()) + " " + j.text
		switch {
		case j.absent && r.Kind != "":
			return Unknown, "", fmt.Errorf("rule %v: %s", r, text)
		case !j.absent:
			said[j.verdict] = append(said[j.verdict], text)
		}
	}
	for _, v := range []Verdict{Broken, Unknown, Held} {
		if said[v] != nil {
			return v, fmt.Sprintf("%s, rule: %v", strings.Join(said[v], "; "), r), nil
		}
	}
	return Unknown, "", fmt.Errorf("rule %v: no kind of operation has %s", r, r.Metric)
}

// matching returns the kinds that the rule is about. In a phase with a single kind, that kind is also the total.
func (r Rule) matching(all []subjectOf) []subjectOf {
	var list []subjectOf
	inPhase, hasTotal := make(map[string]int), make(map[string]bool)
	for _, s := range all {
		if !s.Kind.IsComposite() {
			inPhase[s.Phase]++
		}
		hasTotal[s.Phase] = hasTotal[s.Phase] || s.Total
	}
	for _, s := range all {
		switch {
		case s.Phase == op.PhasePrepare, s.judge == nil:
		case r.Kind == "" && !s.Total,
			r.Kind != "" && !s.Total && strings.EqualFold(r.Kind, string(s.Kind)),
			r.Kind != "" && !s.Total && strings.EqualFold(r.Kind, string(s.Kind.Unlabelled())),
			r.Kind == Total && s.Total,
			r.Kind == Total && !hasTotal[s.Phase] && inPhase[s.Phase] == 1 && !s.Kind.IsComposite():
			list = append(list, s)
		}
	}
	return list
}

// notMeasured says why a rule matches nothing.
func (r Rule) notMeasured(all []subjectOf, where string) string {
	var known []string
	onlyPrepared := ""
	for _, s := range all {
		switch {
		case s.judge == nil:
		case s.Phase != op.PhasePrepare:
			known = append(known, s.String())
		case strings.EqualFold(r.Kind, string(s.Kind)):
			onlyPrepared = " outside of the preparation"
		}
	}
	if len(known) == 0 {
		return unknown("no operations " + where)
	}
	slices.Sort(known)
	return unknown(fmt.Sprintf("no %s operations %s%s (found %s)", r.Kind, where, onlyPrepared, strings.Join(slices.Compact(known), ", ")))
}

const (
	noBytes   = "is not measured: no bytes are moved (use objects)"
	noObjects = "is not measured: an object counts with the request that completes it"
)

func (r Rule) judgeGroup(g *aggregate.Group, segment time.Duration) judgement {
	if r.Metric == Errors {
		return r.judgeErrors(g.Errors, g.Requests)
	}
	m, _ := compare.Lookup(r.Metric)
	value, enough, ok := m.Of(g, segment)
	if !ok && m.Unit == compare.BytesPerSec && g.Considered > 0 && !g.MovesBytes() {
		return judgement{absent: true, text: noBytes}
	}
	if !ok && m.Unit == compare.ObjectsPerSec && g.Considered > 0 && !g.CountsObjects() {
		return judgement{absent: true, text: noObjects}
	}
	if !ok {
		return judgement{verdict: Unknown, text: r.missing()}
	}
	return r.judgeValue(value, enough)
}

// missing is the judgement where a kind has no such figure.
func (r Rule) missing() string {
	if m, _ := compare.Lookup(r.Metric); m.OwnPart() {
		return unknown("the client's own part was not measured")
	}
	return unknown("too few samples")
}

func (r Rule) judgeValue(value float64, enough bool) judgement {
	if !enough {
		return judgement{verdict: Unknown, text: unknown("too few samples")}
	}
	return judgement{verdict: verdictOf(r.Holds(value)), value: value, text: "= " + r.show(value)}
}

func (r Rule) judgeErrors(failed, requests int64) judgement {
	v := float64(failed)
	if r.Percent {
		v = share(failed, requests)
	}
	return judgement{verdict: verdictOf(r.Holds(v)), value: v, text: "= " + r.show(v)}
}

func share(failed, requests int64) float64 {
	if requests == 0 {
		return 0
	}
	return float64(failed) / float64(requests)
}

// unknown returns the text of a rule that cannot be judged.
func unknown(why string) string { return "not known: " + why }

// EvalChange returns the verdict of a comparison on the rule, with the figures. A rule about an absolute value applies
// to the runs after. A change that may be chance does not violate a rule: "GET.p99 = +12.3% (~)"; where nothing was
// tested, as for extremes, the figure decides. A rule that an unchanged figure violates, like throughput < +5%, demands
// an improvement: it is violated unless the change is significant. Nothing is known of kinds that only one side has.
func (r Rule) EvalChange(c *compare.Comparison) (v Verdict, text string, err error) {
	var list []subjectOf
	for _, k := range c.Kinds {
		list = append(list, subjectOf{k.Name, func() judgement { return r.judgeKind(k) }})
	}
	for _, n := range slices.Concat(c.OnlyBefore, c.OnlyAfter) {
		list = append(list, subjectOf{Name: n})
	}
	return r.decide(list, "on both sides")
}

func (r Rule) judgeKind(k *compare.Kind) judgement {
	if r.Metric == Errors {
		if r.Relative {
			return r.judgeErrorChange(k)
		}
		return r.judgeErrors(k.After.Errors, k.After.Operations)
	}
	change := k.Change(r.Metric)
	switch {
	case change == nil && r.unit() == compare.BytesPerSec && k.Change("objects") != nil:
		return judgement{absent: true, text: noBytes}
	case change == nil && r.unit() == compare.ObjectsPerSec && k.Change("avg") != nil:
		return judgement{absent: true, text: noObjects}
	case change == nil:
		return judgement{verdict: Unknown, text: r.missing()}
	case !r.Relative:
		return r.judgeValue(change.After.Value, change.After.Enough)
	}
	return r.judgeChange(change)
}

func (r Rule) judgeChange(c *compare.Change) judgement {
	if c.TooFew || c.Verdict == compare.Correlated {
		return judgement{verdict: Unknown, text: unknown(c.Note)}
	}
	relative := math.Inf(1) // it was 0 before
	if c.Relative != nil {
		relative = *c.Relative
	}
	beyond, text := verdictOf(r.Holds(relative)), "= "+showChange(relative)
	switch {
	case c.P == nil:
		return judgement{verdict: beyond, text: text + " (not tested)"}
	case c.Significant:
		return judgement{verdict: beyond, text: text}
	}
	return judgement{verdict: verdictOf(r.Holds(0)), text: text + " (~)"}
}

// judgeErrorChange compares shares, because one side may have run longer.
func (r Rule) judgeErrorChange(k *compare.Kind) judgement {
	b, a := k.Before.ErrorRate, k.After.ErrorRate
	relative := 0.0
	switch {
	case b > 0:
		relative = a/b - 1
	case a > 0:
		relative = math.Inf(1)
	}
	return judgement{verdict: verdictOf(r.Holds(relative)), text: "= " + showChange(relative)}
}
