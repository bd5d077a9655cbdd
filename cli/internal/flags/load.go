package flags

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/cli/internal/files"
	"warp/internal/input"
	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/units"
)

// DefaultDuration is how long a benchmark measures if nothing else is said.
const DefaultDuration = 5 * time.Minute

// Load say how much load there is, and for how long.
type Load struct {
	Files *Files // that they name

	Concurrent  string
	Duration    time.Duration
	ops         string
	bytes       string
	passes      float64
	warmup      time.Duration
	think       string
	rpsLimit    float64
	rate        string
	Arrivals    string
	MaxInFlight int
	MaxLate     time.Duration
	autoterm    bool
	autotermDur time.Duration
	autotermPct float64
	slope       float64
	HasDuration bool // --duration is given
	syncStart   string
	ok          string
}

// Flags are those about load and length.
func (l *Load) Flags() []cli.Flag {
	return Categorize(CatLoad, append([]cli.Flag{
		&cli.StringFlag{
			Name:        "concurrent",
			Destination: &l.Concurrent,
			Value:       "20",
			Usage:       "`THREADS` threads per client, or a schedule (see \"warp help rate\")",
		},
		&cli.DurationFlag{
			Name:        "duration",
			Destination: &l.Duration,
			Value:       DefaultDuration,
			Usage:       "`DURATION` how long to measure, as in 30s or 1h; 0: no limit",
		},
		&cli.StringFlag{
			Name:        "ops",
			Destination: &l.ops,
			Usage:       "`N` end after N operations of all clients, failed ones included",
		},
		&cli.StringFlag{
			Name:        "bytes",
			Destination: &l.bytes,
			Usage:       "`SIZE` end when this much was transferred, as in 1TiB",
		},
		&cli.FloatFlag{Name: "passes", Destination: &l.passes, Usage: "`N` end after N passes through the data set"},
		&cli.DurationFlag{
			Name:        "warmup",
			Destination: &l.warmup,
			Usage:       "`DURATION` run this long before measuring",
		},
		&cli.StringFlag{
			Name:        "think",
			Destination: &l.think,
			Usage:       "`PAUSE` pause of each thread after an operation: 20ms, exp(20ms), 20ms@start",
		},
		&cli.StringFlag{
			Name:        "rate",
			Destination: &l.rate,
			Usage:       "`RATE` operations per second (open loop), or a schedule (see \"warp help rate\")",
		},
		&cli.FloatFlag{Name: "rps-limit", Destination: &l.rpsLimit, Usage: "`RATE` same as --rate, for each client, and a number only"},
		&Choice{Values: Offered(load.Spacings...), StringFlag: cli.StringFlag{
			Name:        "arrivals",
			Destination: &l.Arrivals,
			Value:       "even",
			Usage:       "`SPACING` with --rate: even, or poisson (random, like independent users)",
		}},
		&cli.IntFlag{
			Name:        "max-inflight",
			Destination: &l.MaxInFlight,
			Usage:       "`N` with --rate: maximum operations at a time, instead of --concurrent",
		},
		&cli.DurationFlag{
			Name:        "max-late",
			Destination: &l.MaxLate,
			Usage:       "`DURATION` with --rate: leave out operations later than this; 0: send all",
		},
	}, l.endFlags()...))
}

// endFlags are about the end of the measurement, its start, and what counts as a failure.
func (l *Load) endFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{
			Name:        "autoterm",
			Destination: &l.autoterm,
			Usage:       "end the run when throughput is stable",
		},
		&cli.DurationFlag{
			Name:        "autoterm.dur",
			Destination: &l.autotermDur,
			Value:       15 * time.Second,
			Usage:       "`DURATION` how long throughput must be stable",
		},
		&cli.FloatFlag{
			Name:        "autoterm.pct",
			Destination: &l.autotermPct,
			Value:       7.5,
			Usage:       "`PERCENT` how far throughput may be from the latest slice",
		},
		&cli.FloatFlag{
			Name:        "autoterm.slope",
			Destination: &l.slope,
			Usage:       "`PERCENT` judge stability by range and slope, up to this slope; 0: off",
		},
		&cli.StringFlag{
			Name:        "ok",
			Destination: &l.ok,
			Usage:       "`STATUSES` HTTP statuses that are not errors, as in 404,503",
		},
		&cli.StringFlag{
			Name:        "syncstart",
			Destination: &l.syncStart,
			Usage:       "`HH:MM` time of day to start measuring (24 hours, local time)",
		},
	}
}

// Apply sets the load of a phase. It rejects numbers that JSON cannot represent; bench.Compile checks ranges.
func (l *Load) Apply(ph *bench.Phase) error {
	ph.Duration, ph.Warmup = l.Duration, l.warmup
	errs := []error{l.applyThreads(ph), l.applyRate(ph), l.applyUntil(ph)}
	if l.think != "" {
		var err error
		if ph.Think, err = load.ParseThink(l.think); err != nil {
			errs = append(errs, option.Wrap("think", err))
		}
	}
	for text := range strings.SplitSeq(l.ok, ",") {
		if l.ok == "" {
			break
		}
		status, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			errs = append(errs, option.Invalid("ok", l.ok, "HTTP statuses, as in 404,503"))
			break
		}
		ph.OK = append(ph.OK, status)
	}
	if !l.autoterm {
		return errors.Join(errs...)
	}
	a := &bench.Autoterm{MinDuration: l.autotermDur, Percent: l.autotermPct, Slope: l.slope}
	for _, f := range []struct {
		flag    string
		percent *float64
	}{{"autoterm.pct", &a.Percent}, {"autoterm.slope", &a.Slope}} {
		if math.IsNaN(*f.percent) || math.IsInf(*f.percent, 0) {
			errs = append(errs, option.Invalid(f.flag, *f.percent, "a percentage"))
			*f.percent = 1
		}
	}
	ph.Autoterm = a
	return errors.Join(errs...)
}

