package live

import (
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

const us = time.Microsecond

// The own part is lateness and unread time of the same operations as the latency: those that succeeded, no wholes.
func TestOwnPart(t *testing.T) {
	both := func(_ int, o *op.Op) { o.OwnLate, o.Arrived = 300*us, o.End.Add(-100*us) }
	for _, c := range []struct {
		name      string
		open      bool
		change    func(i int, o *op.Op)
		all, late time.Duration // 0: not known
		every     int           // how many operations there are for one whose own part is known
	}{
		{"of another program", false, nil, 0, 0, 1},
		{"of another program, open loop", true, nil, 0, 0, 1},
		{"closed loop", false, func(_ int, o *op.Op) { o.Arrived = o.End.Add(-100 * us) }, 100 * us, 0, 1},
		{"one in 16", false, func(i int, o *op.Op) {
			if i%16 == 0 {
				o.Arrived = o.End.Add(-100 * us)
			}
		}, 100 * us, 0, 16},
		{"open loop", true, both, 400 * us, 300 * us, 1},
		{"open loop without arrivals", true, func(_ int, o *op.Op) { o.OwnLate = 300 * us }, 0, 300 * us, 1},
		{"more than the latency", true, func(_ int, o *op.Op) { o.OwnLate, o.Arrived = time.Hour, o.End }, 6 * time.Millisecond, 6 * time.Millisecond, 1},
		{"failed", true, func(i int, o *op.Op) {
			both(i, o)
			if i%2 == 0 {
				o.Err, o.OwnLate = "x", time.Second
			}
		}, 400 * us, 300 * us, 1},
		{"wholes of parts", true, func(i int, o *op.Op) { both(i, o); o.Kind = op.MultipartGet }, 0, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			ops := optest.OwnLateness(c.open, c.change)
			b := aggregate.NewBounds(aggregate.Options{})
			_ = b.Write(ops)
			a, l := aggregate.New(aggregate.Options{}, b.Windows()), New(aggregate.Options{})
			_, _ = a.Write(ops), l.Write(ops)
			for name, g := range map[string]*aggregate.Group{"aggregator": a.Snapshot().Groups[0], "live": l.Snapshot().Groups[0]} {
				if got := time.Duration(g.Own.All.Max()); got != c.all {
					t.Errorf("%s: own part %v, want %v", name, got, c.all)
				}
				late := time.Duration(0)
				if g.Own.LatenessKnown() {
					late = time.Duration(g.Own.Late.Max())
				}
				if late != c.late {
					t.Errorf("%s: late %v, want %v", name, late, c.late)
				}
				if c.all > 0 && (g.Own.All.Count() > g.Latency.Count() || g.Own.All.Count() < g.Latency.Count()/int64(c.every)-4) {
					t.Errorf("%s: %d own parts of %d latencies", name, g.Own.All.Count(), g.Latency.Count())
				}
				if g.Own.Known() != (c.all+c.late > 0) {
					t.Errorf("%s: known: %v", name, g.Own.Known())
				}
				s, ok := aggregate.ShareOf("GET", g.Latency, &g.Own)
				if want := max(c.all, c.late); !ok || s.Measured != (c.all > 0) || (s.Own-want).Abs() > want/100 { // buckets are that wide
					t.Errorf("%s: share %+v, %v, want an own part of %v", name, s, ok, want)
				}
			}
		})
	}
}

// The last seconds have an own part of their own.
func TestOwnPartOfTheLastSeconds(t *testing.T) {
	l := New(aggregate.Options{})
	_ = l.Write(optest.OwnLateness(false, func(i int, o *op.Op) {
		o.Arrived = o.End.Add(-100 * us)
		if o.End.After(optest.At(5)) {
			o.Arrived = o.End.Add(-2 * time.Millisecond)
		}
	}))
	r, _ := l.Recent(optest.At(10))
	if s := r.Kinds[0].Share; s.Of != "GET" || s.Percentile != 99 || s.Own < 1900*us || !s.Measured {
		t.Errorf("got %+v", s)
	}
}

// Where too few arrivals are known for a percentile, how late requests were sent is a lower bound of the own part.
func TestOwnPartOfFewArrivals(t *testing.T) {
	l := New(aggregate.Options{})
	_ = l.Write(optest.OwnLateness(true, func(i int, o *op.Op) {
		o.OwnLate = 300 * us
		if i%50 == 0 {
			o.Arrived = o.End.Add(-200 * us)
		}
	}))
	g := l.Snapshot().Groups[0]
	for percentile, want := range map[float64]time.Duration{50: 500 * us, 90: 500 * us, 99: 300 * us, 99.9: 0} {
		own, all, ok := g.Own.At(percentile)
		if ok != (want > 0) || all != (want == 500*us) || (own-want).Abs() > want/100 {
			t.Errorf("%g%%: %v, all of it: %v, known: %v; want %v", percentile, own, all, ok, want)
		}
	}
	if s, ok := aggregate.ShareOf("GET", g.Latency, &g.Own); !ok || s.Percentile != 99 || s.Measured || s.Own < 297*us {
		t.Errorf("share %+v", s)
	}
	if s := g.Own.Allowed("", 99.9, time.Second); s.Percentile != 99 || s.Measured || s.Own < 297*us {
		t.Errorf("of an objective: %+v", s)
	}
}
