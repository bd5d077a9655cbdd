package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

func TestDegenerate(t *testing.T) {
	constant := func(n int, rate float64) *aggregate.Snapshot {
		g := &aggregate.Group{Kind: op.Put, Requests: int64(n), Considered: int64(n), OpSizes: aggregate.OpSizes{MaxSize: 1}, Window: aggregate.Window{Start: began, End: began.Add(time.Duration(n) * time.Second)}}
		g.Bytes, g.Objects = rate*float64(n), float64(n)
		g.Segments = make([]aggregate.Segment, n)
		for i := range g.Segments {
			g.Segments[i].Bytes, g.Segments[i].Objects = rate, 1
		}
		return &aggregate.Snapshot{Version: aggregate.Version, Segment: time.Second, Groups: []*aggregate.Group{g}}
	}
	failed := gets(1, 5*time.Millisecond)
	failed.fail = 1
	short := gets(1, 5*time.Millisecond)
	short.seconds = 4
	cases := map[string]*aggregate.Snapshot{
		"good": gets(2, 5*time.Millisecond).snapshot(t), "failed": failed.snapshot(t), "short": short.snapshot(t),
		"one":      snapshotOf(t, gets(1, 5*time.Millisecond).ops()[:1]),
		"constant": constant(30, 100), "faster": constant(30, 110), "almost": constant(30, 100.05), "zero": constant(30, 0),
		"one segment": constant(1, 100), "no segment": constant(0, 100), "huge": constant(30, 1e308), "tiny": constant(30, 1e-308),
		"infinite": constant(30, math.Inf(1)), "no number": constant(30, math.NaN()),
	}
	put := Name{Kind: op.Put}
	for nb, b := range cases {
		for na, a := range cases {
			for _, runs := range []int{1, 2, 7} {
				var before, after snapshots
				for range runs {
					before, after = append(before, b), append(after, a)
				}
				c := compared(t, before, after, Options{})
				if _, err := json.Marshal(c); err != nil {
					t.Errorf("%d × %s against %s: %v", runs, nb, na, err)
				}
				if nb == na {
					c.each(func(ch *Change) {
						if ch.Significant {
							t.Errorf("%d × %s against itself: %s is significant", runs, nb, ch.Metric)
						}
					})
				}
			}
		}
	}
	c := compared(t, snapshots{cases["constant"]}, snapshots{cases["faster"]}, Options{})
	if ch := change(t, c, put, "throughput"); ch.Verdict != Improved || *ch.Adjusted != 0 {
		t.Errorf("constant speeds of 100 and 110: %+v", ch)
	}
	c = compared(t, snapshots{cases["constant"]}, snapshots{cases["almost"]}, Options{})
	if ch := change(t, c, put, "throughput"); ch.Significant {
		t.Errorf("a change below the resolution is significant: %+v", ch)
	}
	c = compared(t, snapshots{cases["zero"]}, snapshots{cases["constant"]}, Options{})
	if ch := change(t, c, put, "throughput"); ch.Relative != nil || ch.P != nil || ch.Note == "" || ch.Absolute != 100 {
		t.Errorf("from 0: %+v", ch)
	}
	c = compared(t, snapshots{cases["short"]}, snapshots{cases["good"]}, Options{})
	if ch := change(t, c, get, "p50"); !ch.TooFew || ch.P != nil || !strings.Contains(ch.Note, "too few samples") {
		t.Errorf("3 segments: %+v", ch)
	}
}
