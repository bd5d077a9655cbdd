package load

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// waits runs a load on one server on a virtual clock, and returns how long its turns waited, and how long they were served.
func waits(t *testing.T, o Options, service func() time.Duration) (waited, served []time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		o.Concurrency = 1
		mustRun(t, t.Context(), o, func(_ context.Context, turn Turn) error {
			if turn.Warmup {
				time.Sleep(service())
				return nil
			}
			begun := time.Now()
			time.Sleep(service())
			waited = append(waited, begun.Sub(turn.Due))
			served = append(served, time.Since(begun))
			return nil
		})
	})
	return waited, served
}

func mean(list []time.Duration) float64 {
	sum := 0.0
	for _, d := range list {
		sum += d.Seconds()
	}
	return sum / float64(len(list))
}

// queueing computes how long the turns of a schedule wait at one server, one after the other.
func queueing(s Schedule, turns int, service func() time.Duration) (waited []time.Duration) {
	free := time.Duration(0)
	for n := range turns {
		due := s.Due(uint64(n))
		begin := max(due, free)
		waited = append(waited, begin-due)
		free = begin + service()
	}
	return waited
}

// Random arrivals wait at a server with known service times as long as queueing theory says.
func TestWaitsOfRandomArrivals(t *testing.T) {
	t.Parallel()
	const turns, service = 1_000_000, 10 * time.Millisecond
	random := rand.New(rand.NewPCG(1, 2))
	fixed := func() time.Duration { return service }
	varied := func() time.Duration { return time.Duration(random.ExpFloat64() * float64(service)) }
	for _, rate := range []float64{30, 50, 70} { // of 100 per second
		s, err := Constant(rate).Schedule(Poisson, 7)
		if err != nil {
			t.Fatal(err)
		}
		busy := rate * service.Seconds()
		if got, want := mean(queueing(s, turns, fixed)), busy/(2*(1-busy))*service.Seconds(); math.Abs(got/want-1) > 0.05 {
			t.Errorf("M/D/1 at %.0f %%: %.3g s of waiting, want %.3g", 100*busy, got, want)
		}
		if got, want := mean(queueing(s, turns, varied)), busy/(1-busy)*service.Seconds(); math.Abs(got/want-1) > 0.05 {
			t.Errorf("M/M/1 at %.0f %%: %.3g s of waiting, want %.3g", 100*busy, got, want)
		}
	}
	// A load waits as was computed.
	s := scheduleOf(t, "70", Poisson)
	waited, _ := waits(t, Options{Schedule: s, Turns: 5000}, fixed)
	if !slices.Equal(waited, queueing(s, len(waited), fixed)) || len(waited) != 5000 {
		t.Errorf("%d turns waited %.3g s on average, want 5000 and %.3g", len(waited), mean(waited), mean(queueing(s, 5000, fixed)))
	}
}

// A ramp shows the rate from which on turns wait.
func TestRampShowsTheBreakpoint(t *testing.T) {
	t.Parallel()
	o := Options{Schedule: scheduleOf(t, "0..200/200s", Even), Duration: 200 * time.Second}
	late := 0.0 // rate at which a turn waited for longer than a tenth of a second first
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		o.Concurrency = 1
		mustRun(t, t.Context(), o, func(_ context.Context, turn Turn) error {
			if time.Since(turn.Due) > 100*time.Millisecond && late == 0 {
				late = turn.Due.Sub(begun).Seconds()
			}
			time.Sleep(10 * time.Millisecond)
			return nil
		})
	})
	if late < 100 || late > 105 {
		t.Errorf("turns wait from %.1f per second on, want 100", late)
	}
}

// A stall of a second at 10 turns per second shows in response times, and hardly in service times.
func TestStallShowsInResponseTimes(t *testing.T) {
	n := 0
	waited, served := waits(t, Options{Schedule: scheduleOf(t, "10", Even), Duration: 9 * time.Second}, func() time.Duration {
		if n++; n == 40 {
			return time.Second
		}
		return 10 * time.Millisecond
	})
	response := make([]time.Duration, len(waited))
	for i := range response {
		response[i] = waited[i] + served[i]
	}
	p95 := func(list []time.Duration) time.Duration {
		slices.Sort(list)
		return list[int(math.Ceil(0.95*float64(len(list))))-1]
	}
	if r, s := p95(response), p95(served); r != 640*time.Millisecond || s != 10*time.Millisecond {
		t.Errorf("95th percentiles: response time %v, service time %v; want 640ms and 10ms", r, s)
	}
}

// The gaps of random arrivals are exponential and independent, at every distance.
func TestArrivalsAreRandom(t *testing.T) {
	p := newProcess(3)
	const n = groupGaps + 50_000
	var sum, squares, products float64
	last, lastGap := 0.0, 0.0
	small := 0
	for i := range uint64(n) {
		at := p.at(i)
		gap := at - last
		sum, squares, products = sum+gap, squares+gap*gap, products+gap*lastGap
		if gap < math.Ln2 {
			small++
		}
		last, lastGap = at, gap
	}
	average := sum / n
	if math.Abs(average-1) > 0.005 || math.Abs(squares/n-2) > 0.02 || math.Abs(products/n-1) > 0.01 {
		t.Errorf("average %.4f, of squares %.4f, of products of neighbours %.4f; want 1, 2, 1", average, squares/n, products/n)
	}
	if median := float64(small) / n; math.Abs(median-0.5) > 0.002 {
		t.Errorf("%.4f of the gaps are below ln 2, want a half", median)
	}
	for _, window := range []uint64{10, 1000, 5000} { // counts in windows have the variance of their average
		counts := map[int]float64{}
		windows := int(n / window / 2)
		for i := range uint64(n) {
			if w := int(p.at(i) / float64(window)); w < windows {
				counts[w]++
			}
		}
		variance := 0.0
		for w := range windows {
			variance += math.Pow(counts[w]-float64(window), 2)
		}
		variance /= float64(windows)
		if tolerance := 5 * math.Sqrt(2/float64(windows)); math.Abs(variance/float64(window)-1) > tolerance {
			t.Errorf("counts in windows of %d: variance %.4f of the average, want 1 give or take %.3f", window, variance/float64(window), tolerance)
		}
	}
}
