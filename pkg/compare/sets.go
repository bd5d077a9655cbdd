package compare

import (
	"fmt"
	"math"
)

// rankTest compares several runs with several runs by rank.
type rankTest struct{ confidence float64 }

func (t rankTest) test(m Metric, c *Change, before, after values) {
	c.Before.CI = medianInterval(before.list, t.confidence)
	c.After.CI = medianInterval(after.list, t.confidence)
	if min(len(before.list), len(after.list)) < 2 {
		c.TooFew = true
		c.Note = fmt.Sprintf("too few runs: %d and %d have it, need at least 2 per side", len(before.list), len(after.list))
		return
	}
	if c.refuse(m) {
		return
	}
	_, p := mannWhitney(before.list, after.list)
	c.setP(p)
	if before.list[0] <= 0 || after.list[0] <= 0 {
		return // no logarithm: the change remains that of the medians
	}
	shift, ci := hodgesLehmann(logs(before.list), logs(after.list), t.confidence)
	relative := math.Expm1(shift)
	if !finite(relative) {
		return
	}
	c.Relative, c.Absolute = &relative, relative*c.Before.Value
	if ci != nil {
		c.setCI(math.Expm1(ci.Low), math.Expm1(ci.High))
	}
}

// logs turns relative changes into shifts.
func logs(list []float64) []float64 {
	l := make([]float64, len(list))
	for i, v := range list {
		l[i] = math.Log(v)
	}
	return l
}
