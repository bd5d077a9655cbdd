package bench

import (
	"testing"
	"time"

	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/search"
)

// The client's own part of latencies in a trial is compared with what each objective allows.
func TestSharesOfTrials(t *testing.T) {
	const ms = time.Millisecond
	begun := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	list, err := search.ParseObjectives("p99<5s", "GET.p50<20ms", "PUT.p90<1s", "errors<1%")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		n      int
		own    func(o *op.Op)
		want   []observe.Share
		limits int
	}{
		{"measured", 2000, func(o *op.Op) { o.OwnLate, o.Arrived = 2*ms, o.End.Add(-ms) }, []observe.Share{
			{Percentile: 99, Latency: 5 * time.Second, Own: 3 * ms, Measured: true, Objective: true},
			{Of: "GET", Percentile: 50, Latency: 20 * ms, Own: 3 * ms, Measured: true, Objective: true},
			{Of: "PUT", Percentile: 90, Latency: time.Second, Objective: true}, // there are none
		}, 1},
		{"few", 50, func(o *op.Op) { o.Arrived = o.End.Add(-ms) }, []observe.Share{
			{Percentile: 50, Latency: 5 * time.Second, Own: ms, Measured: true, Objective: true},
			{Of: "GET", Percentile: 50, Latency: 20 * ms, Own: ms, Measured: true, Objective: true},
			{Of: "PUT", Percentile: 90, Latency: time.Second, Objective: true},
		}, 0},
		{"not known", 2000, func(*op.Op) {}, []observe.Share{
			{Percentile: 99, Latency: 5 * time.Second, Objective: true}, {Of: "GET", Percentile: 50, Latency: 20 * ms, Objective: true}, {Of: "PUT", Percentile: 90, Latency: time.Second, Objective: true},
		}, 0},
	} {
		counts := &trialCounts{}
		counts.begin("x", list, begun, &search.Trial{Duration: time.Second, Blocks: 1})
		for i := range c.n {
			start := begun.Add(time.Duration(i) * 10 * time.Microsecond)
			o := op.Op{Kind: op.Get, Phase: "x", Due: start.Add(-3 * ms), Start: start, End: start.Add(40 * ms)}
			if c.own(&o); i%10 == 0 { // what failed has no latency
				o.Err, o.OwnLate = "x", time.Second
			}
			_ = counts.Write([]op.Op{o})
		}
		counts.end()
		got := counts.shares()
		if len(got) != len(c.want) {
			t.Fatalf("%s: %+v", c.name, got)
		}
		for i, want := range c.want {
			g := got[i]
			if (g.Own - want.Own).Abs() > want.Own/100 { // buckets are that wide
				t.Errorf("%s: objective %d: own part %v, want %v", c.name, i, g.Own, want.Own)
			}
			if g.Own = want.Own; g != want {
				t.Errorf("%s: objective %d: %+v, want %+v", c.name, i, g, want)
			}
		}
		if limits := new(observe.Summary).Limits(got...); len(limits) != c.limits {
			t.Errorf("%s: %v", c.name, limits)
		}
	}
}
