package search

import (
	"math"
	"strings"
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
			b := Block{o.Achieved, s.responses / o.totalFor(0).Operations}
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
			got, err := fitServers(points)
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
	k, err := findKnee(sweepOf(t, closed.seeded(3), Threads, 1, 2, 4, 6, 8, 10, 12, 16, 32, 64))
	if err != nil || k.CI[0] > 8 || k.CI[1] < 8 || k.CI[0] < 6 || k.CI[1] > 12 || !k.Confirmed {
		t.Errorf("8 servers: %+v, %v", k, err)
	}
	open := server{servers: 1, service: 0.002}
	k, err = findKnee(sweepOf(t, open.seeded(4), Rate, 50, 100, 150, 200, 250, 300, 350, 400, 450))
	if err != nil || k.CI[0] > 250 || k.CI[1] < 250 || k.CI[0] < 150 || k.CI[1] > 350 {
		t.Errorf("one server: %+v, %v", k, err)
	}
}

func TestFitUSL(t *testing.T) {
	for _, want := range []struct {
		USL
		words string
	}{
		{USL{1000, 0.03, 0.0001}, "contention 3%, crosstalk 0.01%: peak at about 98 threads"},
		{USL{100, 0.05, 0}, "contention 5%, crosstalk 0%: no peak, at most 2000 op/s"},
		{USL{50, 0, 0.002}, "contention 0%, crosstalk 0.2%: peak at about 22 threads"},
		{USL{10, 0, 0}, "contention 0%, crosstalk 0%: throughput grows with the threads"},
		{USL{10, 0.5, 0.9}, "contention 50%, crosstalk 90%: one thread is the best"},
		{USL{1000, 0.03, 0.000003}, "contention 3%, crosstalk 0.0003%: no peak was measured"}, // at 569 threads
	} {
		points := closed(want.at, 1, 2, 4, 8, 16, 32, 64, 128, 256)
		got, err := fitUSL(points)
		if err != nil {
			t.Error(err)
			continue
		}
		// What is 0 comes out as 0 but for rounding.
		clean := USL{got.One, math.Round(got.Contention*1e9) / 1e9, math.Round(got.Crosstalk*1e9) / 1e9}
		testkit.Near(t, "one thread", clean.One, want.One, 1e-6)
		if math.Abs(clean.Contention-want.Contention) > 1e-6 || math.Abs(clean.Crosstalk-want.Crosstalk) > 1e-6 {
			t.Errorf("%+v: %+v", want, got)
		}
		c := NewCurve(axisThreads, points)
		if c.USL == nil {
			t.Errorf("%+v: %+v", want, c.Limit)
			continue
		}
		if *c.USL = clean; c.Scaling() != "Universal scalability law: "+want.words {
			t.Errorf("%+v: %s", want, c.Scaling())
		}
	}
	if _, err := fitUSL([]Point{{Level: 1, Throughput: 1}, {Level: 2, Throughput: 2}}); err == nil {
		t.Error("a fit to two points")
	}
	if _, err := fitUSL([]Point{{Level: 1}, {Level: 2}, {Level: 3}}); err == nil {
		t.Error("a fit to no throughput")
	}
}

// Measured throughput above that of a linear law has no negative parameters.
func TestFitUSLIsNeverNegative(t *testing.T) {
	got, err := fitUSL([]Point{{Level: 1, Throughput: 100}, {Level: 2, Throughput: 205}, {Level: 4, Throughput: 420}, {Level: 8, Throughput: 850}})
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
	got, err := fitLinear(points)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Near(t, "base", got.Base, 0.018, 1e-6)
	testkit.Near(t, "per byte", got.PerByte, 1/300e6, 1e-6)
	if _, err := fitLinear(points[:1]); err == nil {
		t.Error("a fit to one point")
	}
}

// closed returns points of a closed loop at these threads, without blocks.
func closed(throughput func(n float64) float64, loads ...float64) (points []Point) {
	for _, n := range loads {
		b := Block{throughput(n), n / throughput(n)}
		points = append(points, Point{Level: n, Throughput: b.Throughput, Response: b.Response, Blocks: []Block{b, b, b}})
	}
	return points
}

