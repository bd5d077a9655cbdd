package aggregate

import (
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// mixedTimes is uploads and downloads that have first bytes, and deletions that have none, by two clients.
func mixedTimes() []op.Op {
	ops := optest.Steady(6, 10*time.Millisecond, 5*time.Second, nil)
	for i := range ops {
		o := &ops[i]
		o.Kind = []op.Kind{op.Get, op.Put, op.Delete}[i%3]
		o.Client = []string{"a", "b"}[i%2]
		o.FirstByte, o.Sent = time.Time{}, time.Time{}
		switch o.Kind {
		case op.Get:
			o.FirstByte = o.Start.Add(4 * time.Millisecond)
		case op.Put:
			o.Sent, o.FirstByte = o.Start.Add(5*time.Millisecond), o.Start.Add(8*time.Millisecond)
		}
	}
	return ops
}

// TestSegmentTTFB: each segment has the first bytes of what started in it, of kinds that have any, when parts are asked for.
func TestSegmentTTFB(t *testing.T) {
	ops := mixedTimes()
	s := snapshotOf(t, Options{HostSegments: true, SegmentTimes: true}, boundsOf(t, Options{}, ops).Windows(), ops)
	want := map[op.Kind]time.Duration{op.Get: 4 * time.Millisecond, op.Put: 3 * time.Millisecond, op.Delete: 0}
	if len(s.Groups) != len(want) {
		t.Fatalf("%d groups", len(s.Groups))
	}
	for _, g := range s.Groups {
		parts := [][]Segment{g.Segments}
		for _, p := range g.ByHost {
			parts = append(parts, p.Series)
		}
		for _, segments := range parts {
			if len(segments) < 3 {
				t.Fatalf("%s: %d segments", g.Kind, len(segments))
			}
			for i, x := range segments {
				if want[g.Kind] == 0 {
					if x.TTFB != nil {
						t.Errorf("%s: segment %d has %d first bytes", g.Kind, i, x.TTFB.Count())
					}
					continue
				}
				if x.TTFB.Count() != x.Started || x.Latency.Count() != x.Started || x.Started == 0 || x.TTFB.Mean() != float64(want[g.Kind]) {
					t.Errorf("%s: segment %d has %d first bytes of %v, %d started", g.Kind, i, x.TTFB.Count(), x.TTFB.Mean(), x.Started)
				}
			}
		}
	}
	for _, g := range snapshotOf(t, Options{}, boundsOf(t, Options{}, ops).Windows(), ops).Groups {
		for i, x := range g.Segments {
			if x.TTFB != nil || x.Latency != nil {
				t.Errorf("%s: segment %d has times that were not asked for", g.Kind, i)
			}
		}
	}
}

// TestSegmentTTFBMerges: parts travel and add up to what the whole has, also where one part has no first bytes.
func TestSegmentTTFBMerges(t *testing.T) {
	ops := mixedTimes()
	opts := Options{HostSegments: true, SegmentTimes: true}
	windows := boundsOf(t, opts, ops).Windows()
	var parts [2][]op.Op
	for i, o := range ops {
		if o.Client == "b" && o.Kind == op.Get {
			ops[i].FirstByte = time.Time{}
		}
		parts[i%2] = append(parts[i%2], ops[i])
	}
	want := snapshotOf(t, opts, windows, ops)
	a, b := snapshotOf(t, opts, windows, parts[0]), snapshotOf(t, opts, windows, parts[1])
	for _, got := range []*Snapshot{mergeAll(t, travelled(t, a), travelled(t, b)), mergeAll(t, travelled(t, b), travelled(t, a))} {
		for i, g := range want.Groups {
			for k := range g.Segments {
				w, x := g.Segments[k].TTFB, find(got.Groups, g).Segments[k].TTFB
				if (w == nil) != (x == nil) || w.Count() != x.Count() || w.Mean() != x.Mean() {
					t.Errorf("group %d, segment %d: %d first bytes of %v, want %d of %v", i, k, x.Count(), x.Mean(), w.Count(), w.Mean())
				}
			}
		}
	}
}
