package generator

import (
	"math"
	"testing"
)

// TestLengthsOfRanges: lengths are distributed as random sizes without a smallest one, which is the distribution of MinIO warp. Of the
// classes, which have equally many, K are doublings with the density 1/x, whose mean is their lower end divided by ln 2; one is uniform
// from 1 byte to the lowest doubling.
func TestLengthsOfRanges(t *testing.T) {
	const draws = 200_000
	for _, c := range []struct {
		size, low int64
		doublings int
		mean      float64 // of the lengths, in other words
	}{
		{4 << 10, 256, 4, 1.1 * 1024},
		{10 << 20, 10 << 20 / 128, 7, 0.18 * (10 << 20)},
	} {
		counts, sum := make([]int, c.doublings+1), 0.0
		for turn := range uint64(draws) {
			p := Ranges{{Place: PlaceRandom}}.Parts(c.size, 1, 2, turn)
			offset, length, ok := p.Next()
			if !ok || length < 1 || offset < 0 || offset+length > c.size {
				t.Fatalf("range of %d bytes at %d of %d", length, offset, c.size)
			}
			sum += float64(length)
			class := 0 // below low
			for from := c.low; from <= length && class < c.doublings; from *= 2 {
				class++
			}
			counts[class]++
		}
		want := draws / float64(c.doublings+1)
		for class, n := range counts {
			if math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
				t.Errorf("%d bytes: class %d has %d of %d lengths, want about %.0f", c.size, class, n, draws, want)
			}
		}
		mean := (float64(c.size-c.low)/math.Ln2 + float64(c.low)/2) / float64(c.doublings+1)
		if got := sum / draws; math.Abs(got/mean-1) > 0.01 || math.Abs(got/c.mean-1) > 0.03 {
			t.Errorf("%d bytes: mean is %.0f, want %.0f", c.size, got, mean)
		}
	}
}
