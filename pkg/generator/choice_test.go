package generator

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"
)

// choiceOf returns a choice by its text form.
func choiceOf(tb testing.TB, text string, n, seed uint64) *Choice {
	tb.Helper()
	a, err := ParseAccess(text)
	if err != nil {
		tb.Fatal(err)
	}
	return NewChoice(a, n, seed)
}

// checkCounts is the chi-square test of counts, whose probabilities are known: a value further than five deviations above what
// chance gives is a fault. Seeds are fixed, so that the test always gives the same.
func checkCounts(t *testing.T, what string, counts []int, probability func(i int) float64) {
	t.Helper()
	total, sum, chi, cells := 0, 0.0, 0.0, 0
	for i, n := range counts {
		total += n
		sum += probability(i)
	}
	got, want := 0.0, 0.0
	for i, n := range counts { // cells with too few are put together
		got, want = got+float64(n), want+float64(total)*probability(i)/sum
		if want >= 10 || i == len(counts)-1 {
			if want > 0 {
				chi += (got - want) * (got - want) / want
				cells++
			}
			got, want = 0, 0
		}
	}
	degrees := float64(cells - 1)
	if limit := degrees + 5*math.Sqrt(2*degrees); chi > limit {
		t.Errorf("%s: chi-square is %.1f with %d cells, want at most %.1f", what, chi, cells, limit)
	}
}

func TestZipfFollowsItsLaw(t *testing.T) {
	for _, s := range []float64{0, 0.2, 0.5, 0.8, 0.99, 1, 1.01, 1.5, 2, 3, 10, 100} {
		for _, n := range []uint64{1, 2, 3, 10, 3000} {
			z := newZipf(s)
			counts := make([]int, n)
			for i := range uint64(draws / 10) {
				counts[z.draw(Mix(5, i), n, z.last(n))]++
			}
			checkCounts(t, fmt.Sprintf("zipf(%g) of %d", s, n), counts, func(i int) float64 { return math.Pow(float64(i+1), -s) })
		}
	}
}

// TestHottestObject compares the share of the hottest object with the sums of the law.
func TestHottestObject(t *testing.T) {
	for _, c := range []struct {
		access string
		n      uint64
		share  float64
	}{{"zipf(0.99)", 1e4, 0.0976}, {"zipf(0.99)", 1e6, 0.0651}, {"zipf(0.99)", 1e9, 0.0437}, {"latest(0.99)", 1e6, 0.0651}, {"ycsb-zipf", 1e4, 0.0378}, {"ycsb-zipf", 1e9, 0.0378}} {
		choice, counts, most := choiceOf(t, c.access, c.n, 3), map[uint64]int{}, 0
		for turn := range uint64(draws / 2) {
			i := choice.At(turn, 0)
			counts[i]++
			most = max(most, counts[i])
		}
		if share := float64(most) / (draws / 2); math.Abs(share-c.share) > 0.0025 {
			t.Errorf("%s of %d: the hottest object has %.4f of all turns, want %.4f", c.access, c.n, share, c.share)
		}
	}
}

// TestYCSB holds draws of YCSB's own formula: rank 0 and 1 are the most frequent, and hashed as YCSB does.
func TestYCSB(t *testing.T) {
	if fnv(0) != 6284781860667377211 || fnv(1) != 8517097267634966620 {
		t.Errorf("hashes of 0 and 1 are %d and %d", fnv(0), fnv(1))
	}
	y, counts := newYCSB(), map[uint64]int{}
	for i := range uint64(draws) {
		counts[y.at(Mix(1, i), 1<<40)]++
	}
	for rank, want := range []float64{1 / ycsbZeta, math.Pow(2, -0.99) / ycsbZeta} {
		if got := float64(counts[fnv(uint64(rank))%(1<<40)]) / draws; math.Abs(got-want) > 0.001 {
			t.Errorf("rank %d has %.4f of the turns, want %.4f", rank, got, want)
		}
	}
}

