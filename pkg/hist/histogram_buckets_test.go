package hist

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// histogramKinds is the kinds of Histogram by name.
var histogramKinds = map[string]func() *Histogram{
	"fine": func() *Histogram { return New(Fine) }, "coarse": func() *Histogram { return New(Coarse) }, "live": func() *Histogram { return New(Live) },
}

// TestBuckets: every value lies in the bucket that the one before it left it, no value is lost, and small ones are exact.
func TestBuckets(t *testing.T) {
	for kind, make := range histogramKinds {
		for name, draw := range distributions {
			t.Run(kind+"/"+name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, 3))
				h, values := make(), []int64{-7, 0, 1, 2 * int64(time.Hour)}
				for range 5000 {
					values = append(values, draw(r))
				}
				want := map[int64]int64{} // counts by the bucket's value
				for _, v := range values {
					h.Record(v)
					v = min(max(v, 0), int64(time.Hour))
					want[v-v%h.Width(v)]++
				}
				var order []int64
				for v, n := range h.Buckets {
					order = append(order, v)
					if want[v] != n {
						t.Errorf("%d values from %d, want %d", n, v, want[v])
					}
				}
				if !slices.Equal(order, slices.Sorted(maps.Keys(want))) {
					t.Errorf("%d buckets instead of %d, or not in order", len(order), len(want))
				}
			})
		}
	}
}

func TestBucketsOfNothing(t *testing.T) {
	for name, h := range map[string]*Histogram{"nil": nil, "zero": {}, "fine": New(Fine), "coarse": New(Coarse)} {
		for v, n := range h.Buckets {
			t.Errorf("%s: %d values from %d", name, n, v)
		}
	}
}

func TestBucketsStop(t *testing.T) {
	for kind, make := range histogramKinds {
		h := make()
		for v := range int64(10) {
			h.Record(v)
		}
		seen := 0
		for v := range h.Buckets {
			if seen++; v == 3 {
				break
			}
		}
		if seen != 4 {
			t.Errorf("%s: %d buckets seen, want 4", kind, seen)
		}
	}
}

// TestWidth: values of one bucket are reported alike, their neighbours are not, whatever the digits.
func TestWidth(t *testing.T) {
	for kind, make := range histogramKinds {
		for _, v := range []int64{0, 1, 127, 255, 256, 257, 2047, 2048, 4096, 1_234_567, 3e12} {
			width := make().Width(v)
			from := v - v%width
			h := make()
			for _, x := range []int64{from, from + width - 1, from + width} {
				h.Record(x)
			}
			var counts []int64
			for _, n := range h.Buckets {
				counts = append(counts, n)
			}
			if !slices.Equal(counts, []int64{2, 1}) {
				t.Errorf("%s: the bucket of %d is not %d wide: %v", kind, v, width, counts)
			}
		}
	}
}

func TestBucketsAllocateNothing(t *testing.T) {
	for kind, make := range histogramKinds {
		h := make()
		for v := range int64(1000) {
			h.Record(v * v)
		}
		var sum int64
		if n := testing.AllocsPerRun(10, func() {
			for _, n := range h.Buckets {
				sum += n
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations, want none", kind, n)
		}
	}
}

func BenchmarkBuckets(b *testing.B) {
	for kind, make := range histogramKinds {
		b.Run(kind, func(b *testing.B) {
			r := rand.New(rand.NewPCG(4, 4))
			h := make()
			for range 10_000 {
				h.Record(distributions["lognormal"](r))
			}
			b.ReportAllocs()
			for b.Loop() {
				for range h.Buckets {
				}
			}
		})
	}
}
