package load

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace checks when turns are due that a rate has every 10 ms, and that is changed twice.
func TestPace(t *testing.T) {
	var p Pace
	s, err := Rate(100)
	if err != nil {
		t.Fatal(err)
	}
	due := func(n uint64) time.Duration { return p.load().due(s.Due(n)) }
	if p.Factor() != 1 || due(7) != 70*time.Millisecond {
		t.Errorf("factor %v, turn 7 at %v without a change", p.Factor(), due(7))
	}
	p.Change(95*time.Millisecond, 2)
	p.Change(200*time.Millisecond, 0.5)
	for n, want := range map[uint64]time.Duration{
		0: 0, 9: 90 * time.Millisecond, // as before
		10: 97500 * time.Microsecond, 20: 147500 * time.Microsecond, 30: 197500 * time.Microsecond, // twice as fast
		31: 210 * time.Millisecond, 41: 410 * time.Millisecond, // half as fast
	} {
		if got := due(n); got != want {
			t.Errorf("turn %d is due at %v, want %v", n, got, want)
		}
	}
	if p.Factor() != 0.5 {
		t.Errorf("factor %v", p.Factor())
	}
	if got := p.load().due(Never); got != Never {
		t.Errorf("never became %v", got)
	}
	for n := range uint64(1000) {
		if due(n+1) < due(n) {
			t.Fatalf("turn %d is due before turn %d", n+1, n)
		}
	}
}

// TestPaceOfARun changes the rate of a run: turns that workers wait for already are due at their new times.
func TestPaceOfARun(t *testing.T) {
	for _, c := range []struct {
		name   string
		factor float64
		want   uint64 // in 60 s: 29.5 at 1 per second
	}{{"faster", 10, 335}, {"slower", 0.1, 33}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				schedule, err := Rate(1)
				if err != nil {
					t.Fatal(err)
				}
				var p Pace
				var mu sync.Mutex
				late := 0
				start := time.Now()
				time.AfterFunc(29500*time.Millisecond, func() { p.Change(time.Since(start), c.factor) })
				st, err := Run(t.Context(), Options{Concurrency: 50, Schedule: schedule, Pace: &p, Duration: time.Minute}, func(_ context.Context, turn Turn) error {
					mu.Lock()
					defer mu.Unlock()
					if time.Since(turn.Due) > 0 {
						late++
					}
					return nil
				})
				if err != nil || st.Unsent != 0 || st.Late != 0 || late > 0 {
					t.Errorf("%+v, %d late: %v", st, late, err)
				}
				if st.Done != c.want {
					t.Errorf("%d turns, want %d", st.Done, c.want)
				}
			})
		})
	}
}
