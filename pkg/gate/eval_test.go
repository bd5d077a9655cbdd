package gate

import (
	"math"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// group is 10 s of a kind, with n requests of 1 to n ms.
func group(kind op.Kind, n, failed int, bytes float64) *aggregate.Group {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	g := &aggregate.Group{
		Kind: kind, Requests: int64(n + failed), Errors: int64(failed), Considered: int64(n), OpSizes: aggregate.OpSizes{MaxSize: int64(bytes)},
		Window: aggregate.Window{Start: start, End: start.Add(10 * time.Second)},
	}
	g.Latency = hist.New(hist.Fine)
	for i := range n {
		g.Latency.Record(int64(i+1) * int64(time.Millisecond))
	}
	g.Bytes, g.Objects = bytes*float64(n), float64(n)
	return g
}

func snapshot(groups ...*aggregate.Group) *aggregate.Snapshot {
	return &aggregate.Snapshot{Version: aggregate.Version, Segment: time.Second, Groups: groups}
}

func inPhase(phase string, g *aggregate.Group) *aggregate.Group {
	g.Phase = phase
	return g
}

func rule(t *testing.T, text string) Rule {
	t.Helper()
	rules, err := Parse(text)
	if err != nil || len(rules) != 1 {
		t.Fatalf("%q: %v, %v", text, rules, err)
	}
	return rules[0]
}

func TestEval(t *testing.T) {
	single := snapshot(group(op.Get, 2000, 2, 1<<20))
	owned := snapshot(group(op.Get, 2000, 0, 1<<20))
	owned.Groups[0].Own.All = owned.Groups[0].Latency.Clone()
	mixed := snapshot(group(op.Get, 2000, 0, 1<<20), group(op.Delete, 100, 50, 0), inPhase(op.PhasePrepare, group(op.Put, 50, 50, 1<<20)))
	mixed.Totals = []*aggregate.Group{group("", 2100, 50, 1<<20)}
	phases := snapshot(inPhase("one", group(op.Get, 2000, 0, 1<<20)), inPhase("two", group(op.Get, 3000, 0, 1<<20)))
	for _, tt := range []struct {
		s    *aggregate.Snapshot
		rule string
		want Verdict
		text string // exactly, if it holds "rule:", else part of the error
	}{
		{single, "get.p99>50ms", Broken, "GET.p99 = 1.98s, rule: GET.p99 > 50ms"},
		{single, "GET.p99>2s", Held, "GET.p99 = 1.98s, rule: GET.p99 > 2s"},
		{single, "p50>=1s", Broken, "GET.p50 = 1.00s, rule: p50 >= 1s"},
		{single, "p50>1.01s", Held, "GET.p50 = 1.00s, rule: p50 > 1.01s"},
		{single, "GET.p99.9>1h", Unknown, "GET.p99.9 not known: too few samples, rule: GET.p99.9 > 1h"},
		{single, "GET.own.p99>1h", Unknown, "GET.own.p99 not known: the client's own part was not measured, rule: GET.own.p99 > 1h"},
		{owned, "GET.own.p99>1ms", Broken, "GET.own.p99 = 1.98s, rule: GET.own.p99 > 1ms"},
		{owned, "own.p50<=1ms", Held, "GET.own.p50 = 1.00s, rule: own.p50 <= 1ms"},
		{single, "GET.ttfb>1h", Unknown, "GET.ttfb not known: too few samples, rule: GET.ttfb > 1h"},
		{single, "GET.slowest<1B/s", Unknown, "GET.slowest not known: too few samples, rule: GET.slowest < 1B/s"},
		{single, "GET.throughput<200MiB/s", Held, "GET.throughput = 200.00 MiB/s, rule: GET.throughput < 200MiB/s"},
		{single, "GET.throughput<=200MiB/s", Broken, "GET.throughput = 200.00 MiB/s, rule: GET.throughput <= 200MiB/s"},
		{single, "objects<1000/s", Broken, "GET.objects = 200.00 obj/s, rule: objects < 1000/s"},
		{single, "errors>0", Broken, "GET.errors = 2, rule: errors > 0"},
		{single, "errors>2", Held, "GET.errors = 2, rule: errors > 2"},
		{single, "errors>0.05%", Broken, "GET.errors = 0.0999%, rule: errors > 0.05%"},
		{single, "errors>0.1%", Held, "GET.errors = 0.0999%, rule: errors > 0.1%"},
		{single, "total.objects<1000/s", Broken, "GET.objects = 200.00 obj/s, rule: TOTAL.objects < 1000/s"},
		{single, "PUT.p99>1ms", Unknown, "not known: no PUT operations in this run (found GET), rule: PUT.p99 > 1ms"},
		{single, "GET.p99>+10%", Unknown, "needs a comparison of runs"},
		{mixed, "errors>0", Broken, "DELETE.errors = 50, rule: errors > 0"},
		{mixed, "errors>50", Held, "GET.errors = 0; DELETE.errors = 50, rule: errors > 50"},
		{mixed, "p50>40ms", Broken, "GET.p50 = 1.00s; DELETE.p50 = 50.0ms, rule: p50 > 40ms"},
		{mixed, "p50>60ms", Broken, "GET.p50 = 1.00s, rule: p50 > 60ms"},
		{mixed, "p99>10s", Unknown, "DELETE.p99 not known: too few samples, rule: p99 > 10s"},
		{mixed, "throughput<1B/s", Held, "GET.throughput = 200.00 MiB/s, rule: throughput < 1B/s"},
		{mixed, "DELETE.throughput<1B/s", Unknown, "DELETE.throughput is not measured: no bytes are moved (use objects)"},
		{mixed, "PUT.p50>1ms", Unknown, "not known: no PUT operations in this run outside of the preparation (found DELETE, GET, total), rule: PUT.p50 > 1ms"},
		{mixed, "total.errors>49", Broken, "total.errors = 50, rule: TOTAL.errors > 49"},
		{phases, "GET.p50>1.2s", Broken, "two GET.p50 = 1.50s, rule: GET.p50 > 1.2s"},
		{snapshot(), "errors>0", Unknown, "not known: no operations in this run, rule: errors > 0"},
		{snapshot(group(op.Delete, 9, 0, 0)), "throughput<1B/s", Unknown, "no kind of operation has throughput"},
		{snapshot(group(op.Get, 0, 9, 0)), "p50>1s", Unknown, "GET.p50 not known: too few samples, rule: p50 > 1s"},
		{snapshot(group(op.Get, 0, 9, 0)), "throughput<1B/s", Unknown, "GET.throughput not known: too few samples, rule: throughput < 1B/s"},
	} {
		got, text, err := rule(t, tt.rule).Eval(tt.s)
		check(t, tt.rule, got, text, err, tt.want, tt.text)
	}
}

func check(t *testing.T, rule string, got Verdict, text string, err error, want Verdict, wantText string) {
	t.Helper()
	if !strings.Contains(wantText, "rule:") {
		if err == nil || !strings.Contains(err.Error(), wantText) || got != want || text != "" {
			t.Errorf("%s: %v %q, error %v, want error %q", rule, got, text, err, wantText)
		}
		return
	}
	if err != nil || got != want || text != wantText {
		t.Errorf("%s: %v %q (%v), want %v %q", rule, got, text, err, want, wantText)
	}
}

func TestEvalChange(t *testing.T) {
	p, figure := 0.01, compare.Figure{Value: 61.2e6, Enough: true}
	change := func(metric string, relative float64, significant bool) compare.Change {
		return compare.Change{Metric: metric, After: figure, Relative: &relative, P: &p, Significant: significant}
	}
	extreme := change("max", 0.2, false)
	extreme.P = nil
	few := change("p99.9", -0.3, false)
	few.TooFew, few.Note, few.After.Enough = true, "too few samples: 3 and 40 segments", false
	waves := change("p95", 0.4, false)
	waves.Verdict, waves.P, waves.Note = compare.Correlated, nil, "too correlated"
	fromNothing := change("min", 0, false)
	fromNothing.Relative, fromNothing.P = nil, nil
	c := &compare.Comparison{
		Kinds: []*compare.Kind{
			{
				Name:    compare.Name{Kind: op.Get},
				Before:  compare.Side{Operations: 1000, Errors: 10, ErrorRate: 0.01},
				After:   compare.Side{Operations: 1000, Errors: 15, ErrorRate: 0.015},
				Changes: []compare.Change{change("throughput", -0.08, true), change("objects", -0.08, true), change("p50", 0.12, false), change("p99", 0.12, true), few, waves, fromNothing, extreme},
			},
			{
				Name:    compare.Name{Kind: op.Stat},
				After:   compare.Side{Operations: 1000, Errors: 1, ErrorRate: 0.001},
				Changes: []compare.Change{change("objects", 0.01, false), change("p99", 0.01, false)},
			},
		},
		OnlyBefore: []compare.Name{{Kind: op.Put}, {Total: true}},
	}
	for _, tt := range []struct {
		rule string
		want Verdict
		text string
	}{
		{"GET.p99>+10%", Broken, "GET.p99 = +12.00%, rule: GET.p99 > +10%"},
		{"GET.p99>+15%", Held, "GET.p99 = +12.00%, rule: GET.p99 > +15%"},
		{"GET.p50>+10%", Held, "GET.p50 = +12.00% (~), rule: GET.p50 > +10%"},
		{"GET.p50>=+0%", Broken, "GET.p50 = +12.00% (~), rule: GET.p50 >= +0%"},
		{"GET.p50>-5%", Broken, "GET.p50 = +12.00% (~), rule: GET.p50 > -5%"},
		{"GET.max>+10%", Broken, "GET.max = +20.00% (not tested), rule: GET.max > +10%"},
		{"GET.max>+30%", Held, "GET.max = +20.00% (not tested), rule: GET.max > +30%"},
		{"GET.min>+10%", Broken, "GET.min = more than 0 after 0 (not tested), rule: GET.min > +10%"},
		{"GET.p95>+10%", Unknown, "GET.p95 not known: too correlated, rule: GET.p95 > +10%"},
		{"GET.p99.9>+10%", Unknown, "GET.p99.9 not known: too few samples: 3 and 40 segments, rule: GET.p99.9 > +10%"},
		{"GET.throughput<-5%", Broken, "GET.throughput = -8.00%, rule: GET.throughput < -5%"},
		{"GET.throughput<-10%", Held, "GET.throughput = -8.00%, rule: GET.throughput < -10%"},
		{"throughput<-10%", Held, "GET.throughput = -8.00%, rule: throughput < -10%"},
		{"STAT.objects<+5%", Broken, "STAT.objects = +1.00% (~), rule: STAT.objects < +5%"},
		{"p99>+10%", Broken, "GET.p99 = +12.00%, rule: p99 > +10%"},
		{"p99>+20%", Held, "GET.p99 = +12.00%; STAT.p99 = +1.00% (~), rule: p99 > +20%"},
		{"STAT.throughput<-5%", Unknown, "STAT.throughput is not measured"},
		{"STAT.ttfb>+5%", Unknown, "STAT.ttfb not known: too few samples, rule: STAT.ttfb > +5%"},
		{"GET.p99>50ms", Broken, "GET.p99 = 61.2ms, rule: GET.p99 > 50ms"},
		{"GET.p99>70ms", Held, "GET.p99 = 61.2ms, rule: GET.p99 > 70ms"},
		{"GET.p99.9>70ms", Unknown, "GET.p99.9 not known: too few samples, rule: GET.p99.9 > 70ms"},
		{"GET.errors>14", Broken, "GET.errors = 15, rule: GET.errors > 14"},
		{"GET.errors>+40%", Broken, "GET.errors = +50.00%, rule: GET.errors > +40%"},
		{"GET.errors>+60%", Held, "GET.errors = +50.00%, rule: GET.errors > +60%"},
		{"STAT.errors>+900%", Broken, "STAT.errors = more than 0 after 0, rule: STAT.errors > +900%"},
		{"PUT.p99>+10%", Unknown, "not known: no PUT operations on both sides (found GET, STAT), rule: PUT.p99 > +10%"},
		{"total.objects<-5%", Unknown, "not known: no TOTAL operations on both sides (found GET, STAT), rule: TOTAL.objects < -5%"},
	} {
		got, text, err := rule(t, tt.rule).EvalChange(c)
		check(t, tt.rule, got, text, err, tt.want, tt.text)
	}
}

// Without its total, the one type of a phase that both sides have is not all of it.
func TestTotalOfOneSide(t *testing.T) {
	relative := -0.5
	c := &compare.Comparison{
		Kinds:      []*compare.Kind{{Name: compare.Name{Kind: op.Get}, Changes: []compare.Change{{Metric: "objects", Relative: &relative}}}},
		OnlyBefore: []compare.Name{{Kind: op.Stat}},
	}
	if got, text, err := rule(t, "total.objects<-5%").EvalChange(c); got != Unknown || err != nil {
		t.Errorf("%v %q, %v", got, text, err)
	}
	c.OnlyBefore = nil
	if got, text, err := rule(t, "total.objects<-5%").EvalChange(c); got != Broken || err != nil {
		t.Errorf("%v %q, %v", got, text, err)
	}
}

func TestShow(t *testing.T) {
	for _, tt := range []struct {
		rule string
		v    float64
		want string
	}{
		{"p99>1s", 61_234_567, "61.2ms"},
		{"p99>1s", 987, "987ns"},
		{"p99>1s", 0, "0s"},
		{"throughput<1B/s", 102.44 * (1 << 20), "102.44 MiB/s"},
		{"throughput<1B/s", 12, "0.000011 MiB/s"},
		{"throughput<1B/s", 5000.3 * float64(1<<40), "5243194572.80 MiB/s"},
		{"objects<1", 261320.4, "261320.40 obj/s"},
		{"objects<1", 0.012345, "0.012 obj/s"},
		{"errors>1%", 0.5, "50%"},
		{"errors>1", 1234567, "1234567"},
	} {
		if got := rule(t, tt.rule).show(tt.v); got != tt.want {
			t.Errorf("%s: %v is shown as %q, want %q", tt.rule, tt.v, got, tt.want)
		}
	}
	if got := showChange(math.Inf(1)); got != "more than 0 after 0" {
		t.Errorf("infinity is shown as %q", got)
	}
}
