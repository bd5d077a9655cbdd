package script_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/option"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/script"
)

// command is a benchmark with the flags that scenarios know, as that of package cli. It reads no files.
type command struct {
	info     work.Info
	workload work.Workload
	own      *flag.FlagSet // of the workload
	plan     bench.Plan
	phase    bench.Phase
	sizes    string
	random   bool
	content  string
	autoterm bench.Autoterm
	steady   bool
	values   map[string]string // of all flags that were set
}

// commonFlag is a flag that all benchmarks have.
type commonFlag struct {
	name, fallback string
	target         bool
	set            func(c *command, value string) error
}

var common = []commonFlag{
	{"host", "", true, func(c *command, v string) error { c.plan.Target.Hosts = strings.Split(v, ","); return nil }},
	{"bucket", "warp-benchmark-bucket", true, func(c *command, v string) error { c.plan.Target.Bucket = v; return nil }},
	{"region", "us-east-1", true, func(c *command, v string) error { c.plan.Target.Region = v; return nil }},
	{"checksum", "", true, func(*command, string) error { return nil }},
	{"access-key", "", true, func(*command, string) error { return nil }},
	{"obj.size", "10MiB", false, func(c *command, v string) error { c.sizes = v; return nil }},
	{"obj.randsize", "false", false, func(c *command, v string) (err error) { c.random, err = strconv.ParseBool(v); return err }},
	{"obj.content", "random", false, func(c *command, v string) error { c.content = v; return nil }},
	{"keys", "", false, func(c *command, v string) error { c.plan.Data.Keys = v; return nil }},
	{"prefix", "", false, func(c *command, v string) error { c.plan.Data.Prefix = v; return nil }},
	{"noprefix", "false", false, func(c *command, v string) (err error) { c.plan.Data.NoPrefix, err = strconv.ParseBool(v); return err }},
	{"data.seed", "0", false, func(c *command, v string) (err error) {
		c.plan.Data.Seed, err = strconv.ParseUint(v, 10, 64)
		return err
	}},
	{"buckets", "1", false, func(c *command, v string) (err error) { c.plan.Data.Buckets, err = strconv.Atoi(v); return err }},
	{"keep-data", "false", false, func(c *command, v string) (err error) { c.plan.KeepData, err = strconv.ParseBool(v); return err }},
	{"seed", "0", false, func(c *command, v string) (err error) { c.plan.Seed, err = strconv.ParseUint(v, 10, 64); return err }},
	{"shared-data", "false", false, func(c *command, v string) (err error) { c.plan.SharedData, err = strconv.ParseBool(v); return err }},
	{"stop-on-full", "false", false, func(c *command, v string) (err error) { c.plan.StopFull, err = strconv.ParseBool(v); return err }},
	{"force", "false", false, func(c *command, v string) (err error) { c.plan.Force, err = strconv.ParseBool(v); return err }},
	{"concurrent", "20", false, (*command).setThreads},
	{"think", "", false, func(c *command, v string) (err error) { c.phase.Think, err = load.ParseThink(v); return err }},
	{"rate", "", false, func(c *command, v string) (err error) { c.phase.Schedule, err = load.ParseShape(v); return err }},
	{"rps-limit", "0", false, func(c *command, v string) (err error) { c.phase.Rate, err = strconv.ParseFloat(v, 64); return err }},
	{"arrivals", "even", false, func(c *command, v string) error { c.phase.Arrivals = load.Arrivals(v); return nil }},
	{"max-inflight", "0", false, func(c *command, v string) (err error) { c.phase.Concurrency, err = strconv.Atoi(v); return err }},
	{"max-late", "0s", false, func(c *command, v string) (err error) { c.phase.MaxLate, err = time.ParseDuration(v); return err }},
	{"duration", "5m0s", false, func(c *command, v string) (err error) { c.phase.Duration, err = time.ParseDuration(v); return err }},
	{"warmup", "0s", false, func(c *command, v string) (err error) { c.phase.Warmup, err = time.ParseDuration(v); return err }},
	{"ops", "0", false, func(c *command, v string) (err error) { c.phase.Ops, err = strconv.ParseUint(v, 10, 64); return err }},
	{"bytes", "0", false, func(c *command, v string) (err error) { c.phase.Bytes, err = sizeOf(v); return err }},
	{"passes", "0", false, func(c *command, v string) (err error) { c.phase.Passes, err = strconv.ParseFloat(v, 64); return err }},
	{"autoterm", "false", false, func(c *command, v string) (err error) { c.steady, err = strconv.ParseBool(v); return err }},
	{"autoterm.pct", "7.5", false, func(c *command, v string) (err error) {
		c.autoterm.Percent, err = strconv.ParseFloat(v, 64)
		return err
	}},
	{"autoterm.slope", "0", false, func(c *command, v string) (err error) { c.autoterm.Slope, err = strconv.ParseFloat(v, 64); return err }},
	{"autoterm.dur", "15s", false, func(c *command, v string) (err error) {
		c.autoterm.MinDuration, err = time.ParseDuration(v)
		return err
	}},
	{"ok", "", false, (*command).setOutcomes},
}

func newCommand(operation string) *command {
	info, ok := work.Lookup(operation)
	if !ok {
		panic(operation)
	}
	c := &command{info: info, workload: info.New(), own: flag.NewFlagSet(operation, flag.ContinueOnError), values: map[string]string{}, sizes: info.Size}
	c.own.SetOutput(io.Discard)
	c.workload.Flags(c.own)
	c.phase.Concurrency, c.phase.Duration = 20, 5*time.Minute
	c.autoterm = bench.Autoterm{Percent: 7.5, MinDuration: 15 * time.Second}
	return c
}

