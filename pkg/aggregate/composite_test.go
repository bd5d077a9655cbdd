package aggregate

import (
	"slices"
	"testing"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// Operations that consist of others have figures of their own, and change none of a total.
func TestTotalsLeaveOutWholes(t *testing.T) {
	ops := optest.Ordered(optest.Streams()["parts"].Make(), optest.ByEnd)
	requests := slices.DeleteFunc(slices.Clone(ops), func(o op.Op) bool { return o.Kind.IsComposite() })
	opts := Options{HostSegments: true, SegmentTimes: true}
	_, want := twoPasses(t, opts, requests)
	_, got := twoPasses(t, opts, ops)
	if len(got.Groups) != len(want.Groups)+1 || len(want.Totals) != 1 {
		t.Fatalf("%d groups and %d totals, without wholes %d and %d", len(got.Groups), len(got.Totals), len(want.Groups), len(want.Totals))
	}
	same(t, got.Totals, want.Totals)
	i := slices.IndexFunc(got.Groups, func(g *Group) bool { return g.Kind == op.MultipartPut })
	if i < 0 || got.Groups[i].Requests != int64(len(ops)-len(requests)) || got.Groups[i].MaxSize != 1<<20 {
		t.Error("no figures of wholes")
	}
}

// One kind of request next to a whole makes no total: the kind is the total.
func TestOneKindBesideWholes(t *testing.T) {
	var ops []op.Op
	for i := range 100 {
		part := optest.With(optest.Get(float64(i), float64(i+1)), func(o *op.Op) { o.Kind = op.GetPart })
		ops = append(ops, part, optest.With(part, func(o *op.Op) { o.Kind = op.MultipartGet }))
	}
	if s := analyze(t, Options{}, ops); len(s.Groups) != 2 || len(s.Totals) != 0 {
		t.Errorf("%d groups, %d totals", len(s.Groups), len(s.Totals))
	}
}

// Segments of requests that touch no objects are ranked by operations.
func TestRankWithoutObjects(t *testing.T) {
	g := Group{Kind: op.CreateUpload, Requests: 6, Segments: []Segment{{Ended: 2}, {Ended: 3}, {Ended: 1}}}
	if f, m, s, _, ok := g.Rank(); !ok || f != 1 || m != 0 || s != 2 || g.CountsObjects() {
		t.Errorf("fastest %d, median %d, slowest %d", f, m, s)
	}
}
