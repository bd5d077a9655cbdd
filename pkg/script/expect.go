package script

import (
	"strconv"
	"time"

	"warp/pkg/gate"
	"warp/pkg/units"
)

// expect parses the rules of a phase.
func expect(r *resolver, ph *Phase, label, path string) {
	for i := range ph.Expect {
		e := &ph.Expect[i]
		at := indexed(path+".expect", i)
		text, ok := r.text(e.If, at)
		if !ok {
			r.add(e.Pos, at, "no rule (want one as in %q)", "get.p99 < 50ms")
			continue
		}
		over, abort := overOf(r, e, at), abortOf(r, e, at)
		rules, err := gate.Parse(text)
		if err != nil {
			r.add(e.If.Pos, at, "%v", err)
			continue
		}
		for _, rule := range rules {
			if rule.Relative {
				r.add(e.If.Pos, at, "%q is about a change, which only \"warp cmp\" knows", text)
				continue
			}
			out := Rule{Stream: label, Text: rule.String(), Broken: rule.Negated(), Over: over, Abort: abort}
			if over > 0 || abort {
				if err := out.Broken.CheckOver(over, abort); err != nil {
					r.add(e.If.Pos, at, "%v", err)
				}
			}
			if over > 0 {
				out.Text += " over " + units.Span(over)
			}
			r.rules = append(r.rules, out)
		}
	}
}

// overOf returns the length of the window on which a rule is judged; 0: the whole phase.
func overOf(r *resolver, e *Expect, path string) time.Duration {
	text, ok := r.text(e.Over, path+".over")
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < gate.MinOver {
		r.add(e.Over.Pos, path+".over", "invalid value %q (want a duration of at least %v, as in 30s)", text, gate.MinOver)
		return 0
	}
	return d
}

// abortOf reports whether a rule ends the run.
func abortOf(r *resolver, e *Expect, path string) bool {
	text, ok := r.text(e.Abort, path+".abort")
	if !ok {
		return false
	}
	abort, err := strconv.ParseBool(text)
	if err != nil {
		r.add(e.Abort.Pos, path+".abort", "invalid value %q (want true or false)", text)
	}
	return abort
}
