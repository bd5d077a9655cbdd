package search

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	good := config(t, 1, "p99<50ms")
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	bad := &Config{Control: "speed", Budget: time.Second}
	for _, want := range []string{"--slo: no objective", "--control: invalid value \"speed\" (want rate or threads)", "--max-inflight: invalid value 0", "--budget: invalid value 1s (want at least 3m"} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestResume has a search go on from its trials, as JSON has them, after each of them.
func TestResume(t *testing.T) {
	c := config(t, 5, "p99<50ms", "errors<0.1%")
	done := run(c, models[0].model.seeded(5))
	for n := range done {
		encoded, err := json.Marshal(done[:n])
		if err != nil {
			t.Fatal(err)
		}
		var decoded []Observation
		if err := json.Unmarshal(encoded, &decoded); err != nil {
			t.Fatal(err)
		}
		next, ok := c.Next(decoded)
		if !ok || next != done[n].Trial {
			t.Errorf("after %d trials: %+v, want %+v", n, next, done[n].Trial)
		}
		if r := c.Result(decoded); r.Status == "" || len(r.Trials) != n {
			t.Errorf("after %d trials: %+v", n, r)
		}
	}
	if _, ok := c.Next(done); ok {
		t.Error("the search does not end")
	}
}

func TestTrials(t *testing.T) {
	c := config(t, 5, "p99<50ms")
	done := run(c, models[0].model.seeded(5))
	highest := 0.0
	for i, o := range done {
		if i == 0 {
			if o.Purpose != Capacity || o.Rate != 0 || o.Threads != 64 || o.Backlog != 0 {
				t.Errorf("first trial: %+v", o.Trial)
			}
			continue
		}
		if lower := o.Rate < done[i-1].Rate || i == 1; (o.Drain == idle) != lower {
			t.Errorf("trial %d at %.0f after %.0f: drained for %v", i, o.Rate, done[i-1].Rate, o.Drain)
		}
		if first := o.Rate > highest && o.Purpose != Floor; (o.Settle == firstSettle) != first {
			t.Errorf("trial %d at %.0f: settles for %v", i, o.Rate, o.Settle)
		}
		if want := 2 * o.Rate; math.Abs(o.Backlog-want) > 1e-9*want {
			t.Errorf("trial %d: aborted at a backlog of %v, want %v", i, o.Backlog, want)
		}
		highest = max(highest, o.Rate)
	}
	if last := done[len(done)-1]; last.Purpose != Hysteresis {
		t.Errorf("last trial: %+v", last.Trial)
	}
	c.Strict = true
	if got := c.state(done[:5]).trial(100, Hold).Duration; got != strictLength {
		t.Errorf("a strict hold takes %v", got)
	}
}

// fixed is an observation of a share of bad operations in equal blocks.
func fixed(operations, share float64) *Observation {
	o := &Observation{Trial: Trial{Purpose: Bracket, Rate: 100, Duration: trialLength, Blocks: 10}, Counts: [][]Count{nil}}
	for range 10 {
		o.Counts[0] = append(o.Counts[0], Count{operations / 10, operations / 10 * share})
	}
	return o
}

func TestVerdict(t *testing.T) {
	c := config(t, 1, "p99<50ms")
	bursts := fixed(10_000, 0.001)
	bursts.Counts[0][3].Bad = 200 // 2% over all, in one bad second
	aborted, limited := fixed(500, 0), fixed(10_000, 0.5)
	aborted.Aborted, limited.ClientLimited = true, true
	for _, tt := range []struct {
		name string
		o    *Observation
		want Verdict
	}{
		{"few bad", fixed(10_000, 0.002), Pass},
		{"many bad", fixed(10_000, 0.05), Fail},
		{"at the limit", fixed(10_000, 0.01), Undecided},
		{"too few operations", fixed(50, 0), Undecided},
		{"none", fixed(0, 0), Undecided},
		{"one bad second", bursts, Undecided},
		{"aborted", aborted, Fail},
		{"client-limited", limited, Invalid},
	} {
		if got := c.Verdict(tt.o); got != tt.want {
			low, high := c.interval(tt.o, 0)
			t.Errorf("%s: %s, want %s (%v to %v)", tt.name, got, tt.want, low, high)
		}
	}
	if got := c.total(aborted, 0); got != (Count{1000, 500}) {
		t.Errorf("an aborted trial counts as %+v", got)
	}
}

