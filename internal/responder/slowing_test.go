package responder

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestModelsOverTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slower, faster := Drifting(Always(time.Millisecond), 0.01), Drifting(Always(time.Millisecond), -0.01)
		bad := RarelyBad(Always(time.Millisecond), time.Minute, 3*time.Second, 0.5)
		var at time.Duration
		for _, c := range []struct {
			at                  time.Duration
			slower, faster, bad time.Duration
		}{
			{0, time.Millisecond, time.Millisecond, time.Millisecond},
			{50 * time.Second, 2 * time.Millisecond, time.Millisecond * 2 / 3, time.Millisecond},
			{57 * time.Second, 2325581, 636942, 2 * time.Millisecond},
			{60 * time.Second, 2500 * time.Microsecond, 625 * time.Microsecond, time.Millisecond},
			{119 * time.Second, 20 * time.Millisecond, 456621, 2 * time.Millisecond}, // it keeps a twentieth
		} {
			time.Sleep(c.at - at)
			at = c.at
			for name, got := range map[string][2]time.Duration{"slower": {slower(0), c.slower}, "faster": {faster(0), c.faster}, "bad": {bad(0), c.bad}} {
				if d := got[0] - got[1]; d < -1 || d > 1 {
					t.Errorf("%s after %v: %v, want %v", name, c.at, got[0], got[1])
				}
			}
		}
	})
}