// TestSaturation: a peak is only where the throughput measured falls beyond its interval. Where it does not, the best point is the
// first one that reaches it.
func TestSaturation(t *testing.T) {
	places := func(c float64) func(float64) float64 { return func(n float64) float64 { return 25 * min(n, c) } }
	loads := []float64{1, 2, 4, 8, 16, 32}
	noise := func(by float64, points []Point) []Point {
		for i := range points {
			points[i].Blocks = nil
			for k := range 10 {
				points[i].Blocks = append(points[i].Blocks, Block{points[i].Throughput * (1 - by + 2*by*float64(k/2%2)), points[i].Response})
			}
		}
		return points
	}
	fell := closed(places(4), loads...)
	fell[5].Throughput = 60
	fell[5].Blocks = []Block{{60, 0.5}, {60, 0.5}, {60, 0.5}}
	rippled := noise(0.02, closed(places(4), loads...))
	rippled[4].Throughput, rippled[5].Throughput = 101.5, 99
	noisy := noise(0.1, closed(places(4), loads...))
	noisy[5].Throughput = 95 // as far as it varies between blocks
	short := closed(places(4), loads...)
	for i := range short {
		short[i].Blocks = short[i].Blocks[:2]
	}
	short[4].Throughput, short[5].Throughput = 90, 80
	for name, c := range map[string]struct {
		points []Point
		best   float64
		trend  Trend
		limit  float64
		peak   float64
	}{
		"4 places":             {closed(places(4), loads...), 4, Flat, 4, 0},
		"8 places":             {closed(places(8), 1, 2, 4, 8, 16, 32, 64), 8, Flat, 8, 0},
		"5 places":             {closed(places(5), loads...), 8, Flat, 5, 0},
		"more than threads":    {closed(places(64), loads...), 32, Rising, 0, 0},
		"4 places, ripples":    {rippled, 4, Flat, 4, 0},
		"4 places, noise":      {noisy, 4, Flat, 4, 0},
		"a fall at the end":    {fell, 4, Falling, 0, 9},
		"no intervals":         {short, 4, Unknown, 3.64, 0},
		"contention only":      {closed(USL{100, 0.05, 0}.at, 1, 2, 4, 8, 16, 32, 64, 128, 256), 256, Rising, 0, 0},
		"crosstalk":            {closed(USL{100, 0.05, 0.001}.at, 1, 2, 4, 8, 16, 32, 64, 128, 256), 32, Falling, 0, 31},
		"crosstalk, noise":     {noise(0.1, closed(USL{100, 0.05, 0.001}.at, 1, 2, 4, 8, 16, 32, 64, 128, 256)), 16, Falling, 0, 31},
		"crosstalk, no fall":   {closed(USL{100, 0.05, 0.001}.at, 1, 2, 4, 8, 16, 32), 32, Rising, 0, 0},
		"two points":           {closed(places(4), 1, 2), 2, "", 0, 0},
		"two points, the rest": {append([]Point{{Level: 1}}, closed(places(4), 2, 4)...), 4, "", 0, 0},
	} {
		curve := NewCurve(axisThreads, c.points)
		limit := 0.0
		if curve.Limit != nil {
			limit = curve.Limit.Threads
		}
		if best := curve.Points[curve.Best].Level; best != c.best || curve.Trend != c.trend || math.Abs(limit-c.limit) > 0.03*c.limit || math.Round(curve.PeakThreads()) != c.peak {
			t.Errorf("%s: best %v, %s, limit %v, peak %v (%s)", name, best, curve.Trend, limit, curve.PeakThreads(), curve.Scaling())
		}
		if few := strings.HasPrefix(name, "two"); few != (curve.Knee == nil) || few != (curve.Servers == nil) || few && curve.USL != nil {
			t.Errorf("%s: %+v", name, curve.Fits)
		}
	}
}

// TestSaturationOfServers: stores with several servers have no peak, at whatever random times they take, and the limit is their number.
func TestSaturationOfServers(t *testing.T) {
	for _, servers := range []int{4, 8} {
		fell := 0
		for seed := range uint64(40) {
			model := server{servers: servers, service: 0.01, bySecond: 0.05}
			c := NewCurve(axisThreads, sweepOf(t, model.seeded(seed), Threads, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32))
			if c.Limit == nil || c.Trend == Rising {
				t.Errorf("%d servers, seed %d: %s from %v: %s", servers, seed, c.Trend, c.Points[c.Best].Level, c.Scaling())
				continue
			}
			testkit.Near(t, "limit", c.Limit.Threads, float64(servers), 0.1)
			if c.Trend == Falling {
				fell++
			}
		}
		if fell > 2 { // 5%
			t.Errorf("%d servers: throughput falls in %d of 40", servers, fell)
		}
	}
}

// Points at which nothing succeeded have no part in any law.
func TestFailedPointsAreNotFitted(t *testing.T) {
	whole := closed(USL{100, 0.05, 0.001}.at, 2, 4, 8, 16, 32, 64)
	want := NewCurve(axisThreads, whole)
	got := NewCurve(axisThreads, append([]Point{{Level: 1}, {Level: 128}}, whole...))
	if got.Servers == nil || *got.Servers != *want.Servers || *got.USL != *want.USL || *got.Knee != *want.Knee || got.Best != want.Best+1 || got.Trend != want.Trend {
		t.Errorf("%+v, want %+v", got, want)
	}
	if size := NewCurve(axisSize, []Point{{Level: 1}, {Level: 2, Throughput: 1, Response: 1}}); size.Size != nil {
		t.Errorf("a line through one point: %+v", size.Size)
	}
}
