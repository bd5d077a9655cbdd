package rules

import (
	"context"
	"fmt"
	"slices"

	"warp/cli/internal/process"
	"warp/pkg/aggregate/live"
	"warp/pkg/gate"
	"warp/pkg/runinfo"
)

// ErrorRules ends a run by clients when more operations of a phase failed than a rule allows. Their live statistics count all failures.
type ErrorRules struct {
	list  []errorRule
	ended bool
	stop  context.CancelCauseFunc
}

// errorRule is a rule about a number of errors of a phase.
type errorRule struct {
	runinfo.Rule
	broken gate.Rule
}

// NewErrorRules returns what ends a run by these rules; nil if no rule is about a number of errors.
func NewErrorRules(rules []runinfo.Rule, stop context.CancelCauseFunc) *ErrorRules {
	e := &ErrorRules{stop: stop}
	for _, r := range rules {
		if parsed, err := gate.Parse(r.Broken); err == nil && r.Abort && r.Over == 0 {
			e.list = append(e.list, errorRule{r, parsed[0]})
		}
	}
	if e.list == nil {
		return nil
	}
	return e
}

// Observe judges the figures of all clients together.
func (e *ErrorRules) Observe(kinds []live.Figures) {
	if e == nil || e.ended {
		return
	}
	i := slices.IndexFunc(e.list, func(r errorRule) bool {
		n, ok := r.failed(kinds)
		return ok && r.broken.Holds(n)
	})
	if i >= 0 {
		e.ended = true
		e.stop(process.WithCode(process.ExitGate,
			fmt.Errorf("the run was ended by the rule %s%s, which is violated", e.list[i].Text, InStream(e.list[i].Stream))))
	}
}

// failed returns how many operations failed that the rule is about; of the kind for which there are the most, if it is about each. ok
// is false before the first operation.
func (r *errorRule) failed(kinds []live.Figures) (n float64, ok bool) {
	for _, k := range kinds {
		about := r.broken.Kind
		of := about == "" || about == gate.Total && !k.Kind.IsComposite() || string(k.Kind) == about || string(k.Kind.Base()) == about
		switch ok = ok || of && k.Phase == r.Stream; {
		case !of || k.Phase != r.Stream:
		case about == "":
			n = max(n, float64(k.Errors))
		default:
			n += float64(k.Errors)
		}
	}
	return n, ok
}