func TestHotSet(t *testing.T) {
	const n, turns = 1000, draws / 4
	c := choiceOf(t, "hot(10%,90%)", n, 9)
	counts := make([]int, n)
	for turn := range uint64(turns) {
		counts[c.At(turn, 0)]++
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	checkCounts(t, "hot(10%,90%)", counts, func(i int) float64 {
		if i < n/10 {
			return 0.9 / (n / 10)
		}
		return 0.1 / (n - n/10)
	})
	for _, n := range []uint64{1, 2} {
		for turn := range uint64(100) {
			if i := choiceOf(t, "hot(1%,50%)", n, 9).At(turn, 0); i >= n {
				t.Fatalf("of %d objects, number %d is used", n, i)
			}
		}
	}
}

// TestExponential: a share of the turns use the newest objects, with the density of the law, also while objects are added.
// works: YCSB: requests are zipfian, latest, hotspot, sequential, exponential or uniform
func TestExponential(t *testing.T) {
	const n, turns = 1000, draws / 4
	c := choiceOf(t, "exponential(20%,95%)", n, 9)
	counts, newest, added := make([]int, n), 0, 0
	for turn := range uint64(turns) {
		age := n - 1 - c.At(turn, 0)
		counts[age]++
		if age < n/5 {
			newest++
		}
		if c.AtAmong(turn, 0, 2*n) >= 2*n-n/5 {
			added++
		}
	}
	scale := n / 5 / math.Log(20)
	checkCounts(t, "exponential(20%,95%)", counts, func(i int) float64 { return math.Exp(-float64(i) / scale) })
	for _, share := range []float64{float64(newest) / turns, float64(added) / turns} {
		if math.Abs(share-0.95) > 0.005 {
			t.Errorf("the newest fifth has %.4f of the turns, want 0.95", share)
		}
	}
	if !c.Grows() {
		t.Error("Grows is wrong")
	}
}

// TestGroups: only the places of each group are used, and all of them.
func TestGroups(t *testing.T) {
	for _, pattern := range []string{"seq", "uniform", "shuffle", "zipf(0.5)", "oldest"} {
		c := choiceOf(t, "range(5..16,2..3 of 4):"+pattern, 20, 9)
		used, once := map[uint64]bool{}, map[uint64]bool{}
		for turn := range uint64(500) {
			used[c.At(turn, 0)] = true
			once[c.Once(turn%c.Count())] = true
		}
		want := []uint64{5, 6, 9, 10, 13, 14}
		for _, got := range []map[uint64]bool{used, once} {
			if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, want) || c.Count() != 6 {
				t.Errorf("%s uses %v (%d), want %v", pattern, list, c.Count(), want)
			}
		}
	}
}

// TestHotSetMoves: what is hot moves by its share, and is what it was when all objects have been hot.
func TestHotSetMoves(t *testing.T) {
	c := choiceOf(t, "hot(10%,100%,shift=2%/min)", 1000, 9)
	hot := func(at time.Duration) map[uint64]bool {
		set := map[uint64]bool{}
		for turn := range uint64(5000) {
			set[c.At(turn, at)] = true
		}
		return set
	}
	start := hot(0)
	for minutes, want := range map[int]int{0: 100, 1: 80, 4: 20, 5: 0, 20: 0, 46: 20, 50: 100, 500: 100} {
		both := 0
		for i := range hot(time.Duration(minutes) * time.Minute) {
			if start[i] {
				both++
			}
		}
		if both != want {
			t.Errorf("after %d minutes, %d of 100 objects are still hot, want %d", minutes, both, want)
		}
	}
	if !c.Moves() || choiceOf(t, "hot(10%,90%)", 10, 1).Moves() {
		t.Error("Moves is wrong")
	}
}

func TestOrders(t *testing.T) {
	const n = 97
	for _, c := range []struct {
		access      string
		first, last uint64
		sorted      bool
	}{{"seq", 0, n, true}, {"shuffle", 0, n, false}, {"oldest", 0, n, true}, {"range(11..20)", 10, 20, false}, {"range(11..20):seq", 10, 20, true}} {
		choice := choiceOf(t, c.access, n, 4)
		count := c.last - c.first
		if choice.Count() != count {
			t.Errorf("%s: %d objects, want %d", c.access, choice.Count(), count)
		}
		for what, at := range map[string]func(uint64) uint64{"turn": func(i uint64) uint64 { return choice.At(3*count+i, 0) }, "place": choice.Once} {
			var got []uint64
			for i := range count {
				got = append(got, at(i))
			}
			if slices.IsSorted(got) != c.sorted {
				t.Errorf("%s, by %s: the order is %v", c.access, what, got)
			}
			slices.Sort(got)
			for i, object := range got {
				if object != c.first+uint64(i) {
					t.Fatalf("%s, by %s: not each object once: %v", c.access, what, got)
				}
			}
		}
	}
	if a, b := choiceOf(t, "shuffle", n, 4), NewPasses(n, 4); a.At(150, 0) != b.At(150) {
		t.Error("shuffle is not the order that is the default")
	}
}

