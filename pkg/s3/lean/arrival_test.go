package lean

import (
	"testing"
	"time"

	"warp/internal/clock"
)

// TestArrivalsWhenTheClockIsSet: a stamp says nothing if the system's clock was set since the exchange before.
func TestArrivalsWhenTheClockIsSet(t *testing.T) {
	const ago = 5 * time.Millisecond
	for _, tc := range []struct {
		name    string
		before  time.Duration // step of the clock before the stamp
		after   time.Duration // step of the clock after the stamp
		started time.Duration // of the exchange, before now
		known   bool
	}{
		{"steady", 0, 0, time.Second, true},
		{"slewed", 0, 100 * time.Microsecond, time.Second, true},
		{"before the start", 0, 0, ago - time.Millisecond, false},
		{"an hour on, before it", time.Hour, 0, time.Second, false},
		{"an hour back, before it", -time.Hour, 0, time.Second, false},
		{"an hour on, after it", 0, time.Hour, 2 * time.Hour, false},
		{"a bit on, after it", 0, 20 * time.Millisecond, time.Second, false},
		{"a bit back, after it", 0, -20 * time.Millisecond, time.Second, false},
	} {
		now, wall := clock.Both()
		reset := clock.SetWall(func() time.Time { return wall })
		a := arrivals{compared: now, offset: wall.Sub(now)}
		stamp := wall.Add(tc.before - ago)
		wall = wall.Add(tc.before + tc.after)
		at := a.at(stamp.UnixNano(), now.Add(-tc.started))
		if wrong := clock.Now().Sub(at) - ago; at.IsZero() == tc.known || tc.known && (wrong < -tc.after || wrong > time.Minute) {
			t.Errorf("%s: %v, wrong by %v", tc.name, at, wrong)
		}
		reset()
	}
	if at := (&arrivals{}).at(0, time.Time{}); !at.IsZero() {
		t.Errorf("without a stamp: %v", at)
	}
}

// TestSample: one of each 16 is chosen, now this one and now that one.
func TestSample(t *testing.T) {
	s := sample{of: stampedOf}
	seen := map[int]int{}
	for range 1000 {
		chosen := 0
		for i := range stampedOf {
			if s.next() {
				chosen++
				seen[i]++
			}
		}
		if chosen != 1 {
			t.Fatalf("%d of %d", chosen, stampedOf)
		}
	}
	for i := range stampedOf {
		if seen[i] < 20 || seen[i] > 150 { // 62 on average; a miss is less likely than 1e-9
			t.Errorf("number %d is chosen %d times of 1000", i, seen[i])
		}
	}
}
