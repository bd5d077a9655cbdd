package generator

import (
	"math"
	"slices"
	"testing"
)

func TestPermutationIsABijection(t *testing.T) {
	sizes := []uint64{1023, 1024, 1025, 4095, 5000, 65537}
	for n := range uint64(300) {
		sizes = append(sizes, n+1)
	}
	for _, n := range sizes {
		p := NewPermutation(n, n*31)
		seen := make([]bool, n)
		for i := range n {
			x := p.At(i)
			if x >= n || seen[x] {
				t.Fatalf("n %d: place %d holds %d, out of range or for the second time", n, i, x)
			}
			seen[x] = true
		}
	}
}

func TestPermutationOfHugeRanges(t *testing.T) {
	for _, n := range []uint64{1 << 62, 1<<62 - 1, 1<<61 + 1, 1e12} {
		p := NewPermutation(n, 5)
		seen := map[uint64]bool{}
		var sum float64
		for i := range uint64(10_000) {
			x := p.At(i)
			if x >= n || seen[x] {
				t.Fatalf("n %d: place %d holds %d, out of range or for the second time", n, i, x)
			}
			seen[x] = true
			sum += float64(x) / float64(n)
		}
		if mean := sum / 10_000; math.Abs(mean-0.5) > 4/math.Sqrt(12*10_000) {
			t.Errorf("n %d: mean place is %.4f of it", n, mean)
		}
	}
}

func TestPermutationTakesAnything(t *testing.T) {
	if NewPermutation(0, 1).At(5) != 0 {
		t.Error("0 must be taken as 1")
	}
	if p := NewPermutation(10, 1); p.At(13) != p.At(3) {
		t.Error("places must go on from the start")
	}
}

// TestPermutationLooksShuffled counts over many seeds what a random order has on average: one fixed point, and a
// neighbour one higher in (n-1)/n of all places together, and as many rises as falls.
func TestPermutationLooksShuffled(t *testing.T) {
	const seeds = 400
	for _, n := range []uint64{50, 1000, 2500} {
		var fixed, next, rises float64
		for seed := range uint64(seeds) {
			p := NewPermutation(n, seed)
			for i := range n {
				x, y := p.At(i), p.At(i+1)
				if x == i {
					fixed++
				}
				if i+1 < n && y == x+1 {
					next++
				}
				if i+1 < n && y > x {
					rises++
				}
			}
		}
		if math.Abs(fixed/seeds-1) > 4/math.Sqrt(seeds) || math.Abs(next/seeds-1) > 4/math.Sqrt(seeds) {
			t.Errorf("n %d: %.2f fixed points and %.2f neighbours in an order, want about 1", n, fixed/seeds, next/seeds)
		}
		if share := rises / seeds / float64(n-1); math.Abs(share-0.5) > 0.01 {
			t.Errorf("n %d: %.3f of all steps rise", n, share)
		}
	}
}

// TestEveryPlaceOfASmallPermutation checks that each number comes to each place equally often.
func TestEveryPlaceOfASmallPermutation(t *testing.T) {
	const n, seeds = 5, 20_000
	var counts [n][n]float64
	for seed := range uint64(seeds) {
		p := NewPermutation(n, Mix(seed, 0))
		for i := range uint64(n) {
			counts[i][p.At(i)]++
		}
	}
	for i := range counts {
		for x, c := range counts[i] {
			if math.Abs(c-seeds/n) > 4.5*math.Sqrt(seeds/n) {
				t.Errorf("number %d comes to place %d %.0f times, want about %d", x, i, c, seeds/n)
			}
		}
	}
}

func TestPasses(t *testing.T) {
	const n = 1000
	p := NewPasses(n, 1)
	var passes [3][]uint64
	for turn := range uint64(n * len(passes)) {
		passes[turn/n] = append(passes[turn/n], p.At(turn))
	}
	if slices.Equal(passes[0], passes[1]) || slices.Equal(passes[1], passes[2]) || slices.Equal(passes[0], passes[2]) {
		t.Error("two passes have the same order")
	}
	for i, pass := range passes {
		if slices.Equal(pass, passOf(NewPasses(n, 2), uint64(i), n)) {
			t.Error("two seeds give the same order")
		}
		slices.Sort(pass)
		for x, got := range pass {
			if got != uint64(x) {
				t.Fatalf("pass %d does not hold every number once", i)
			}
		}
	}
	if NewPasses(0, 1).At(7) != 0 {
		t.Error("0 must be taken as 1")
	}
}

func passOf(p Passes, pass, n uint64) []uint64 {
	var numbers []uint64
	for i := range n {
		numbers = append(numbers, p.At(pass*n+i))
	}
	return numbers
}

func TestUniform(t *testing.T) {
	const n, count = 10, 100_000
	var counts [n]float64
	for i := range uint64(count) {
		counts[Uniform(1, i, n)]++
	}
	for x, c := range counts {
		if math.Abs(c-count/n) > 4*math.Sqrt(count/n) {
			t.Errorf("%d is drawn %.0f times, want about %d", x, c, count/n)
		}
	}
	if Uniform(1, 1, 0) != 0 || Uniform(1, 1, 1) != 0 {
		t.Error("a draw below 0 or 1 must be 0")
	}
}

func BenchmarkPermutation(b *testing.B) {
	p := NewPermutation(2500, 1)
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		p.At(i % 2500)
	}
}

func BenchmarkPasses(b *testing.B) {
	p := NewPasses(2500, 1)
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		p.At(i)
	}
}
