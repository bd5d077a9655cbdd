package cli

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/load"
)

// Headings under which help shows flags.
const (
	catWorkload = "Benchmark"
	catTarget   = "Target"
	catData     = "Objects"
	catUploads  = "Uploads"
	catLoad     = "Load"
	catOutput   = "Output"
	catReport   = "Report"
	catClients  = "Clients"
)

// categories are the headings in the order of help.
var categories = []string{catWorkload, catTarget, catData, catUploads, catLoad, catOutput, catReport, catClients}

// categorize puts flags under a heading of the help.
func categorize(category string, fs []cli.Flag) []cli.Flag {
	for _, f := range fs {
		f.(interface{ SetCategory(string) }).SetCategory(category)
	}
	return fs
}

// value gives a flag of the standard library to the command line's parser.
type value struct{ flag.Value }

// Get is the value, or its text if the flag does not give it.
func (v value) Get() any {
	if g, ok := v.Value.(flag.Getter); ok {
		return g.Get()
	}
	return v.String()
}

// IsBoolFlag reports whether the flag needs no argument.
func (v value) IsBoolFlag() bool {
	b, ok := v.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// workloadFlags binds a workload's parameters to flags of its command.
func workloadFlags(w bench.Workload) []cli.Flag {
	set := flag.NewFlagSet("", flag.ContinueOnError)
	w.Flags(set)
	var fs []cli.Flag
	set.VisitAll(func(f *flag.Flag) {
		d := f.DefValue
		if d == "false" {
			d = ""
		}
		fs = append(fs, &cli.GenericFlag{Name: f.Name, Usage: f.Usage, Value: value{f.Value}, DefaultText: d})
	})
	return categorize(catWorkload, fs)
}

// loadFlags say how much load there is, and for how long.
type loadFlags struct {
	concurrent  int
	duration    time.Duration
	rate        float64
	autoterm    bool
	autotermDur time.Duration
	autotermPct float64
	syncStart   string
	ok          string
}

func (l *loadFlags) flags() []cli.Flag {
	return categorize(catLoad, []cli.Flag{
		&cli.IntFlag{Name: "concurrent", Destination: &l.concurrent, Value: 20, Usage: "`THREADS` number of threads, each of which runs one operation at a time"},
		&cli.DurationFlag{Name: "duration", Destination: &l.duration, Value: 5 * time.Minute, Usage: "`DURATION` how long to measure: 30s, 5m, 1h; 0: until Ctrl-C"},
		&cli.FloatFlag{Name: "rps-limit", Destination: &l.rate, Usage: "`RATE` start this many operations per second, whether earlier ones have finished or not (open loop); latency counts from when an operation was due. Without it, each thread starts its next operation when the last one has finished (closed loop)"},
		&cli.BoolFlag{Name: "autoterm", Destination: &l.autoterm, Usage: "stop when throughput is stable: the last 7 of 25 equal slices of the run differ by at most --autoterm.pct"},
		&cli.DurationFlag{Name: "autoterm.dur", Destination: &l.autotermDur, Value: 15 * time.Second, Usage: "`DURATION` minimum time for which throughput must have been stable"},
		&cli.FloatFlag{Name: "autoterm.pct", Destination: &l.autotermPct, Value: 7.5, Usage: "`PERCENT` maximum deviation from the latest slice, in percent"},
		&cli.StringFlag{Name: "ok", Destination: &l.ok, Usage: "`STATUSES` HTTP statuses that are expected outcomes and no errors, as in 404,503; each is reported by itself, as GET_404"},
		&cli.StringFlag{Name: "syncstart", Destination: &l.syncStart, Usage: "`HH:MM` time of day at which to start measuring (24 hours, local time)"},
	})
}

// apply sets the load of a phase. It rejects numbers that JSON cannot represent; bench.Compile checks ranges.
func (l *loadFlags) apply(ph *bench.Phase) error {
	ph.Concurrency, ph.Duration = l.concurrent, l.duration
	var errs []error
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

// dataFlags say what the objects of a run are like, and what becomes of them.
type dataFlags struct {
	size, kind, prefix       string
	random, noPrefix         bool
	noClear, keepData, force bool
	seed                     uint64
}

func (d *dataFlags) flags(size string) []cli.Flag {
	return categorize(catData, []cli.Flag{
		&cli.StringFlag{Name: "obj.size", Destination: &d.size, Value: size, Usage: "`SIZE` object size: 10MiB (KB is 1000, KiB 1024), min,max with --obj.randsize, or weighted classes as in 4096:10740,8192:1685"},
		&cli.BoolFlag{Name: "obj.randsize", Destination: &d.random, Usage: "random sizes up to --obj.size, equally many in each doubling"},
		&cli.StringFlag{Name: "obj.generator", Destination: &d.kind, Value: "random", Usage: "`CONTENTS` object contents: random (unique, incompressible) or zero"},
		&cli.StringFlag{Name: "prefix", Destination: &d.prefix, Usage: "`PREFIX` key prefix of all objects"},
		&cli.BoolFlag{Name: "noprefix", Destination: &d.noPrefix, Usage: "no separate prefix per thread"},
		&cli.BoolFlag{Name: "noclear", Destination: &d.noClear, Usage: "keep the objects of the run"},
		&cli.BoolFlag{Name: "keep-data", Destination: &d.keepData, Usage: "same as --noclear"},
		&cli.BoolFlag{Name: "force", Destination: &d.force, Usage: "proceed even if objects that the run did not make would be deleted or overwritten"},
		&cli.Uint64Flag{Name: "seed", Destination: &d.seed, Usage: "`NUMBER` seed of names, sizes, contents and order; runs with the same seed do the same things", DefaultText: "random"},
	})
}

func (d *dataFlags) spec(e *[]error) generator.Spec {
	sizes, err := generator.ParseSizes(d.size, d.random)
	if err != nil {
		*e = append(*e, option.Wrap("obj.size", err))
		sizes = generator.Sizes{Max: 5 << 30} // valid, so that there is no second error
	}
	return generator.Spec{Generator: d.kind, Sizes: sizes, Prefix: d.prefix, NoPrefix: d.noPrefix}
}

// chosenSeed is the seed of the run: --seed, or else a random one.
func (d *dataFlags) chosenSeed(set bool) uint64 {
	if set {
		return d.seed
	}
	return rand.Uint64() >> 1 // fits the integers of every JSON reader that has 63 bits
}
