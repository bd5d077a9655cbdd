package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/units"
)

// budget is how many operations may fail.
type budget struct {
	number  int64
	percent float64
	over    time.Duration // of the operations of any such time, during the run; 0: of all, at its end
	text    string        // as it was given
}

const wantBudget = "a number such as 10, a percentage such as 0.1%, or one of a time, which ends the run, such as 5%/30s"

func parseBudget(text string) (b budget, err error) {
	b.text = text
	share, over, timed := strings.Cut(text, "/")
	number, percent := strings.CutSuffix(share, "%")
	switch {
	case percent:
		b.percent, err = strconv.ParseFloat(number, 64)
	case timed:
		err = strconv.ErrSyntax
	default:
		b.number, err = strconv.ParseInt(number, 10, 64)
	}
	if timed && err == nil {
		b.over, err = time.ParseDuration(over)
	}
	if err != nil || b.number < 0 || !(b.percent >= 0 && b.percent <= 100) || timed && b.over < time.Second {
		return budget{}, option.Invalid("max-errors", text, wantBudget)
	}
	return b, nil
}

// broken reports whether more operations of a whole run failed than the budget allows.
func (b *budget) broken(failed, total int64) bool {
	return b.over == 0 && failed > b.number && float64(failed) > b.percent/100*float64(total)
}

// errorLimit ends a run in which too many of the latest operations fail.
type errorLimit struct {
	budget
	stop    context.CancelCauseFunc
	samples []errorSample // of the budget's time, oldest first
}

// errorSample is how many operations there were since the phase began.
type errorSample struct {
	at          time.Time
	ops, failed int64
}

// observe judges the operations of a phase until now.
func (l *errorLimit) observe(now time.Time, ops, failed int64) {
	if l == nil || l.over == 0 {
		return
	}
	if n := len(l.samples); n > 0 && l.samples[n-1].ops > ops {
		l.samples = l.samples[:0] // of the phase before
	}
	l.samples = append(l.samples, errorSample{now, ops, failed})
	from := -1 // the latest sample that is as old as the budget's time
	for from+1 < len(l.samples) && now.Sub(l.samples[from+1].at) >= l.over {
		from++
	}
	if from < 0 {
		return
	}
	l.samples = l.samples[from:]
	ops, failed = ops-l.samples[0].ops, failed-l.samples[0].failed
	if float64(failed) > l.percent/100*float64(ops) {
		l.stop(&codedError{exitErrors, fmt.Errorf("%d of %d operations of the last %s failed; --max-errors allows %s", failed, ops, units.Span(l.over), l.text)})
	}
}
