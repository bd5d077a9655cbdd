package script

import (
	"time"

	"warp/pkg/gate"
	"warp/pkg/units"
)

// rulesOf returns the rules of a run.
func rulesOf(e evaluator, ph *Phase, label, path string) (list []Rule) {
	for i := range ph.Expect {
		x := &ph.Expect[i]
		at := indexed(path+".expect", i)
		text, ok := e.text(x.If, at)
		if !ok {
			e.add(x.Pos, at, "no rule (want one as in %q)", "get.p99 < 50ms")
			continue
		}
		over, abort := overOf(e, x.Over, at+".over"), e.isTrue(x.Abort, at+".abort")
		rules, err := gate.Parse(text)
		if err != nil {
			e.add(x.If.Pos, at, "%v", err)
			continue
		}
		for _, rule := range rules {
			if rule.Relative {
				e.add(x.If.Pos, at, "%q is about a change, which only \"warp cmp\" knows", text)
				continue
			}
			out := Rule{Stream: label, Text: rule.String(), Broken: rule.Negated(), Over: over, Abort: abort}
			if over > 0 || abort {
				if err := out.Broken.CheckOver(over, abort); err != nil {
					e.add(x.If.Pos, at, "%v", err)
				}
			}
			if over > 0 {
				out.Text += " over " + units.Span(over)
			}
			list = append(list, out)
		}
	}
	return list
}

// overOf returns the length of the window on which a rule is judged; 0: the whole phase.
func overOf(e evaluator, v Value, path string) time.Duration {
	text, ok := e.text(v, path)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < gate.MinOver {
		e.add(v.Pos, path, "invalid value %q (want a duration of at least %v, as in 30s)", text, gate.MinOver)
		return 0
	}
	return d
}
