package search

import (
	"math"
	"testing"
	"time"

	"warp/internal/testkit"
)

// sweepOf sweeps a model over threads, or over rates.
func sweepOf(t *testing.T, s *server, control Control, loads ...float64) (points []Point) {
	t.Helper()
	c := config(t, 1, "p99<50ms")
	c.Objectives[0].Limit = 0
	for _, load := range loads {
		p := Point{Level: load}
		for range 10 {
			trial := Trial{Drain: time.Second, Settle: time.Second, Duration: 2 * time.Second, Blocks: 1, Threads: int(load), Backlog: math.Inf(1)}
			if control == Rate {
				trial.Rate = load
			}
			s.responses = 0
			o := s.perform(c, trial)
			b := Block{o.Achieved, s.responses / o.counted(0).Operations}
			p.Blocks = append(p.Blocks, b)
			p.Throughput += b.Throughput / 10
			p.Response += b.Response / 10
		}
		points = append(points, p)
	}
	return points
}

func TestSweepFindsServers(t *testing.T) {
	for _, want := range []Servers{{1, 0.002}, {4, 0.004}, {16, 0.010}} {
		model := server{servers: int(want.Count), service: want.Service, bySecond: 0.05}
		capacity := want.Count / want.Service
		for control, loads := range map[Control][]float64{
			Threads: {1, 2, 4, 8, 16, 24, 32, 64},
			Rate:    {0.05 * capacity, 0.1 * capacity, 0.3 * capacity, 0.5 * capacity, 0.7 * capacity, 0.9 * capacity, 1.1 * capacity},
		} {
			points := sweepOf(t, model.seeded(7), control, loads...)
			got, err := FitServers(points)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Near(t, string(control)+": servers", got.Count, want.Count, 0.1)
			testkit.Near(t, string(control)+": service time", got.Service, want.Service, 0.1)
		}
	}
}

// With n threads in a closed loop on c servers, X/R is n/(c·S²) up to c threads, and falls as 1/n from there. In an open loop on one
// server it is rate·(capacity-rate), which is highest at half of the capacity.
func TestKneeLiesWhereTheoryHasIt(t *testing.T) {
	closed := server{servers: 8, service: 0.004, bySecond: 0.05}
	k, err := FindKnee(sweepOf(t, closed.seeded(3), Threads, 1, 2, 4, 6, 8, 10, 12, 16, 32, 64))
	if err != nil || k.CI[0] > 8 || k.CI[1] < 8 || k.CI[0] < 6 || k.CI[1] > 12 || !k.Confirmed {
		t.Errorf("8 servers: %+v, %v", k, err)
	}
	open := server{servers: 1, service: 0.002}
	k, err = FindKnee(sweepOf(t, open.seeded(4), Rate, 50, 100, 150, 200, 250, 300, 350, 400, 450))
	if err != nil || k.CI[0] > 250 || k.CI[1] < 250 || k.CI[0] < 150 || k.CI[1] > 350 {
		t.Errorf("one server: %+v, %v", k, err)
	}
}

func TestFitUSL(t *testing.T) {
	for _, want := range []struct {
		USL
		words string
	}{
		{USL{1000, 0.03, 0.0001}, "contention 3 %, crosstalk 0.01 %: peak at about 98 threads"},
		{USL{100, 0.05, 0}, "contention 5 %, crosstalk 0 %: no peak, at most 2000 op/s"},
		{USL{50, 0, 0.002}, "contention 0 %, crosstalk 0.2 %: peak at about 22 threads"},
		{USL{10, 0, 0}, "contention 0 %, crosstalk 0 %: throughput grows with the threads"},
		{USL{10, 0.5, 0.9}, "contention 50 %, crosstalk 90 %: one thread is the best"},
	} {
		var points []Point
		for n := 1.0; n <= 256; n *= 2 {
			points = append(points, Point{Level: n, Throughput: want.At(n)})
		}
		got, err := FitUSL(points)
		if err != nil {
			t.Error(err)
			continue
		}
		// What is 0 comes out as 0 but for rounding.
		clean := USL{got.One, math.Round(got.Contention*1e9) / 1e9, math.Round(got.Crosstalk*1e9) / 1e9}
		testkit.Near(t, "one thread", clean.One, want.One, 1e-6)
		if clean.String() != want.words || math.Abs(clean.Contention-want.Contention) > 1e-6 || math.Abs(clean.Crosstalk-want.Crosstalk) > 1e-6 {
			t.Errorf("%+v: %+v, %s", want, got, clean)
		}
	}
	if _, err := FitUSL([]Point{{Level: 1, Throughput: 1}, {Level: 2, Throughput: 2}}); err == nil {
		t.Error("a fit to two points")
	}
	if _, err := FitUSL([]Point{{Level: 1}, {Level: 2}, {Level: 3}}); err == nil {
		t.Error("a fit to no throughput")
	}
}

// Measured throughput above that of a linear law has no negative parameters.
func TestFitUSLIsNeverNegative(t *testing.T) {
	got, err := FitUSL([]Point{{Level: 1, Throughput: 100}, {Level: 2, Throughput: 205}, {Level: 4, Throughput: 420}, {Level: 8, Throughput: 850}})
	if err != nil || got.Contention != 0 || got.Crosstalk != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	testkit.Near(t, "one thread", got.One, 104, 0.03)
}

func TestFitLine(t *testing.T) {
	var points []Point
	for size := 1024.0; size < 1e8; size *= 4 {
		points = append(points, Point{Level: size, Response: 0.018 + size/300e6})
	}
	got, err := FitLinear(points)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Near(t, "base", got.Base, 0.018, 1e-6)
	testkit.Near(t, "per byte", got.PerByte, 1/300e6, 1e-6)
	if _, err := FitLinear(points[:1]); err == nil {
		t.Error("a fit to one point")
	}
}