func TestUniformAccess(t *testing.T) {
	for _, access := range []string{"uniform", "range(1..500):uniform"} {
		c, counts := choiceOf(t, access, 500, 6), make([]int, 500)
		for turn := range uint64(draws / 4) {
			counts[c.At(turn, 0)]++
		}
		checkCounts(t, access, counts, func(int) float64 { return 1 })
	}
}

// TestAllObjectsAreUsed: no object is out of reach, which hashing of ranks would leave.
func TestAllObjectsAreUsed(t *testing.T) {
	for _, access := range []string{"uniform", "zipf(0.3)", "hot(10%,50%)", "latest(0.3)"} {
		c, seen := choiceOf(t, access, 300, 2), map[uint64]bool{}
		for turn := range uint64(30_000) {
			seen[c.At(turn, 0)] = true
		}
		if len(seen) != 300 {
			t.Errorf("%s: %d of 300 objects are used", access, len(seen))
		}
	}
}

// TestLatest: the newest object is the hottest, also while there are more and more.
func TestLatest(t *testing.T) {
	c := choiceOf(t, "latest(1)", 100, 2)
	if !c.Grows() || choiceOf(t, "range(1..50):latest(1)", 100, 2).Grows() {
		t.Error("Grows is wrong")
	}
	for _, n := range []uint64{1, 100, 101, 500} {
		counts := make([]int, n)
		for turn := range uint64(50_000) {
			counts[n-1-c.AtAmong(turn, 0, n)]++
		}
		checkCounts(t, fmt.Sprintf("latest(1) of %d", n), counts, func(i int) float64 { return 1 / float64(i+1) })
	}
	if c.AtAmong(1, 0, 0) != 0 {
		t.Error("of no objects, another one than 0 is chosen")
	}
}

// TestChoicesNeverChange holds values that were once given out: a seed must mean the same run in every version, on all architectures.
func TestChoicesNeverChange(t *testing.T) {
	for access, want := range map[string][4]uint64{
		"range(3..9):zipf(0)":       {5, 7, 8, 6},
		"uniform":                   {651919641, 436359623, 331815748, 180986176},
		"seq":                       {0, 1000003, 2000006, 3000009},
		"shuffle":                   {133820745, 20131465, 284227960, 149615816},
		"zipf(0.99)":                {653293286, 436824887, 775868184, 106017707},
		"ycsb-zipf":                 {785043115, 701034737, 615311548, 562099858},
		"hot(10%,90%,shift=1%/min)": {428535986, 189927784, 535144436, 647870613},
		"latest(1.5)":               {999999999, 999999997, 999999995, 999999982},
	} {
		c, got := choiceOf(t, access, 1e9, 42), [4]uint64{}
		for i := range got {
			got[i] = c.At(uint64(i)*1_000_003, time.Duration(i)*time.Minute)
		}
		if got != want {
			t.Errorf("%q: {%d, %d, %d, %d},", access, got[0], got[1], got[2], got[3])
		}
	}
}

func TestChoosingNeedsNoMemory(t *testing.T) {
	for _, access := range choices {
		c, turn := choiceOf(t, access, 1e9, 1), uint64(0)
		if n := testing.AllocsPerRun(100, func() { c.At(turn, time.Minute); c.AtAmong(turn, 0, turn+1); turn++ }); n != 0 {
			t.Errorf("%s: %.1f allocations for each turn", access, n)
		}
	}
}

var choices = []string{"uniform", "seq", "shuffle", "zipf(0.99)", "zipf(0)", "zipf(1.5)", "ycsb-zipf", "hot(10%,90%)", "hot(10%,90%,shift=1%/min)", "latest(0.99)", "range(1..1000):zipf(0.99)"}

func BenchmarkChoice(b *testing.B) {
	for _, access := range choices {
		b.Run(access, func(b *testing.B) {
			c := choiceOf(b, access, 1e9, 1)
			b.ReportAllocs()
			for turn := uint64(0); b.Loop(); turn++ {
				c.At(turn, time.Minute)
			}
		})
	}
	b.Run("latest(0.99) of more and more", func(b *testing.B) {
		c := choiceOf(b, "latest(0.99)", 1e9, 1)
		b.ReportAllocs()
		for turn := uint64(0); b.Loop(); turn++ {
			c.AtAmong(turn, 0, 1e9+turn)
		}
	})
}
