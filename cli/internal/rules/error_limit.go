package rules

import (
	"context"
	"fmt"
	"time"

	"warp/cli/internal/flags"
	"warp/cli/internal/process"
	"warp/pkg/units"
)

// ErrorLimit ends a run if too many of its latest operations fail.
type ErrorLimit struct {
	flags.Budget
	stop    context.CancelCauseFunc
	samples []errorSample // of the budget's time, oldest first
}

// NewErrorLimit returns what ends a run by a budget of the latest operations.
func NewErrorLimit(b flags.Budget, stop context.CancelCauseFunc) *ErrorLimit {
	return &ErrorLimit{Budget: b, stop: stop}
}

// errorSample is how many operations there were since the phase began.
type errorSample struct {
	at          time.Time
	ops, failed int64
}

// Observe judges the operations of a phase until now.
func (l *ErrorLimit) Observe(now time.Time, ops, failed int64) {
	if l == nil || l.Over == 0 {
		return
	}
	if n := len(l.samples); n > 0 && l.samples[n-1].ops > ops {
		l.samples = l.samples[:0] // of the phase before
	}
	l.samples = append(l.samples, errorSample{now, ops, failed})
	from := -1 // the latest sample that is as old as the budget's time
	for from+1 < len(l.samples) && now.Sub(l.samples[from+1].at) >= l.Over {
		from++
	}
	if from < 0 {
		return
	}
	l.samples = l.samples[from:]
	ops, failed = ops-l.samples[0].ops, failed-l.samples[0].failed
	if float64(failed) > l.Percent/100*float64(ops) {
		l.stop(process.WithCode(process.ExitErrors,
			fmt.Errorf("%d of %d operations of the last %s failed; --max-errors allows %s", failed, ops, units.Span(l.Over), l.Text)))
	}
}
