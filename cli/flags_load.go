package cli

import (
	"errors"
	"math"
	"time"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
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
		&cli.IntFlag{Name: "concurrent", Destination: &l.concurrent, Value: 20, Usage: "`THREADS` number of threads, each of which runs one operation at a time"},
		&cli.DurationFlag{Name: "duration", Destination: &l.duration, Value: 5 * time.Minute, Usage: "`DURATION` how long to measure: 30s, 5m, 1h; 0: until Ctrl-C"},
		&cli.FloatFlag{Name: "rps-limit", Destination: &l.rate, Usage: "`RATE` start this many operations per second, whether earlier ones have finished or not (open loop); latency counts from when an operation was due. Without it, each thread starts its next operation when the last one has finished (closed loop)"},
		&cli.BoolFlag{Name: "autoterm", Destination: &l.autoterm, Usage: "stop when throughput is stable: the last 7 of 25 equal slices of the run differ by at most --autoterm.pct"},
		&cli.DurationFlag{Name: "autoterm.dur", Destination: &l.autotermDur, Value: 15 * time.Second, Usage: "`DURATION` minimum time for which throughput must have been stable"},
		&cli.FloatFlag{Name: "autoterm.pct", Destination: &l.autotermPct, Value: 7.5, Usage: "`PERCENT` maximum deviation from the latest slice, in percent"},
		&cli.StringFlag{Name: "syncstart", Destination: &l.syncStart, Usage: "`HH:MM` time of day at which to start measuring (24 hours, local time)"},
	})
}

// apply sets the load of a phase. It rejects numbers that JSON cannot represent; bench.Compile checks ranges.
func (l *loadFlags) apply(ph *bench.Phase) error {
	ph.Concurrency, ph.Duration = l.concurrent, l.duration
	var errs []error
	if _, err := load.Rate(l.rate); err != nil && !(l.rate <= 0) {
		errs = append(errs, option.Wrap("rps-limit", err))
	} else {
		ph.Rate = l.rate
	}
	if !l.autoterm {
		return errors.Join(errs...)
	}
	ph.Autoterm = &bench.Autoterm{MinDuration: l.autotermDur, Percent: l.autotermPct}
	if math.IsNaN(l.autotermPct) || math.IsInf(l.autotermPct, 0) {
		errs = append(errs, option.Invalid("autoterm.pct", l.autotermPct, "a percentage"))
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
		return time.Time{}, option.Invalid("syncstart", l.syncStart, "a time of day as in 17:05")
	}
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}
