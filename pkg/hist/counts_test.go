package hist

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// TestCountsAreHdrHistogram: buckets, counts and percentiles equal the library's.
func TestCountsAreHdrHistogram(t *testing.T) {
	for name, draw := range distributions {
		for digits, p := range map[int]Precision{2: Coarse, 3: Fine} {
			t.Run(name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(7, uint64(digits)))
				want, got := hdrhistogram.New(1, MaxValue, digits), counts{kept: p}
				for range 5000 {
					v := min(draw(r), MaxValue)
					got.add(v, 1)
					if err := want.RecordValue(v); err != nil {
						t.Fatal(err)
					}
				}
				var buckets []hdrhistogram.Bar
				for v, n := range got.each {
					buckets = append(buckets, hdrhistogram.Bar{From: v, To: v + got.width(v) - 1, Count: n})
				}
				for _, bar := range want.Distribution() {
					if bar.Count == 0 {
						continue
					}
					if len(buckets) == 0 || buckets[0] != bar {
						t.Fatalf("the library has %+v, here remain %+v", bar, buckets[:min(1, len(buckets))])
					}
					buckets = buckets[1:]
				}
				if len(buckets) > 0 || got.n != want.TotalCount() {
					t.Errorf("%d buckets more, %d values", len(buckets), got.n)
				}
				for rank := int64(1); rank <= got.n; rank += 7 {
					if a, b := got.atRank(rank), want.ValueAtPercentile(100*float64(rank)/float64(got.n)); a != b {
						t.Errorf("rank %d: %d, want %d", rank, a, b)
					}
				}
			})
		}
	}
}

// TestCountsCarry: a count goes on where its four bytes end.
func TestCountsCarry(t *testing.T) {
	const most = math.MaxUint32
	c := counts{kept: Fine}
	c.add(5000, most-1)
	c.add(7, 1)
	for range 3 {
		c.add(5001, 1) // in the same bucket
	}
	sum := c.clone()
	sum.merge(&c)
	coarse := counts{kept: Coarse}
	coarse.merge(&sum)
	for name, tt := range map[string]struct {
		c    *counts
		want map[int64]int64
	}{
		"counted": {&c, map[int64]int64{7: 1, 5000: most + 2}},
		"merged":  {&sum, map[int64]int64{7: 2, 5000: 2 * (most + 2)}},
		"coarse":  {&coarse, map[int64]int64{7: 2, 4992: 2 * (most + 2)}},
	} {
		total := int64(0)
		for v, n := range tt.c.each {
			if total += n; tt.want[v] != n {
				t.Errorf("%s: %d values from %d, want %d", name, n, v, tt.want[v])
			}
		}
		if total != tt.want[7]+tt.want[5000]+tt.want[4992] || tt.c.n != total {
			t.Errorf("%s: %d values, said to be %d", name, total, tt.c.n)
		}
	}
	sum.reset()
	for v := range sum.each {
		t.Errorf("%d is left", v)
	}
}

func BenchmarkCounts(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 8))
	values := make([]int64, 1<<16)
	for i := range values {
		values[i] = min(distributions["lognormal"](r), MaxValue)
	}
	c, library := counts{kept: Fine}, hdrhistogram.New(1, MaxValue, 3)
	b.Run("counts", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			c.add(values[i&(1<<16-1)], 1)
		}
	})
	b.Run("library", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			_ = library.RecordValue(values[i&(1<<16-1)])
		}
	})
}
