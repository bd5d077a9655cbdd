package search

import (
	"fmt"
	"math"
	"slices"

	"warp/pkg/compare"
)

// Change is how the boundary moved from the searches before to those after.
type Change struct {
	Stream      string            `json:"stream,omitempty"`
	Objectives  []string          `json:"objectives"`
	Control     Control           `json:"control"`
	Before      Side              `json:"before"`
	After       Side              `json:"after"`
	Relative    *float64          `json:"relative,omitempty"` // of the boundary: 0.05 is 5% more; nil: not known
	CI          *compare.Interval `json:"ci,omitempty"`       // of Relative
	P           *float64          `json:"p,omitempty"`        // probability of such a difference by chance alone
	Significant bool              `json:"significant"`
	Verdict     compare.Verdict   `json:"verdict"`
	Note        string            `json:"note,omitempty"` // why there is no claim
}

// Side is the result of the searches on one side.
type Side struct {
	Runs     int      `json:"runs"`
	Statuses []Status `json:"statuses"`
	Held     float64  `json:"held"`               // load that was held: the median of the runs
	Boundary float64  `json:"boundary,omitempty"` // estimate of the load at which objectives are no longer met: the geometric mean of the runs
}

// status returns the common status of the searches of a side: that of the first without an exact answer.
func (s *Side) status() Status {
	for _, status := range s.Statuses {
		if status != Held {
			return status
		}
	}
	return Held
}

// logInterval is an interval around a boundary: the distances of its ends from it, in logarithms.
type logInterval struct{ below, above float64 }

// boundary returns the estimate of the load at which objectives are no longer met, and its interval; ok is false if the search found none.
func (r *Record) boundary(confidence float64) (estimate, low, high float64, ok bool) {
	s := r.Config.state(r.Trials)
	if len(s.floor) == 0 || s.infeasible() || r.Result().Boundary.CI == nil {
		return 0, 0, 0, false
	}
	if _, high, limited := s.bounds(); high == 0 || limited {
		return 0, 0, 0, false
	}
	estimate, low, high = s.interval(confidence)
	return estimate, low, high, true
}

// Compare returns how boundaries moved, for each search that both sides have. Before and after have the searches of each run.
func Compare(before, after [][]Record, o compare.Options) (list []Change) {
	for _, stream := range streamsOf(before) {
		b, a := ofStream(before, stream), ofStream(after, stream)
		if len(a) == 0 {
			continue
		}
		c := Change{Stream: stream, Objectives: b[0].Objectives(), Control: b[0].Config.Control, Verdict: compare.Unclear}
		var before, after logInterval
		c.Before, before = sideOf(b, o.Confidence)
		c.After, after = sideOf(a, o.Confidence)
		switch other := firstIncompatible(slices.Concat(b, a)); {
		case other != nil:
			c.Note = fmt.Sprintf("the searches looked for different loads: %s with %q, and %s with %q", c.Control, c.Objectives,
				other.Config.Control, other.Objectives())
		case c.Before.Boundary == 0 || c.After.Boundary == 0:
			c.Note = fmt.Sprintf("the boundary was not found on both sides: %s, and %s", c.Before.Statuses[0], c.After.Statuses[0])
		default:
			c.decide(before, after, o)
		}
		list = append(list, c)
	}
	return list
}

// decide compares two boundaries. The interval of their ratio follows from their own intervals, which need not be symmetric.
func (c *Change) decide(b, a logInterval, o compare.Options) {
	moved := math.Log(c.After.Boundary / c.Before.Boundary)
	down, up := math.Hypot(a.below, b.above), math.Hypot(a.above, b.below)
	relative := math.Expm1(moved)
	c.Relative, c.CI = &relative, &compare.Interval{Low: math.Expm1(moved - down), High: math.Expm1(moved + up)}
	width := down
	if moved < 0 {
		width = up
	}
	p := 1.0
	if moved != 0 {
		p = math.Erfc(math.Abs(moved) / max(width, 1e-9) * math.Erfinv(o.Confidence))
	}
	c.P = &p
	c.Significant = p < 1-o.Confidence && math.Abs(relative) > o.Threshold
	switch {
	case c.Significant && moved > 0:
		c.Verdict = compare.Improved
	case c.Significant:
		c.Verdict = compare.Regressed
	}
}

// sideOf returns the result of searches of the same kind. With several, the interval is that of their mean: it is as wide as they
// themselves say, or as they differ, whichever is wider.
func sideOf(list []*Record, confidence float64) (s Side, to logInterval) {
	var held, logs []float64
	for _, r := range list {
		res := r.Result()
		s.Runs++
		s.Statuses = append(s.Statuses, res.Status)
		held = append(held, res.Boundary.Held)
		if at, low, high, ok := r.boundary(confidence); ok {
			logs = append(logs, math.Log(at))
			to = logInterval{math.Hypot(to.below, math.Log(at/low)), math.Hypot(to.above, math.Log(high/at))}
		}
	}
	slices.Sort(held)
	s.Held = (held[(len(held)-1)/2] + held[len(held)/2]) / 2
	if len(logs) < len(list) {
		return s, to // the others are no sample of all
	}
	n, mean := float64(len(logs)), 0.0
	for _, x := range logs {
		mean += x / n
	}
	s.Boundary, to = math.Exp(mean), logInterval{to.below / n, to.above / n}
	if n > 1 {
		square := 0.0
		for _, x := range logs {
			square += (x - mean) * (x - mean)
		}
		differ := compare.StudentQuantile(1-confidence, n-1) * math.Sqrt(square/(n-1)/n)
		to = logInterval{max(to.below, differ), max(to.above, differ)}
	}
	return s, to
}

// firstIncompatible returns the first search with another control or other objectives than list[0], or nil.
func firstIncompatible(list []*Record) *Record {
	for _, r := range list[1:] {
		if r.Config.Control != list[0].Config.Control || !slices.Equal(r.Objectives(), list[0].Objectives()) {
			return r
		}
	}
	return nil
}

// Objectives returns the objectives as text.
func (r *Record) Objectives() []string {
	list := []string{}
	for _, o := range r.Config.Objectives {
		list = append(list, o.String())
	}
	return list
}

// streamsOf returns the names of all searches, in order.
func streamsOf(runs [][]Record) (names []string) {
	for _, run := range runs {
		for i := range run {
			if !slices.Contains(names, run[i].Stream) {
				names = append(names, run[i].Stream)
			}
		}
	}
	return names
}

func ofStream(runs [][]Record, stream string) (list []*Record) {
	for _, run := range runs {
		for i := range run {
			if run[i].Stream == stream {
				list = append(list, &run[i])
			}
		}
	}
	return list
}
