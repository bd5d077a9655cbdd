package gate

import (
	"fmt"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/units"
)

// stepsOver is the number of steps in a sliding window.
const stepsOver = 10

// MinOver is the minimum length of a window.
const MinOver = time.Second

// Watch judges a rule on a sliding window of a phase: the operations that ended in any time of a given length. It needs memory for that
// time.
type Watch struct {
	rule   Rule
	phase  string
	over   time.Duration // 0: the window is the phase so far
	length int64         // of a step, in nanoseconds
	first  int64         // numbers of the first and the last step; -1 before the first operation
	last   int64
	next   int64 // end of the next window to judge
	kinds  map[op.Kind]map[int64]*aggregate.Group

	decided bool
	worst   judgement
	at      time.Duration // of the worst window, from the first step
	missing string        // why there was nothing to judge in the last window; empty: there was
}

// NewWatch returns a Watch for a rule that passed CheckOver.
func NewWatch(rule Rule, phase string, over time.Duration) *Watch {
	return &Watch{
		rule:   rule,
		phase:  phase,
		over:   over,
		length: int64(over) / stepsOver,
		first:  -1,
		last:   -1,
		kinds:  map[op.Kind]map[int64]*aggregate.Group{},
	}
}

// Add counts an operation. It must not have ended before a time for which Judge was called.
func (w *Watch) Add(o *op.Op) {
	if o.Phase != w.phase {
		return
	}
	step := int64(0)
	if w.length > 0 {
		step = o.End.UnixNano() / w.length
	}
	if w.first < 0 || step < w.first && w.next == 0 {
		w.first = step
	}
	w.last = max(w.last, step)
	count(stepOf(w.kinds, o.Kind, step), o, w.length > 0)
	if !o.Kind.IsComposite() {
		count(stepOf(w.kinds, "", step), o, w.length > 0)
	}
}

// AddStep counts operations that were counted elsewhere, by Steps for the same windows.
func (w *Watch) AddStep(s *Step) {
	if w.first < 0 || s.Number < w.first && w.next == 0 {
		w.first = s.Number
	}
	w.last = max(w.last, s.Number)
	for _, kind := range []op.Kind{s.Kind, ""} {
		if kind == "" && s.Kind.IsComposite() {
			continue
		}
		g := stepOf(w.kinds, kind, s.Number)
		g.Requests, g.Errors, g.Considered = g.Requests+s.Requests, g.Errors+s.Errors, g.Considered+s.Considered
		g.Latency, g.TTFB = hist.Join(g.Latency, s.Latency), hist.Join(g.TTFB, s.TTFB)
	}
}

// Judge judges the windows that ended before a time, and reports whether the rule is violated in one of them.
func (w *Watch) Judge(until time.Time) (broken bool) {
	switch {
	case w.first < 0:
	case w.length == 0:
		w.window(0, 0)
	default:
		w.next = max(w.next, w.first+stepsOver)
		for ; w.next <= min(until.UnixNano()/w.length, w.last+1); w.next++ {
			for _, steps := range w.kinds {
				delete(steps, w.next-stepsOver-1)
			}
			w.window(w.next-stepsOver, w.next-1)
		}
	}
	return w.decided && w.worst.verdict == Broken
}

// Verdict judges what is left, and returns the verdict on the worst window, with its figures. A phase that is shorter than a window is one.
func (w *Watch) Verdict() (v Verdict, text string) {
	if w.first < 0 {
		return Unknown, unknown("no operations in this run")
	}
	if w.length > 0 && w.last-w.first < stepsOver {
		w.window(w.first, w.last)
	} else {
		w.Judge(time.Unix(0, (w.last+1)*max(1, w.length)))
	}
	switch {
	case w.decided && w.over > 0:
		return w.worst.verdict, fmt.Sprintf("%s in the worst %s, which began at %s", w.worst.text, units.Span(w.over),
			units.Span(w.at.Round(100*time.Millisecond)))
	case w.decided:
		return w.worst.verdict, w.worst.text
	case w.missing != "":
		return Unknown, w.missing
	}
	return Unknown, unknown("too few samples in each " + units.Span(w.over))
}

// window judges the operations of steps.
func (w *Watch) window(from, to int64) {
	var list []subjectOf
	kinds := 0
	for kind := range w.kinds {
		if kind != "" && !kind.IsComposite() {
			kinds++
		}
	}
	for kind, steps := range w.kinds {
		if kind == "" && kinds < 2 {
			continue // the total is that of the kind
		}
		sum := &aggregate.Group{Kind: kind}
		for n := from; n <= to; n++ {
			if g := steps[n]; g != nil {
				sum.Requests, sum.Errors, sum.Considered = sum.Requests+g.Requests, sum.Errors+g.Errors, sum.Considered+g.Considered
				sum.Latency, sum.TTFB = hist.Join(sum.Latency, g.Latency), hist.Join(sum.TTFB, g.TTFB)
			}
		}
		list = append(list, subjectOf{compare.Name{Kind: kind, Total: kind == ""}, func() judgement { return w.rule.judgeGroup(sum, 0) }})
	}
	about := w.rule.matching(list)
	if len(about) == 0 {
		w.missing = w.rule.notMeasured(list, "in this run")
		return
	}
	for _, s := range about {
		j := s.judge()
		if j.absent || j.verdict == Unknown || w.decided && !w.rule.worse(j.value, w.worst.value) {
			continue
		}
		j.text = w.rule.subject(s.String()) + " " + j.text
		w.decided, w.worst, w.at = true, j, time.Duration((from-w.first)*w.length)
	}
}
