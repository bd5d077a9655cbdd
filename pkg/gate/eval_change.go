package gate

import (
	"math"
	"slices"

	"warp/pkg/compare"
)

// EvalChange reports whether a comparison violates the rule, with the figures. A rule about an absolute value applies
// to the runs after. A change that may be chance does not violate a rule: "GET.p99 = +12.3% (~)"; where nothing was
// tested, as for extremes, the figure decides. A rule that an unchanged figure violates, like throughput < +5%, demands
// an improvement: it is violated unless the change is significant. Kinds that only one side has are skipped; naming one
// is an error.
func (r Rule) EvalChange(c *compare.Comparison) (broken bool, text string, err error) {
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
	case change == nil:
		return judgement{broken: true, text: undecided("too few samples")}
	case !r.Relative:
		return r.judgeValue(change.After.Value, change.After.Enough)
	}
	return r.judgeChange(change)
}

func (r Rule) judgeChange(c *compare.Change) judgement {
	if c.TooFew {
		return judgement{broken: true, text: undecided(c.Note)}
	}
	relative := math.Inf(1) // it was 0 before
	if c.Relative != nil {
		relative = *c.Relative
	}
	beyond, text := r.holds(relative), "= "+showChange(relative)
	switch {
	case c.P == nil:
		return judgement{broken: beyond, text: text + " (not tested)"}
	case c.Significant:
		return judgement{broken: beyond, text: text}
	}
	return judgement{broken: r.holds(0), text: text + " (~)"}
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
	return judgement{broken: r.holds(relative), text: "= " + showChange(relative)}
}
