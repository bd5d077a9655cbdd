package reports

import (
	"slices"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/gate"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/report"
	"warp/pkg/runinfo"
)

// TestShortVersion: the commit once, not with the time that Go puts before it.
func TestShortVersion(t *testing.T) {
	for version, want := range map[string]string{
		"v0.0.0-20261125041726-6449d0b31e48 (6449d0b31e48)": "6449d0b",
		"v0.1.1-0.20261125041726-6449d0b31e48+dirty":        "6449d0b+changes",
		"v0.1.0": "v0.1.0", "devel": "devel", "devel (6449d0b31e48+changes)": "devel (6449d0b31e48+changes)", "": "",
	} {
		if got := shortVersion(version); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}

// reportOf returns a report on operations of two kinds.
func reportOf(errors int64) *Report {
	return &Report{Snapshot: &aggregate.Snapshot{Groups: []*aggregate.Group{
		{Phase: op.PhasePrepare, Kind: op.Put, Requests: 50, Errors: 1},
		{Kind: op.Get, Requests: 100, Errors: errors},
		{Kind: op.Stat, Requests: 100},
	}}}
}

func TestVerdict(t *testing.T) {
	limited := observe.Limit{Kind: observe.CPUUsed}
	for _, c := range []struct {
		name string
		edit func(v *Report)
		want string
	}{
		{"of a recording of others nothing is known", func(*Report) {}, "5 of 200 operations failed (2.5%)"},
		{
			"rules", func(v *Report) {
				v.Rulings = []report.Ruling{{Source: report.MaxErrors, Verdict: gate.Broken}, {Verdict: gate.Held}, {Verdict: gate.Unknown}}
				v.Self = &runinfo.SelfStats{}
			},
			"5 of 200 operations failed (2.5%). 1 of 2 rules not met. The client was not the limit",
		},
		{"limited", func(v *Report) { v.Limits = []observe.Limit{limited} }, "5 of 200 operations failed (2.5%). The client was the limit, not the store"},
		{
			"embedded", func(v *Report) { v.Head.Embedded, v.Limits = true, []observe.Limit{limited} },
			"5 of 200 operations failed (2.5%). " + runinfo.EmbeddedStore,
		},
	} {
		v := reportOf(5)
		if c.edit(v); v.verdict() != c.want {
			t.Errorf("%s: %q, want %q", c.name, v.verdict(), c.want)
		}
	}
}

// TestTextWarnings: a run as short as it was to be is not called too short; that the client was the limit is a remark on the embedded server.
func TestTextWarnings(t *testing.T) {
	const client, short = observe.Prefix + "CPU", "GET: " + aggregate.TooShort
	plan := func(d time.Duration) *bench.Plan {
		return &bench.Plan{Phases: []bench.Phase{{Stream: bench.Stream{Workload: "get", Duration: d}}}}
	}
	for _, c := range []struct {
		name     string
		plan     *bench.Plan
		embedded bool
		want     []string
	}{
		{"short as asked", plan(2 * time.Second), false, []string{client, "other"}},
		{"should be longer", plan(time.Minute), false, []string{client, "other", short}},
		{"ends with its operations", plan(0), false, []string{client, "other", short}},
		{"unknown", nil, false, []string{client, "other", short}},
		{"embedded", plan(2 * time.Second), true, []string{"other"}},
	} {
		v := reportOf(0)
		v.Head.Plan, v.Head.Embedded, v.Warnings, v.Snapshot.Warnings = c.plan, c.embedded, []string{client, "other"}, []string{short}
		if got := v.textWarnings(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := slices.Contains(v.textRemarks(), client); got != c.embedded {
			t.Errorf("%s: remarks %q", c.name, v.textRemarks())
		}
	}
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		names []string
		live  bool
		form  report.Form
		want  string
	}{
		{[]string{"a.csv.zst"}, false, report.Brief, "warp analyze --report=full a.csv.zst"},
		{[]string{"a.csv.zst"}, false, report.Full, "warp analyze --html=report.html a.csv.zst"},
		{[]string{"a[1].csv.zst", "-b"}, false, report.Full, "warp analyze --html=report.html 'a[1].csv.zst' ./-b"},
		{[]string{"standard input"}, false, report.Full, ""},
		{[]string{"a.csv.zst"}, true, report.Full, ""},
		{nil, false, report.Full, ""},
	} {
		if got := (&Report{Names: c.names, Live: c.live}).next(c.form); got != c.want {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}
