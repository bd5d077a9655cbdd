package load

import (
	"math"
	"testing"
	"time"
)

// perSecond counts the turns that are due in each of the first seconds.
func perSecond(s Schedule, seconds int) []int {
	counts := make([]int, seconds)
	for n := uint64(0); ; n++ {
		due := s.Due(n)
		if due >= time.Duration(seconds)*time.Second {
			return counts
		}
		counts[due/time.Second]++
	}
}

// Each second has as many turns as the integral of the rate over it, give or take one.
func TestScheduleBySecond(t *testing.T) {
	for text, want := range map[string]func(second int) float64{
		"100":                       func(int) float64 { return 100 },
		"2.5":                       func(int) float64 { return 2.5 },
		"100..1000/90s":             func(s int) float64 { return 100 + 10*(math.Min(float64(s), 90)+0.5*b2f(s < 90)) },
		"1000..0/100s":              func(s int) float64 { return math.Max(0, 1000-10*(float64(s)+0.5)) },
		"0..50/50s,50..0/50s,7":     func(s int) float64 { return tent(s) },
		"100,200@60s,10..20@80s/1h": func(s int) float64 { return steps(s) },
		"repeat(100/9s,0/1s)":       func(s int) float64 { return 100 * b2f(s%10 < 9) },
		"repeat(0/1s,33.3/9s)":      func(s int) float64 { return 33.3 * b2f(s%10 > 0) },
		"repeat(10..20/5s)":         func(s int) float64 { return 10 + 2*(float64(s%5)+0.5) },
		"0/30s,40":                  func(s int) float64 { return 40 * b2f(s >= 30) },
		"burst(200,5s)":             func(s int) float64 { return 200 * b2f(s%5 == 0) },
	} {
		for s, n := range perSecond(scheduleOf(t, text, Even), 120) {
			if math.Abs(float64(n)-want(s)) > 1+1e-9 {
				t.Errorf("%s: %d turns in second %d, want %.1f", text, n, s, want(s))
			}
		}
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func tent(s int) float64 {
	if s >= 100 {
		return 7
	}
	return 50 - math.Abs(float64(s)+0.5-50)
}

func steps(s int) float64 {
	switch {
	case s < 60:
		return 100
	case s < 80:
		return 200
	}
	return 10 + 10*(float64(s-80)+0.5)/3600
}

func TestDue(t *testing.T) {
	for _, c := range []struct {
		text string
		n    uint64
		want time.Duration
	}{
		{"3", 1, 333_333_333},
		{"3", 3 * 86_400 * 365, 365 * 24 * time.Hour},
		{"1000000000", 5, 5},
		{"1e-300", 1, Never},
		{"1", math.MaxUint64, Never},
		{"0/10s,100", 0, 10 * time.Second},
		{"100/10s,0", 999, 9990 * time.Millisecond},
		{"100/10s,0", 1000, Never},
		{"100/10s,0/5s,100", 1000, 15 * time.Second},
		{"100..0/20s", 999, 19367544467},
		{"100..0/20s", 1000, Never},
		{"0..100/20s", 1000, 20 * time.Second},
		{"repeat(100/9s,0/1s)", 900, 10 * time.Second},
		{"repeat(100/9s,0/1s)", 900_000_000, 10_000_000 * time.Second},
		{"repeat(0/1s,100/9s)", 900, 11 * time.Second},
		{"repeat(0/1s,100/9s,0/1s)", 0, time.Second},
		{"burst(200,5s)", 199, 0},
		{"burst(200,5s)", 200, 5 * time.Second},
		{"burst(1,24h)", math.MaxUint64, Never},
	} {
		if got := scheduleOf(t, c.text, Even).Due(c.n); got != c.want {
			t.Errorf("%s: turn %d is due at %d, want %d", c.text, c.n, got, c.want)
		}
	}
	if _, err := (Shape{}).Schedule(Even, 0); err == nil {
		t.Error("no shape has a schedule")
	}
	if _, err := Constant(1).Schedule("weekly", 0); err == nil {
		t.Error("unknown arrivals have a schedule")
	}
	if _, err := shapeFrom(t, "burst(1,1s)").Schedule(Poisson, 0); err == nil {
		t.Error("bursts have random arrivals")
	}
	if _, err := Constant(math.NaN()).Schedule(Even, 0); err == nil {
		t.Error("NaN has a schedule")
	}
}

// Clients that take turns of one schedule send at the same times together as one client, in whatever order they look.
func TestScheduleIsPure(t *testing.T) {
	for _, text := range []string{"1000..5000/5m", "repeat(900/3s,0/1s)"} {
		whole := scheduleOf(t, text, Poisson)
		const turns = 3 * groupGaps / 2
		due := make([]time.Duration, turns)
		for n := range due {
			if due[n] = whole.Due(uint64(n)); n > 0 && due[n] < due[n-1] {
				t.Fatalf("%s: turn %d is due at %v, the one before it at %v", text, n, due[n], due[n-1])
			}
		}
		for _, clients := range []int{2, 50} {
			for client := range clients {
				own := scheduleOf(t, text, Poisson) // each client has its own
				for n := client; n < turns; n += clients * 97 {
					if got := own.Due(uint64(n)); got != due[n] {
						t.Fatalf("%s: for client %d of %d turn %d is due at %v, want %v", text, client, clients, n, got, due[n])
					}
				}
			}
		}
		for n := turns - 1; n >= 0; n -= blockGaps / 2 { // backwards
			if got := whole.Due(uint64(n)); got != due[n] {
				t.Fatalf("%s: turn %d is due at %v, and later at %v", text, n, due[n], got)
			}
		}
	}
}

// A turn far away is found without those before it.
func TestScheduleSeeks(t *testing.T) {
	c := scheduleOf(t, "1000", Poisson)
	const n = 10_000_000_000
	if got, want := c.Due(n).Seconds(), n/1000.0; math.Abs(got-want) > 5*math.Sqrt(n)/1000 {
		t.Errorf("turn %v is due at %v s, want about %v", float64(n), got, want)
	}
	if c.Due(maxGaps) < c.Due(n) {
		t.Error("the last turn is due earlier")
	}
}

func TestDueAllocatesNothing(t *testing.T) {
	for _, c := range []Schedule{scheduleOf(t, "100..1000/5m", Even), scheduleOf(t, "100..1000/5m", Poisson), scheduleOf(t, "burst(5,1s)", Even)} {
		n := uint64(0)
		if got := testing.AllocsPerRun(10_000, func() { n += 97; c.Due(n) }); got > 0 {
			t.Errorf("%T: %v allocations", c, got)
		}
	}
}

func BenchmarkDue(b *testing.B) {
	for _, c := range []struct {
		text     string
		arrivals Arrivals
		clients  uint64
	}{{"1000", Even, 1}, {"100..1000/5m", Even, 1}, {"1000", Poisson, 1}, {"1000", Poisson, 10}, {"1000", Poisson, 50}} {
		b.Run(c.text+string(c.arrivals)+time.Duration(c.clients).String(), func(b *testing.B) {
			s := scheduleOf(b, c.text, c.arrivals)
			n := uint64(0)
			for b.Loop() {
				s.Due(n)
				n += c.clients
			}
		})
	}
}