// applyUntil sets the limits other than the duration. With one of them, the duration is unlimited unless it is given too.
func (l *Load) applyUntil(ph *bench.Phase) error {
	var errs []error
	var err error
	if l.ops != "" {
		if ph.Ops, err = units.ParseCount(l.ops); err != nil || ph.Ops == 0 {
			errs = append(errs, option.Invalid("ops", l.ops, "a number from 1, as in 10000, 10k or 1M"))
		}
	}
	if l.bytes != "" {
		if ph.Bytes, err = units.ParseSize(l.bytes); err != nil || ph.Bytes == 0 {
			errs = append(errs, option.Invalid("bytes", l.bytes, "a size from 1, as in 1TiB"))
		}
	}
	if math.IsNaN(l.passes) || math.IsInf(l.passes, 0) {
		errs = append(errs, option.Invalid("passes", l.passes, "0 or more"))
	} else {
		ph.Passes = l.passes
	}
	if !l.HasDuration && (ph.Ops > 0 || ph.Bytes > 0 || ph.Passes > 0) {
		ph.Duration = 0
	}
	return errors.Join(errs...)
}

// Start is the next time at which the clock shows --syncstart; zero if it is not set.
func (l *Load) Start(now time.Time) (time.Time, error) {
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

// applyThreads sets the number of threads, or their number over time.
func (l *Load) applyThreads(ph *bench.Phase) (err error) {
	if ph.Concurrency, err = strconv.Atoi(strings.TrimSpace(l.Concurrent)); err == nil {
		return nil
	}
	ph.Concurrency = 1 // valid, so that there is no second error
	shape, err := l.readShape("concurrent", l.Concurrent)
	switch {
	case err != nil && !strings.ContainsAny(l.Concurrent, "./@,("):
		return option.Invalid("concurrent", l.Concurrent, "an integer, or threads over time as in 1..64/5m or 8/1m,16/1m")
	case err != nil:
		return option.Wrap("concurrent", err)
	case shape.Threads() < 1:
		return option.Invalid("concurrent", l.Concurrent, "at least 1 thread")
	}
	ph.Threads, ph.Concurrency = shape, shape.Threads()
	return nil
}

// applyRate sets the schedule of an open loop.
func (l *Load) applyRate(ph *bench.Phase) error {
	var errs []error
	if _, err := load.Rate(l.rpsLimit); err != nil && !(l.rpsLimit <= 0) {
		errs = append(errs, option.Wrap("rps-limit", err))
	} else {
		ph.Rate = l.rpsLimit
	}
	if l.rate != "" {
		shape, err := l.readShape("rate", l.rate)
		if err != nil {
			errs = append(errs, option.Wrap("rate", err))
			shape = load.Constant(1) // valid, so that there is no second error
		}
		ph.Schedule = shape
	}
	if l.Arrivals != "even" {
		ph.Arrivals = load.Arrivals(l.Arrivals)
	}
	ph.MaxLate = l.MaxLate
	switch {
	case l.MaxInFlight < 0:
		errs = append(errs, option.Invalid("max-inflight", l.MaxInFlight, "at least 1"))
	case l.MaxInFlight > 0 && l.rate == "" && l.rpsLimit == 0:
		errs = append(errs, option.Errorf("max-inflight", "want --rate; in a closed loop --concurrent says how many operations run at a time"))
	case l.MaxInFlight > 0:
		ph.Concurrency = l.MaxInFlight
	}
	return errors.Join(errs...)
}

// readShape parses the shape of a flag, which may be in a file.
func (l *Load) readShape(flag, text string) (load.Shape, error) {
	args, ok := strings.CutPrefix(strings.TrimSpace(text), "file(")
	if !ok {
		return load.ParseShape(text)
	}
	args, ok = strings.CutSuffix(args, ")")
	name, factor, scaled := strings.Cut(args, ",")
	scale := 1.0
	if scaled {
		var err error
		if scale, err = strconv.ParseFloat(strings.TrimSpace(factor), 64); err != nil {
			return load.Shape{}, fmt.Errorf("invalid scale %q (want a number as in file(day.csv,0.1))", factor)
		}
	}
	if !ok || name == "" {
		return load.Shape{}, fmt.Errorf("invalid value %q (want the name of a file, as in file(day.csv))", text)
	}
	lines, err := l.Files.reader(flag, input.List)(name)
	if err != nil {
		return load.Shape{}, fmt.Errorf("%s: %w", name, files.WithoutPath(err))
	}
	s, err := load.ReadShape(bytes.NewReader(lines), scale)
	if err != nil {
		return load.Shape{}, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// InflightPerHost is how many operations are in flight at most, unless --max-inflight says so.
const InflightPerHost = 64

// SearchLoad are the flags about load that a search has too; the others contradict it.
var SearchLoad = []string{"max-inflight", "arrivals", "ok", "syncstart"}

// DecidedBySearch are the flags of load that a search does not have.
func DecidedBySearch() (names []string) {
	for _, f := range (&Load{}).Flags() {
		if name := f.Names()[0]; !slices.Contains(SearchLoad, name) {
			names = append(names, name)
		}
	}
	return names
}
