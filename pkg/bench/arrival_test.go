package bench_test

import (
	"runtime"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/op"
)

// TestArrivals: the lean engine says of one operation in 16 when its response arrived, which is after the server began to write it
// and before the operation ended. The std engine cannot.
func TestArrivals(t *testing.T) {
	eachLongRuler(t, func(t *testing.T, c setup) {
		const workers, of = 2, 16
		delay := func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: time.Millisecond} }
		m := c.ruled(t, delay, "get", threads(workers, time.Second, time.Millisecond))
		known := 0
		for _, s := range m.spans {
			if s.Arrived.IsZero() {
				continue
			}
			known++
			if unread, ok := s.Unread(); !ok || s.Arrived.Before(s.injection.First) || s.Arrived.After(s.End) || unread > s.End.Sub(s.injection.First) {
				t.Errorf("written from %v to %v, arrived %v, read %v, unread for %v", s.injection.First, s.injection.Last, s.Arrived, s.End, unread)
			}
		}
		least, most := len(m.spans)/of-workers*2, len(m.spans)/of+workers*2
		if c.engine != "lean" || runtime.GOOS != "linux" {
			least, most = 0, 0
		}
		t.Logf("%d of %d", known, len(m.spans))
		if known < least || known > most {
			t.Errorf("%d of %d arrivals are known, want %d to %d", known, len(m.spans), least, most)
		}
	})
}
