package compare

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"warp/internal/testkit"
)

// autoregression is a series around level with this coefficient of variation and autocorrelation.
func autoregression(rng *rand.Rand, n int, level, cv, rho float64) []float64 {
	s := make([]float64, n)
	x := rng.NormFloat64()
	for i := range s {
		s[i] = level * (1 + cv*x)
		x = rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
	}
	return s
}

// trials returns the number of runs to simulate: few in daily tests, many in "make soak".
func trials(few, many int) int {
	if testkit.Soaking() {
		return many
	}
	return few
}

func averageOf(s []float64) (avg float64) {
	for _, v := range s {
		avg += v / float64(len(s))
	}
	return avg
}

// claims is the share of trials where the test claims that the averages of two series differ.
func claims(t *testing.T, seed uint64, trials int, before, after func(*rand.Rand) []float64) float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, seed))
	found := 0
	for range trials {
		x, y := before(rng), after(rng)
		sx, okX := averageSpread(x, 0)
		sy, okY := averageSpread(y, 0)
		if !okX || !okY {
			t.Fatal("no spread")
		}
		if welch(averageOf(x), averageOf(y), sx, sy, 0.95).p < 0.05 {
			found++
		}
	}
	return float64(found) / float64(trials)
}

// margin is what chance adds to a share of 5 % in these trials, at 99 %.
func margin(trials int) float64 { return 2.33 * math.Sqrt(0.05*0.95/float64(trials)) }

func TestFalsePositives(t *testing.T) {
	testkit.SkipSerial(t)
	trials := trials(50, 1000)
	sum, cells := 0.0, 0.0
	for _, n := range []int{8, 30, 100, 300} {
		for _, rho := range []float64{-0.3, 0, 0.3, 0.6} {
			series := func(rng *rand.Rand) []float64 { return autoregression(rng, n, 100, 0.1, rho) }
			rate := claims(t, uint64(cells), trials, series, series)
			t.Logf("%3d segments, autocorrelation %4.1f: %.1f %%", n, rho, 100*rate)
			if rate > 0.05+margin(trials) {
				t.Errorf("%d segments, autocorrelation %v: %v of null comparisons are significant", n, rho, rate)
			}
			sum, cells = sum+rate, cells+1
		}
	}
	if sum/cells > 0.05 {
		t.Errorf("on average %v of null comparisons are significant", sum/cells)
	}
}

func TestPower(t *testing.T) {
	testkit.SkipSerial(t)
	for _, tt := range []struct {
		n       int
		rho     float64
		atLeast float64
	}{{60, 0, 0.6}, {60, 0.3, 0.35}, {300, 0.3, 0.95}, {300, 0.6, 0.75}} {
		before := func(rng *rand.Rand) []float64 { return autoregression(rng, tt.n, 100, 0.1, tt.rho) }
		after := func(rng *rand.Rand) []float64 { return autoregression(rng, tt.n, 105, 0.1, tt.rho) }
		found := claims(t, 99, trials(40, 1000), before, after)
		t.Logf("5 %% more, segments vary by 10 %%, %d segments, autocorrelation %v: found in %.0f %%", tt.n, tt.rho, 100*found)
		if found < tt.atLeast {
			t.Errorf("%d segments, autocorrelation %v: 5 %% found in %v, want at least %v", tt.n, tt.rho, found, tt.atLeast)
		}
	}
}

// The interval without what theory adds to the bootstrap: why it is not used.
func TestPlainIntervalClaimsTooMuch(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const n = 30
	trials := trials(150, 1000)
	outside := 0
	for range trials {
		x, y := autoregression(rng, n, 100, 0.1, 0.6), autoregression(rng, n, 100, 0.1, 0.6)
		change := make([]float64, replicates)
		for side, s := range [][]float64{x, y} {
			draws := rand.New(rand.NewPCG(uint64(side), 1))
			weights := make([]float64, n)
			for r := range change {
				Resample(draws, blockLength(s), weights)
				var sum float64
				for i, w := range weights {
					sum += w * s[i]
				}
				change[r] += math.Log(sum) * float64(2*side-1)
			}
		}
		slices.Sort(change)
		if change[replicates*25/1000] > 0 || change[replicates*975/1000] < 0 {
			outside++
		}
	}
	rate := float64(outside) / float64(trials)
	t.Logf("percentile interval: %.1f %%", 100*rate)
	if rate < 0.1 {
		t.Errorf("the plain interval claims only %v, so it would do; the documentation says otherwise", rate)
	}
}

