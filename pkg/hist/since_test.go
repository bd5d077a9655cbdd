package hist

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What came since a copy is what a histogram of it alone would hold.
func TestSince(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	now := New(Fine)
	var before *Histogram
	for round := range 20 {
		alone := New(Fine)
		for range rng.IntN(2000) {
			v := int64(rng.ExpFloat64() * 1e6 * float64(1+round))
			now.Record(v)
			alone.Record(v)
		}
		for _, p := range []Precision{Fine, Coarse} {
			d := Since(before, now, p)
			want := alone.Clone()
			want.Coarsen(p)
			if d.Count() != want.Count() || d.Sum() != want.Sum() {
				t.Fatalf("round %d: %d values, sum %d; want %d, %d", round, d.Count(), d.Sum(), want.Count(), want.Sum())
			}
			if want.Count() == 0 {
				if d != nil {
					t.Fatalf("round %d: a histogram without values", round)
				}
				continue
			}
			if got, want := pairs(d), pairs(want); !slices.Equal(got, want) {
				t.Fatalf("round %d: buckets %v, want %v", round, got, want)
			}
			if w := d.Width(want.Max()); d.Max() < want.Max() || d.Max() > want.Max()+w || d.Min() > want.Min() || d.Min() < want.Min()-w {
				t.Errorf("round %d: from %d to %d, want %d to %d within a bucket", round, d.Min(), d.Max(), want.Min(), want.Max())
			}
		}
		before = now.Clone()
	}
	if d := Since(now, now, Fine); d != nil {
		t.Errorf("%d values since now", d.Count())
	}
}

func pairs(h *Histogram) (list [][2]int64) {
	for v, n := range h.Buckets {
		list = append(list, [2]int64{v, n})
	}
	return list
}
