package live

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/internal/testkit"
)

// throughput is a rate over time in percent of that at the start, and how much it strays by chance: its deviation, in percent, in each
// step.
type throughput struct {
	name  string
	rate  func(seconds float64) float64
	noise float64
	step  time.Duration
}

// trial returns the second, up to most, when a throughput is first stable; most+1: at none of them.
func (p *throughput) trial(rng *rand.Rand, s Stability, most int) int {
	step := p.step.Seconds()
	sums := make([]float64, int(float64(most)/step)+2) // of all before the step
	for i := range len(sums) - 1 {
		sums[i+1] = sums[i] + p.rate((float64(i)+0.5)*step)*(1+p.noise/100*rng.NormFloat64())*step
	}
	at := func(seconds float64) float64 {
		i, part := math.Modf(seconds / step)
		return sums[int(i)] + part*(sums[int(i)+1]-sums[int(i)])
	}
	for second := 10; second <= most; second++ {
		slice := float64(second) / StableSlices
		moved := make([]float64, StableKept)
		for i := range moved {
			to := float64(second) - float64(i)*slice
			moved[i] = at(to) - at(to-slice)
		}
		if _, ok := s.Settle(moved, time.Duration(slice*1e9), true); ok {
			return second
		}
	}
	return most + 1
}

// autoterm is the default.
var autoterm = Stability{MinDuration: 15 * time.Second, Percent: 7.5}

// firstMoment is the second from which on autoterm may end a phase: 7 of 25 slices are 15 s.
const firstMoment = 54

func linear(perSecond float64) func(float64) float64 {
	return func(s float64) float64 { return 100 + perSecond*s }
}

// warming approaches its final rate from half of it.
func warming(tau float64) func(float64) float64 {
	return func(s float64) float64 { return 100 * (1 - 0.49*math.Exp(-s/tau)) }
}

// Throughput that drifts does not count as stable at the first moment that is allowed, nor soon after. Without noise each such drift is
// seen, with noise those that the half of a run can show.
func TestDriftIsNotStable(t *testing.T) {
	trials := 100
	if testkit.Soaking() {
		trials = 2000
	}
	for _, c := range []struct {
		throughput
		atFirst float64 // share of the trials that may end at the first moment
	}{
		{throughput{"0.1 %/s", linear(0.1), 0, time.Second}, 0},
		{throughput{"0.2 %/s", linear(0.2), 0, time.Second}, 0},
		{throughput{"0.4 %/s", linear(0.4), 0, time.Second}, 0},
		{throughput{"0.8 %/s", linear(0.8), 0, time.Second}, 0},
		{throughput{"falls by 0.3 %/s", linear(-0.3), 0, time.Second}, 0},
		{throughput{"warming, 60 s", warming(60), 0, time.Second}, 0},
		{throughput{"warming, 120 s", warming(120), 0, time.Second}, 0},
		{throughput{"0.4 %/s, 10 % noise", linear(0.4), 10, 100 * time.Millisecond}, 0.15},
		{throughput{"0.8 %/s, 10 % noise", linear(0.8), 10, 100 * time.Millisecond}, 0.05},
		{throughput{"warming, 60 s, 10 % noise", warming(60), 10, 100 * time.Millisecond}, 0.05},
		{throughput{"warming, 120 s, 10 % noise", warming(120), 10, 100 * time.Millisecond}, 0.08},
	} {
		n, most := trials, firstMoment
		if c.noise == 0 {
			n, most = 1, 2*firstMoment
		}
		rng := rand.New(rand.NewPCG(41, uint64(n)))
		ended := 0
		for range n {
			if c.trial(rng, autoterm, most) <= most {
				ended++
			}
		}
		t.Logf("%s: %d of %d are stable within %d s", c.name, ended, n, most)
		if float64(ended) > c.atFirst*float64(n) {
			t.Errorf("%s: %d of %d are stable within %d s", c.name, ended, n, most)
		}
	}
}

// Noise alone ends a run as soon as it may, or shortly after; a drift that has ended does too.
func TestNoiseIsStable(t *testing.T) {
	trials := 100
	if testkit.Soaking() {
		trials = 2000
	}
	for _, c := range []struct {
		throughput
		by int // second when nine in ten have ended
	}{
		{throughput{"steady", linear(0), 0, time.Second}, firstMoment},
		{throughput{"10 % noise", linear(0), 10, 100 * time.Millisecond}, 71},
		{throughput{"30 % noise", linear(0), 30, 50 * time.Millisecond}, 71},
		{throughput{"drift that ends at 40 s", func(s float64) float64 { return min(100+0.5*s, 120) }, 0, time.Second}, 90},
		{throughput{"drift within what is accepted", linear(0.03), 0, time.Second}, firstMoment},
	} {
		n := trials
		if c.noise == 0 {
			n = 1
		}
		rng := rand.New(rand.NewPCG(43, uint64(n)))
		var ends []int
		for range n {
			ends = append(ends, c.trial(rng, autoterm, 300))
		}
		slices.Sort(ends)
		t.Logf("%s: ends at %d to %d s, half by %d, nine in ten by %d", c.name, ends[0], ends[n-1], ends[n/2], ends[n*9/10])
		if ends[0] < firstMoment || ends[n*9/10] > c.by {
			t.Errorf("%s: ends at %d to %d s, nine in ten by %d; want %d to %d", c.name, ends[0], ends[n-1], ends[n*9/10], firstMoment, c.by)
		}
	}
}

// The interval of the drift has the true one in it as often as promised, also with neighbours that resemble each other.
func TestDriftInterval(t *testing.T) {
	trials := 500
	if testkit.Soaking() {
		trials = 20_000
	}
	for _, c := range []struct{ rho, slope, least float64 }{{0, 0, 0.93}, {0, 0.4, 0.93}, {0.3, 0, 0.88}, {0.5, 0.4, 0.82}} {
		rng := rand.New(rand.NewPCG(45, 46))
		inside := 0
		for range trials {
			rates := make([]float64, StableKept)
			x := rng.NormFloat64()
			for i := range rates { // the newest first
				rates[i] = 100 - c.slope*(float64(i)-(StableKept-1)/2) + 2*x
				x = c.rho*x + math.Sqrt(1-c.rho*c.rho)*rng.NormFloat64()
			}
			d := driftOf(rates, 6*time.Second)
			if math.Abs(d.PerMinute-10*c.slope) <= d.Error+0.1*c.slope { // of the average, which strays itself
				inside++
			}
		}
		share := float64(inside) / float64(trials)
		t.Logf("correlation %v, drift %v: %.1f %% of intervals have it", c.rho, c.slope, 100*share)
		if share < c.least {
			t.Errorf("correlation %v, drift %v: %v of intervals have it, want %v", c.rho, c.slope, share, c.least)
		}
	}
	if d := driftOf(make([]float64, StableKept), time.Second); d.Significant() || d.PerMinute != 0 {
		t.Errorf("drift of nothing: %v", d)
	}
	rising := driftOf([]float64{130, 129, 128, 127, 126, 125, 124, 123, 122, 121, 120, 119, 118}, 6*time.Second)
	if !rising.Significant() || rising.String() != "+8.1% a minute (95%: +8.1% to +8.1%)" {
		t.Errorf("drift of a straight line: %v", rising)
	}
}
