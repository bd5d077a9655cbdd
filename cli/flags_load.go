package cli

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/urfave/cli/v3"

	"warp/pkg/bench"
	"warp/pkg/load"
)

// loadFlags say how much load there is, and for how long.
type loadFlags struct {
	concurrent  int
	duration    time.Duration
	rate        float64
	autoterm    bool
	autotermDur time.Duration
	autotermPct float64
	syncStart   string
}

func (l *loadFlags) flags() []cli.Flag {
	return categorize(catLoad, []cli.Flag{
		&cli.IntFlag{Name: "concurrent", Destination: &l.concurrent, Value: 20, Usage: "how many `threads` run operations, each one at a time"},
		&cli.DurationFlag{Name: "duration", Destination: &l.duration, Value: 5 * time.Minute, Usage: "measure for this `time`: 30s, 5m, 1h; 0: until Ctrl-C"},
		&cli.FloatFlag{Name: "rps-limit", Destination: &l.rate, Usage: "start operations at this `rate` per second, whether earlier ones are over or not (open loop); latency counts from when an operation was due. Without it each thread starts the next operation when the last one is over"},
		&cli.BoolFlag{Name: "autoterm", Destination: &l.autoterm, Usage: "end when throughput is stable: of the run so far, cut into 25 points, the last 7 are within --autoterm.pct"},
		&cli.DurationFlag{Name: "autoterm.dur", Destination: &l.autotermDur, Value: 15 * time.Second, Usage: "how much `time` throughput must have been stable for"},
		&cli.FloatFlag{Name: "autoterm.pct", Destination: &l.autotermPct, Value: 7.5, Usage: "how many `percent` the points may be off the current one"},
		&cli.StringFlag{Name: "syncstart", Destination: &l.syncStart, Usage: "start measuring when it is `hh:mm` (24 hours, local time)"},
	})
}

// apply sets the load of a phase. The error is about numbers that a plan could not even be written with; what is out of
// range is for the plan to say.
func (l *loadFlags) apply(ph *bench.Phase) error {
	ph.Concurrency, ph.Duration = l.concurrent, l.duration
	var errs []error
	if _, err := load.Rate(l.rate); err != nil && !(l.rate <= 0) {
		errs = append(errs, fmt.Errorf("rps-limit: %w", err))
	} else {
		ph.Rate = l.rate
	}
	if !l.autoterm {
		return errors.Join(errs...)
	}
	ph.Autoterm = &bench.Autoterm{MinDuration: l.autotermDur, Percent: l.autotermPct}
	if math.IsNaN(l.autotermPct) || math.IsInf(l.autotermPct, 0) {
		errs = append(errs, fmt.Errorf("autoterm.pct: %v is not a percentage", l.autotermPct))
		ph.Autoterm.Percent = 1
	}
	return errors.Join(errs...)
}

// start is the next time at which the clock shows --syncstart; zero if it is not set.
func (l *loadFlags) start(now time.Time) (time.Time, error) {
	if l.syncStart == "" {
		return time.Time{}, nil
	}
	t, err := time.ParseInLocation("15:04", l.syncStart, now.Location())
	if err != nil {
		return time.Time{}, fmt.Errorf("syncstart: %q is not a time of the day; use hours and minutes as in 17:05", l.syncStart)
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}
