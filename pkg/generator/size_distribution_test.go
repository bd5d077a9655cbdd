package generator

import (
	"math"
	"testing"
)

const draws = 400_000

func TestRandomSizesStayWithinBounds(t *testing.T) {
	for _, c := range []struct{ low, high int64 }{
		{0, 256},
		{0, 257},
		{0, 1000},
		{0, 40_000},
		{0, 10 << 20},
		{0, 5 << 40},
		{0, math.MaxInt64},
		{1, 256},
		{1, 10 << 20},
		{100 << 10, 200 << 10},
		{100 << 10, 299 << 10},
		{1 << 10, 1<<10 + 1},
		{1 << 40, 1<<40 + 3},
		{1 << 10, 10 << 20},
		{math.MaxInt64 - 1, math.MaxInt64},
	} {
		s := Sizes{Min: c.low, Max: c.high, Random: true}
		least, most := int64(math.MaxInt64), int64(0)
		for i := range uint64(draws / 10) {
			size := s.At(7, i)
			least, most = min(least, size), max(most, size)
		}
		if least < max(1, c.low) || most > c.high {
			t.Errorf("%v: sizes from %d to %d", s, least, most)
		}
		if spread := float64(c.high - c.low); float64(c.high-most) > spread/100 {
			t.Errorf("%v: no size comes near the maximum, the largest is %d", s, most)
		}
	}
}

// TestRandomSizesMean compares with the mean that users of MinIO warp see, 0.179151 of the largest size.
// works: MinIO warp: their mean is 0.179151 of the largest
func TestRandomSizesMean(t *testing.T) {
	for _, high := range []int64{32 << 10, 1e6, 10 << 20, 100e6, 5 << 40} {
		s := Sizes{Max: high, Random: true}
		var sum float64
		for i := range uint64(draws) {
			sum += float64(s.At(42, i))
		}
		if mean := sum / draws / float64(high); math.Abs(mean/0.179151-1) > 0.01 {
			t.Errorf("up to %d: mean is %.6f of it", high, mean)
		}
	}
}

// TestDoublingsAreEqual counts objects in each doubling of the size, from the largest down. A count of n is expected to
// be off by its square root; four times that is never seen with an honest law and these seeds.
func TestDoublingsAreEqual(t *testing.T) {
	for _, c := range []struct {
		low, high int64
		classes   int // doublings, and the class below them if there is no minimum
	}{
		{0, 1<<20 - 1, 8},
		{0, 32<<10 - 1, 8},
		{0, 1<<43 - 1, 8},
		{1 << 10, 1<<20 - 1, 10},
		{1, 1<<12 - 1, 12},
		{100 << 10, 200<<10 - 1, 1},
		{100 << 10, 400<<10 - 1, 2},
	} {
		s := Sizes{Min: c.low, Max: c.high, Random: true}
		counts := make([]float64, c.classes)
		for i := range uint64(draws) {
			class := int(math.Ceil(math.Log2(float64(c.high+1)/float64(s.At(3, i)))) - 1)
			counts[min(class, c.classes-1)]++
		}
		want := float64(draws) / float64(c.classes)
		for class, n := range counts {
			if math.Abs(n-want) > 4*math.Sqrt(want) {
				t.Errorf("%v: class %d holds %.0f objects, want about %.0f", s, class, n, want)
			}
		}
	}
}

// TestWithinADoubling looks at the halves of one doubling on the logarithmic scale, also where the range is cut off.
func TestWithinADoubling(t *testing.T) {
	for _, s := range []Sizes{
		{Min: 100 << 10, Max: 200 << 10, Random: true},
		{Min: 100 << 10, Max: 300 << 10, Random: true},
		{Min: 1 << 10, Max: 1e9, Random: true},
		{Min: 1_000_000, Max: 1_001_000, Random: true},
	} {
		middle := math.Sqrt(float64(s.Min) * float64(s.Max))
		var below float64
		for i := range uint64(draws) {
			if float64(s.At(11, i)) < middle {
				below++
			}
		}
		if math.Abs(below-draws/2) > 4*math.Sqrt(draws/4) {
			t.Errorf("%v: %.0f of %d sizes are below the middle", s, below, draws)
		}
	}
}

// works: MinIO warp: sizes with weights, `--obj.size=4096:10740,8192:1685`
func TestBucketWeights(t *testing.T) {
	s, err := ParseSizes("4096:10740,8192:1685,1MiB:0,2MiB:575", false)
	if err != nil {
		t.Fatal(err)
	}
	counts, sums := make([]float64, 4), make([]float64, 4)
	for i := range uint64(draws) {
		size := s.At(1, i)
		for b, bucket := range s.Buckets {
			if size < bucket.Size {
				counts[b]++
				sums[b] += float64(size)
				break
			}
		}
	}
	begin := int64(0)
	for b, bucket := range s.Buckets {
		want := draws * float64(bucket.Weight) / 13000
		if math.Abs(counts[b]-want) > 4*math.Sqrt(want) {
			t.Errorf("bucket %d holds %.0f objects, want about %.0f", b, counts[b], want)
		}
		middle := float64(begin+bucket.Size-1) / 2
		spread := float64(bucket.Size-begin) / math.Sqrt(12*counts[b])
		if counts[b] > 0 && math.Abs(sums[b]/counts[b]-middle) > 4*spread {
			t.Errorf("mean size in bucket %d is %.0f, want about %.0f", b, sums[b]/counts[b], middle)
		}
		begin = bucket.Size
	}
}

func TestBucketHoldsItsLowerBoundButNotItsUpper(t *testing.T) {
	s := Sizes{Buckets: []Bucket{{3, 1}, {5, 1}}}
	seen := map[int64]bool{}
	for i := range uint64(1000) {
		seen[s.At(1, i)] = true
	}
	for size := range int64(5) {
		if !seen[size] {
			t.Errorf("size %d never occurs", size)
		}
	}
	if len(seen) != 5 {
		t.Errorf("sizes are %v, want 0 to 4", seen)
	}
}

func TestSizesDependOnSeedAndIndex(t *testing.T) {
	s := Sizes{Max: 1 << 40, Random: true}
	if again := (Sizes{Max: 1 << 40, Random: true}); s.At(1, 1) != again.At(1, 1) {
		t.Error("the same object has two sizes")
	}
	if s.At(1, 1) == s.At(2, 1) || s.At(1, 1) == s.At(1, 2) {
		t.Error("size does not depend on seed and index")
	}
}

// TestSizesNeverChange holds values that were once given out: a seed must mean the same data set in every version.
func TestSizesNeverChange(t *testing.T) {
	got := [3]int64{}
	for i := range got {
		got[i] = Sizes{Max: 10 << 20, Random: true}.At(1, uint64(i))
	}
	if want := [3]int64{5005681, 7451947, 7183916}; got != want {
		t.Errorf("sizes are %v, want %v", got, want)
	}
}

func BenchmarkSizes(b *testing.B) {
	s := Sizes{Max: 10 << 20, Random: true}
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		s.At(1, i)
	}
}
