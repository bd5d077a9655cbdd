package observe

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStallWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newStallDetector()
		var s Sample
		for range 30 {
			time.Sleep(stallCheckInterval)
			w.check()
		}
		time.Sleep(stallLimit) // an interval and 0.9 s: a busy machine
		w.check()
		if w.into(&s); s.Stalls != nil || s.ClockJumps != nil {
			t.Fatalf("a process that ran stood still: %+v, %+v", s.Stalls, s.ClockJumps)
		}
		first := time.Now()
		for _, d := range []time.Duration{5 * time.Second, 2 * time.Second} {
			time.Sleep(d + stallCheckInterval)
			w.check()
			w.check()
		}
		w.into(&s)
		want := Stalls{Count: 2, Seconds: 7, Longest: Stall{first.UTC(), 5}}
		if s.Stalls == nil || s.Stalls.Count != 2 || s.Stalls.Seconds != 7 || !s.Stalls.Longest.Start.Equal(first) || s.Stalls.Longest.Seconds != 5 || s.ClockJumps != nil {
			t.Errorf("stood still %+v, want %+v; jumps %+v", s.Stalls, want, s.ClockJumps)
		}
		if w.into(&s); s.Stalls != nil {
			t.Errorf("the next sample has the same stall: %+v", s.Stalls)
		}
		w.stepped -= time.Minute // of a machine that was suspended: the system's clock went on
		time.Sleep(stallCheckInterval)
		w.check()
		if w.into(&s); s.Stalls != nil || s.ClockJumps == nil || s.ClockJumps.Seconds != 60 {
			t.Errorf("stood still %+v, jumps %+v, want one of a minute", s.Stalls, s.ClockJumps)
		}
		w.stepped += time.Minute // somebody set the clock back
		w.check()
		if w.into(&s); s.ClockJumps != nil {
			t.Errorf("a clock that was set back jumped ahead: %+v", s.ClockJumps)
		}
	})
}

// A stall belongs to a window that it overlaps, even if the middle of its sample lies beyond.
func TestStallsOfAWindow(t *testing.T) {
	at := func(seconds float64) time.Time { return begin.Add(time.Duration(seconds * float64(time.Second))) }
	stall := func(from, seconds float64) Sample {
		return Sample{Start: at(from), Seconds: seconds + 1, Stalls: &Stalls{1, seconds, Stall{at(from + 0.5), seconds}}}
	}
	samples := []Sample{stall(0, 1), {Start: at(2), Seconds: 1}, stall(3, 5)}
	for _, c := range []struct {
		from, to float64
		count    int64
		limit    string
	}{
		{0, 9, 2, "the client process did not run for 6s in 2 pauses, the longest of 5s at 04:04:08 CET: it was stopped, or its machine was paused or overloaded"},
		{2, 4, 1, "the client process did not run for 5s at 04:04:08 CET: it was stopped, or its machine was paused or overloaded"},
		{2, 3.5, 0, ""},
	} {
		local := time.Local
		time.Local = time.FixedZone("CET", 3600)
		s := Summarize(samples, at(c.from), at(c.to))
		if n := merged(&Stalls{}, s.Stalls, (*Stalls).add).Count; n != c.count || First(s.Limits()) != c.limit {
			t.Errorf("from %v to %v: %d stalls, %q; want %d, %q", c.from, c.to, n, First(s.Limits()), c.count, c.limit)
		}
		time.Local = local
	}
}