// An undecided trial moves no bound.
func TestUndecidedMovesNoBound(t *testing.T) {
	c := config(t, 1, "p99<50ms")
	capacity, floor, pass, fail, undecided := *fixed(10_000, 0), *fixed(10_000, 0), *fixed(10_000, 0), *fixed(10_000, 0.9), *fixed(10_000, 0.01)
	capacity.Trial, capacity.Achieved = Trial{Purpose: Capacity, Threads: 64}, 1000
	floor.Purpose, floor.Rate, pass.Rate, fail.Rate, undecided.Rate = Floor, 20, 500, 1000, 700
	undecided.Purpose = Bisect
	low, high, limited := c.state([]Observation{capacity, floor, pass, fail, undecided}).bounds()
	if low != 500 || high != 1000 || limited {
		t.Errorf("bounds are %v and %v", low, high)
	}
}

func TestIsotonic(t *testing.T) {
	steps := isotonic([]sample{{400, Count{100, 3}}, {100, Count{100, 0}}, {200, Count{100, 4}}, {300, Count{300, 1}}, {800, Count{100, 50}}})
	var shares []float64
	for _, s := range steps {
		shares = append(shares, s.Share())
	}
	if want := []float64{0, 0.0125, 0.03, 0.5}; !reflect.DeepEqual(shares, want) {
		t.Errorf("shares %v, want %v", shares, want)
	}
	for allowed, want := range map[float64][2]float64{0.001: {100, 300}, 0.02: {200, 400}, 0.1: {400, 800}, 0.6: {800, 800}} {
		if r := root(steps, allowed); r < want[0] || r > want[1] {
			t.Errorf("the fit crosses %v at %v, want %v", allowed, r, want)
		}
	}
	if r := root(steps[3:], 0.1); r != 800 {
		t.Errorf("without a level that passes: %v", r)
	}
}

func TestInfeasible(t *testing.T) {
	for seed := range uint64(20) {
		c := config(t, seed, "p50<1s", "p99<5ms")
		m := server{servers: 8, service: 0.002, base: 0.0045, byTrial: 0.02, bySecond: 0.05}
		done := run(c, m.seeded(seed))
		r := c.Result(done)
		if r.Status != Infeasible || r.Boundary.Held != 0 || r.Binding != "p99 < 5ms" || len(done) > 3 {
			t.Errorf("seed %d: %s at %v by %s after %d trials", seed, r.Status, r.Boundary.Held, r.Binding, len(done))
		}
	}
}

// The boundary of the store is beyond what the client can send: what is held is less, and is no statement about the store.
func TestClientLimited(t *testing.T) {
	for seed := range uint64(20) {
		c := config(t, seed, "p99<50ms")
		m := server{servers: 16, service: 0.008, client: 700, byTrial: 0.02, bySecond: 0.05}
		r := c.Result(run(c, m.seeded(seed)))
		if r.Status != ClientLimited || r.Boundary.Held > 700 || r.Boundary.Held < 350 || r.ClientLimit < r.Boundary.Held {
			t.Errorf("seed %d: %s, held %.0f, limit %.0f", seed, r.Status, r.Boundary.Held, r.ClientLimit)
		}
	}
	// The closed loop is too much for the client, the boundary is not.
	c := config(t, 1, "p99<50ms")
	m := models[1].model
	m.client = 1100
	r := c.Result(run(c, m.seeded(1)))

	if r.Status != Held && r.Status != ClientLimited || !within(r.Boundary.Held/models[1].truth) {
		t.Errorf("%s, held %.0f", r.Status, r.Boundary.Held)
	}
}

// A store that was overloaded once and stays slow.
func TestHysteresis(t *testing.T) {
	c, broken := config(t, 2, "p99<50ms"), 0
	for seed := range uint64(10) {
		m := models[0].model
		m.breaks = 0.3
		s := m.seeded(seed)
		if r := c.Result(run(c, s)); s.broken {
			broken++
			if !r.Hysteresis {
				t.Errorf("seed %d: no hysteresis: %s, held %.0f", seed, r.Status, r.Boundary.Held)
			}
		}
	}
	if broken < 5 {
		t.Errorf("only %d stores broke", broken)
	}
	for seed := range uint64(10) {
		if r := c.Result(run(c, models[0].model.seeded(seed))); r.Hysteresis {
			t.Errorf("seed %d: hysteresis of a store that recovers", seed)
		}
	}
}

