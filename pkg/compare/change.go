package compare

import (
	"fmt"
	"math"
	"slices"

	"warp/pkg/aggregate"
)

// values holds a metric over the runs of one side.
type values struct {
	list   []float64 // ascending
	enough bool      // every run has enough samples
}

func valuesOf(m Metric, runs []run) values {
	v := values{enough: true}
	for _, r := range runs {
		value, enough, ok := m.Of(r.Group, r.segment)
		if ok {
			v.list = append(v.list, value)
			v.enough = v.enough && enough
		}
	}
	slices.Sort(v.list)
	return v
}

func newChange(m Metric, before, after values) Change {
	figure := func(v values) Figure {
		return Figure{Value: medianOf(v.list), N: len(v.list), Enough: v.enough}
	}
	c := Change{
		Metric: m.Name, Unit: m.Unit, HigherIsBetter: m.HigherIsBetter,
		Before: figure(before), After: figure(after), Verdict: Unclear,
	}
	b, a := c.Before.Value, c.After.Value
	c.Absolute = a - b
	relative := 0.0
	if a != b {
		relative = c.Absolute / b
	}
	if isFinite(relative) {
		c.Relative = &relative
	}
	return c
}

// tester adds to a change what is known about chance: CI and P, or why not.
type tester interface {
	test(m Metric, c *Change, before, after values)
}

// noTest is the tester for one run against several.
type noTest struct{}

func (noTest) test(m Metric, c *Change, _, _ values) {
	if !c.refuse(m) {
		c.Note = "not tested: one side has only one run"
	}
}

// refuse notes what rules out a test, and reports whether anything does.
func (c *Change) refuse(m Metric) bool {
	switch {
	case !c.Before.Enough || !c.After.Enough:
		c.TooFew = true
		c.Note = fmt.Sprintf("too few samples for %s: less than ten requests lie beyond it", m.Name)
	case c.Before.Value <= 0 || c.After.Value <= 0:
		c.Note = "not tested: it is 0 on one side or both"
	}
	return c.Note != ""
}

func (c *Change) setP(p float64) { c.P = &p }

func (c *Change) setCI(low, high float64) {
	if isFinite(low) && isFinite(high) {
		c.CI = &Interval{low, high}
	}
}

// judge corrects the p-values for their number, and sets which changes are significant. The family is the primary
// changes that were tested. The others do not count in it, because they mostly restate the primary ones; each is
// corrected as if it stood in for one of those.
func (c *Comparison) judge() {
	var family []float64
	c.each(func(ch *Change) {
		if ch.Primary && ch.P != nil {
			family = append(family, *ch.P)
		}
	})
	c.Family = len(family)
	alpha := 1 - c.Confidence
	c.each(func(ch *Change) {
		if ch.P == nil {
			return
		}
		if least := minP(ch.Before.N, ch.After.N) * float64(max(1, c.Family)); c.Method == Ranks && least > alpha {
			ch.TooFew = true
			ch.Note = fmt.Sprintf("too few runs: %d against %d cannot be distinguished from chance, need at least %d per side",
				ch.Before.N, ch.After.N, runsNeeded(alpha, c.Family))
		}
		adjusted := holm(*ch.P, family)
		ch.Adjusted = &adjusted
		ch.Significant = adjusted < alpha && ch.Relative != nil && math.Abs(*ch.Relative) > max(c.Threshold, resolution)
		switch {
		case !ch.Significant:
		case (*ch.Relative > 0) == ch.HigherIsBetter:
			ch.Verdict = Improved
		default:
			ch.Verdict = Regressed
		}
	})
}

func (c *Comparison) each(f func(*Change)) {
	for _, t := range c.Kinds {
		for i := range t.Changes {
			f(&t.Changes[i])
		}
	}
}

// note adds caveats about the comparison as a whole.
func (c *Comparison) note(runs []*aggregate.Snapshot) {
	switch {
	case len(c.Kinds) == 0: // no method was used
	case c.Method == Bootstrap:
		c.Notes = append(c.Notes, "one run on each side: the test accounts for variation within "+
			"these two runs, not for variation between runs; compare several runs for that")
	case c.Method == Untested:
		c.Notes = append(c.Notes, "nothing is tested: compare one run with one, or at least two with at least two")
	}
	for _, s := range runs {
		if s.Segment != runs[0].Segment {
			c.Notes = append(c.Notes, fmt.Sprintf("segments are %v long in one run and %v in another, so their fastest, median "+
				"and slowest segments are not comparable; use the same segment length", runs[0].Segment, s.Segment))
			return
		}
	}
}

// holm corrects a p-value for multiple tests (Holm, 1979): the smallest of the family is multiplied by their number,
// the next by one less, and so on; none ends up below a smaller one. p may belong to the family or stand in for a
// member.
func holm(p float64, family []float64) float64 {
	sorted := slices.Sorted(slices.Values(family))
	adjusted, left := 0.0, len(sorted)
	for _, q := range sorted {
		if q >= p {
			break
		}
		adjusted = max(adjusted, q*float64(left))
		left--
	}
	return min(1, max(adjusted, p*float64(max(left, 1))))
}