func sizeOf(text string) (int64, error) {
	sizes, err := generator.ReadSizes(text, false, nil)
	return sizes.Max, err
}

func (c *command) setThreads(value string) error {
	n, err := strconv.Atoi(value)
	if err == nil {
		c.phase.Concurrency = n
		return nil
	}
	if c.phase.Threads, err = load.ParseShape(value); err == nil {
		c.phase.Concurrency = c.phase.Threads.Threads()
	}
	return err
}

func (c *command) setOutcomes(value string) error {
	for text := range strings.SplitSeq(value, ",") {
		status, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("invalid value %q (want HTTP statuses)", value)
		}
		c.phase.OK = append(c.phase.OK, status)
	}
	return nil
}

func (c *command) index(name string) int {
	return slices.IndexFunc(common, func(f commonFlag) bool { return f.name == name })
}

func (c *command) Has(name string) bool         { return c.index(name) >= 0 || c.OfOperation(name) }
func (c *command) OfOperation(name string) bool { return c.own.Lookup(name) != nil }

func (c *command) OfTarget(name string) bool {
	i := c.index(name)
	return i >= 0 && common[i].target
}

func (c *command) Flags() (names []string) {
	for _, f := range common {
		names = append(names, f.name)
	}
	c.own.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

func (c *command) Default(name string) string {
	switch f := c.own.Lookup(name); {
	case f != nil:
		return f.DefValue
	case name == "obj.size":
		return c.info.Size
	case c.index(name) < 0:
		return ""
	}
	return common[c.index(name)].fallback
}

func (c *command) Usage(name string) string { return "what " + name + " does" }

func (c *command) Set(name, value string) error {
	c.values[name] = value
	set := c.own.Set
	if i := c.index(name); i >= 0 {
		set = func(_, value string) error { return common[i].set(c, value) }
	}
	if err := set(name, value); err != nil {
		return fmt.Errorf("invalid value %q for %s", value, name)
	}
	return nil
}

func (c *command) Plan() (*bench.Plan, error) {
	sizes, err := generator.ReadSizes(c.sizes, c.random, nil)
	errs := []error{option.Wrap("obj.size", err)}
	c.plan.Data.Sizes = sizes
	if c.content != "" {
		errs = append(errs, option.Wrap("obj.content", c.plan.Data.SetContents(c.content, func(name string) (string, error) { return name, nil })))
	}
	ph, err := bench.NewPhase(c.info.Name, c.workload)
	errs = append(errs, err)
	c.phase.Workload, c.phase.Params = ph.Workload, ph.Params
	if c.steady {
		c.phase.Autoterm = &c.autoterm
	}
	if _, given := c.values["duration"]; !given && (c.phase.Ops > 0 || c.phase.Bytes > 0 || c.phase.Passes > 0) {
		c.phase.Duration = 0
	}
	c.plan.Phases = []bench.Phase{c.phase}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	_, err = bench.Compile(&c.plan)
	return &c.plan, err
}

// options resolve a file with commands of this package. Some variables are set.
func options() script.Options {
	return script.Options{
		New: func(operation string) script.Command { return newCommand(operation) },
		Variables: func(name string) (string, bool, error) {
			if name == "FORBIDDEN" {
				return "", false, errors.New("FORBIDDEN is not for scenarios")
			}
			value, ok := map[string]string{"SIZE": "4KiB", "EMPTY": "", "N": "3"}[name]
			return value, ok, nil
		},
		Output: func(name string) (string, error) {
			if strings.HasPrefix(name, "/") {
				return "", fmt.Errorf("%s is outside", name)
			}
			return "out/" + name, nil
		},
	}
}

// resolved returns what a file says, which must be right.
func resolved(t *testing.T, text string) *script.Resolved {
	t.Helper()
	r, err := resolve(text)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return r
}

func resolve(text string) (*script.Resolved, error) {
	f, err := script.Parse("x", []byte(text))
	if err != nil {
		return nil, err
	}
	return f.Resolve(options())
}

// phases is a file with these phases, and two data sets that they may use: pool of 100 objects, and fresh of as many as phases add.
func phases(list ...string) string {
	text := "warp: 1\ndata: {pool: {objects: 100, size: 1KiB}, fresh: {objects: 0, size: 1KiB}}\nphases:\n"
	for _, ph := range list {
		text += "- " + ph + "\n"
	}
	if !strings.Contains(strings.Join(list, ""), "fresh") {
		text = strings.Replace(text, ", fresh: {objects: 0, size: 1KiB}", "", 1)
	}
	return text
}

// mistake is a file, and what is wrong with it: a line for each complaint, with line, column and path.
type mistake struct{ text, want string }

// check has files refused with these complaints.
func check(t *testing.T, list []mistake) {
	t.Helper()
	for _, m := range list {
		_, err := resolve(m.text)
		compare(t, m.text, complaints(err), m.want)
	}
}

// complaints returns complaints without excerpts.
func complaints(err error) string {
	var all *script.Error
	if !errors.As(err, &all) {
		return fmt.Sprint(err)
	}
	var lines []string
	for _, c := range all.Complaints {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d:%d %s: %s", c.Pos.Line, c.Pos.Column, c.Path, c.Text)))
	}
	return strings.Join(lines, "\n")
}

// text returns the flags that were set, in the order of their names.
func (c *command) text() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(c.values)) {
		list = append(list, name+"="+c.values[name])
	}
	return strings.Join(list, " ")
}