func TestBoundaryType(t *testing.T) {
	c := config(t, 2, "p99<50ms")
	smooth := server{servers: 8, service: 0.008}
	cliff := server{servers: 1, service: 0.0001} // 1% of the load decides between 5 ms and no end of waiting
	for want, m := range map[BoundaryType]server{Smooth: smooth, Cliff: cliff} {
		if r := c.Result(run(c, m.seeded(2))); r.Boundary.Type != want {
			t.Errorf("%s, want %s: held %.0f, fails from %.0f, %v", r.Boundary.Type, want, r.Boundary.Held, r.Boundary.Infeasible, r.Boundary.CI)
		}
	}
}

// A store that gets slower by 1% a minute: a claim is true at the end of the search, and some searches say that the store got slower.
func TestDrift(t *testing.T) {
	slower, claims, wrong := 0, 0, 0
	for seed := range uint64(10) {
		c := config(t, seed, "p99<50ms")
		m := models[0].model
		m.speed = func(now float64) float64 { return 1 - now/6000 }
		s := m.seeded(seed)
		r := c.Result(run(c, s))
		if r.Drift < 0 {
			slower++
		}
		if r.Status != Held {
			continue
		}
		claims++
		if truth := models[0].truth * m.speed(s.now); r.Boundary.CI[0] > truth || r.Boundary.CI[1] < truth {
			t.Logf("seed %d: the interval is %.0f, the truth at the end %.0f", seed, r.Boundary.CI, truth)
			wrong++
		}
	}
	if tooMany(wrong, claims, wrongClaims) || slower < 3 {
		t.Errorf("of 10 searches %d say that the store got slower, and %d of %d claims lack the truth", slower, wrong, claims)
	}
}

func TestBindingObjective(t *testing.T) {
	c := config(t, 3, "p50<1s", "errors<1%", "p99<50ms")
	r := c.Result(run(c, models[0].model.seeded(3)))
	if r.Binding != "p99 < 50ms" || r.Status != Held || r.Boundary.Infeasible <= r.Boundary.Held || len(r.Boundary.CI) != 2 {
		t.Errorf("%+v", r.Boundary)
	}
	c = config(t, 3, "p99<10s", "errors<1%")
	r = c.Result(run(c, models[2].model.seeded(3)))
	if r.Binding != "errors < 1%" {
		t.Errorf("%s binds", r.Binding)
	}
}

// With n threads in a closed loop on one server, the response time is the sum of n service times.
func TestThreads(t *testing.T) {
	c := config(t, 3, "p99<50ms")
	c.Control = Threads
	m := server{servers: 1, service: 0.001}
	r := c.Result(run(c, m.seeded(3)))
	if r.Status != Held || r.Boundary.Held < 33 || r.Boundary.Held > 36 || r.Boundary.Held != math.Trunc(r.Boundary.Held) {
		t.Errorf("%s, held %v threads of 64, want about 35: the 99th percentile of the sum of 35 is 50 ms", r.Status, r.Boundary.Held)
	}
	m.service = 0.0001
	if r := c.Result(run(c, m.seeded(3))); r.Status != Unlimited || r.Boundary.Held != 64 {
		t.Errorf("%s, held %v threads of 64", r.Status, r.Boundary.Held)
	}
}

func TestBudget(t *testing.T) {
	for _, budget := range []time.Duration{4 * time.Minute, 6 * time.Minute, 10 * time.Minute} {
		for seed := range uint64(5) {
			c := config(t, seed, "p99<50ms")
			c.Budget = budget
			r := c.Result(run(c, models[0].model.seeded(seed)))
			if r.Spent > budget+time.Second {
				t.Errorf("%v of %v", r.Spent, budget)
			}
			if r.Status != Held && r.Status != Incomplete || r.Boundary.Held > 1.1*models[0].truth {
				t.Errorf("%s, held %v", r.Status, r.Boundary.Held)
			}
		}
	}
}

func TestDeadStore(t *testing.T) {
	c := config(t, 1, "p99<50ms")
	dead := []Observation{{Trial: Trial{Purpose: Capacity, Threads: 64}}}
	if next, ok := c.Next(dead); ok {
		t.Errorf("a store without any successful operation gets %+v", next)
	}
	if r := c.Result(dead); r.Status != Incomplete {
		t.Errorf("%+v", r)
	}
}