// latencyRun is the latencies of n segments of about perSegment requests each, whose level follows an autoregression.
func latencyRun(rng *rand.Rand, n, perSegment int, level, cv, rho float64) *times {
	counts, sums := make([][]bucket, n), make([]float64, n)
	for i, center := range autoregression(rng, n, level, cv, rho) {
		list := make(map[int64]float64)
		for range perSegment {
			v := center * math.Exp(0.5*rng.NormFloat64())
			if rng.Float64() < 0.03 {
				v *= 4
			}
			sums[i] += v
			shift := max(0, bits.Len64(uint64(v))-8)
			list[int64(v)>>shift<<shift]++
		}
		for from, c := range list {
			counts[i] = append(counts[i], bucket{from, 1 << max(0, bits.Len64(uint64(from))-8), c})
		}
	}
	return newTimes(counts, sums)
}

// latencyClaims counts, by metric, how often two runs are found to differ.
func latencyClaims(rng *rand.Rand, trials int, before, after func() *times) map[string]float64 {
	found := make(map[string]float64)
	for range trials {
		x, y := before(), after()
		vx, vy := x.values(), y.values()
		sx, sy := x.spreads(latency), y.spreads(latency)
		for name := range vx {
			d := welch(vx[name], vy[name], sx[name], sy[name], 0.95)
			if d.p < 0.05 {
				found[name] += 1 / float64(trials)
			}
		}
	}
	return found
}

// values are the metrics of all segments together.
func (l *times) values() map[string]float64 {
	names, ps := timeMetrics(latency)
	counts, result := make([]float64, len(l.from)), make([]float64, len(ps))
	total, avg := l.merged(slices.Repeat([]float64{1}, len(l.total)), counts)
	l.percentiles(counts, total, ps, result)
	values := make(map[string]float64, len(names))
	for i, v := range append(result, avg) {
		values[names[i]] = v
	}
	return values
}

func TestLatencyFalsePositives(t *testing.T) {
	testkit.SkipSerial(t)
	trials := trials(40, 600)
	for _, tt := range []struct {
		n       int
		cv, rho float64
	}{{30, 0.1, 0.6}, {100, 0.1, 0.3}, {100, 0, 0}} {
		rng := rand.New(rand.NewPCG(15, 16))
		null := func() *times { return latencyRun(rng, tt.n, 200, 1e7, tt.cv, tt.rho) }
		found := latencyClaims(rng, trials, null, null)
		t.Logf("%d segments, autocorrelation %v: %v", tt.n, tt.rho, fmt.Sprint(found))
		for name, rate := range found {
			if rate > 0.05+margin(trials) {
				t.Errorf("%d segments, autocorrelation %v: %s differs in %v of null comparisons", tt.n, tt.rho, name, rate)
			}
		}
	}
}

func TestLatencyPower(t *testing.T) {
	testkit.SkipSerial(t)
	rng := rand.New(rand.NewPCG(17, 18))
	before := func() *times { return latencyRun(rng, 100, 200, 1e7, 0.05, 0.3) }
	after := func() *times { return latencyRun(rng, 100, 200, 1.05e7, 0.05, 0.3) }
	found := latencyClaims(rng, trials(15, 200), before, after)
	t.Logf("5 %% more, 100 segments: %v", fmt.Sprint(found))
	for name, atLeast := range map[string]float64{"avg": 0.9, "p50": 0.9, "p90": 0.8} {
		if found[name] < atLeast {
			t.Errorf("5 %% more %s is found in %v, want at least %v", name, found[name], atLeast)
		}
	}
}

// For a long autoregression the best length is known: (6ρ²/(1-ρ²)²)^(1/3) n^(1/3).
func TestBlockLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for _, rho := range []float64{0.3, 0.6} {
		const n = 4000
		want := math.Cbrt(6*rho*rho/((1-rho*rho)*(1-rho*rho))) * math.Cbrt(n)
		var lengths []float64
		for range 15 {
			lengths = append(lengths, float64(blockLength(autoregression(rng, n, 100, 0.1, rho))))
		}
		slices.Sort(lengths)
		if got := medianOf(lengths); got < 0.7*want && got > math.Cbrt(n)+1 || got > 1.4*want && got > math.Cbrt(n)+1 {
			t.Errorf("autocorrelation %v: blocks of %v, want about %.0f", rho, got, want)
		}
	}
	for _, n := range []int{8, 9, 30, 400} {
		if got := blockLength(make([]float64, n)); got < 2 || got > n/3 {
			t.Errorf("%d constants: blocks of %d", n, got)
		}
		alternating := make([]float64, n)
		trend := make([]float64, n)
		for i := range n {
			alternating[i], trend[i] = float64(i%2), float64(i)
		}
		for _, s := range [][]float64{alternating, trend} {
			if got := blockLength(s); got < 2 || got > max(2, n/3) {
				t.Errorf("%d values: blocks of %d", n, got)
			}
		}
	}
}
