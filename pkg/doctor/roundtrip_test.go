package doctor

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// fakeSession responds when it should, on the clock of a bubble.
type fakeSession struct {
	connect.Fake
	sent map[string]int
	take func(method string, n int) (first, rest time.Duration)
}

func (f *fakeSession) Do(_ context.Context, c *s3.Call) error {
	f.sent[c.Method]++
	first, rest := f.take(c.Method, f.sent[c.Method])
	c.Start = clock.Now()
	time.Sleep(first)
	c.FirstByte = clock.Now()
	time.Sleep(rest)
	c.Got = append(c.Got, clock.Wall().UTC().Format(http.TimeFormat))
	return nil
}

// TestDelayedACK finds a step of ackDelay in the middle of responses or in some of them, and none where all take as long, or
// times vary.
func TestDelayedACK(t *testing.T) {
	const quick = 300 * time.Microsecond
	for name, tc := range map[string]struct {
		take func(method string, n int) (first, rest time.Duration)
		want string
	}{
		"none": {func(string, int) (time.Duration, time.Duration) { return quick, 0 }, ""},
		"in each body": {func(method string, _ int) (time.Duration, time.Duration) {
			if method == http.MethodGet {
				return quick, ackDelay
			}
			return quick, 0
		}, "GET"},
		"once the connection is warm": {func(method string, n int) (time.Duration, time.Duration) {
			if method != http.MethodGet && n > 16 {
				return ackDelay + 3*time.Millisecond, 0
			}
			return quick, 0
		}, "PUT HEAD"},
		"a long way":  {func(string, int) (time.Duration, time.Duration) { return ackDelay, 0 }, ""},
		"a slow link": {func(string, int) (time.Duration, time.Duration) { return ackDelay, 2 * ackDelay }, ""},
		"varying": {func(_ string, n int) (time.Duration, time.Duration) {
			return quick + time.Duration(n%8)*ackDelay/3, 0
		}, ""},
		"now and then": {func(_ string, n int) (time.Duration, time.Duration) {
			if n%20 == 0 {
				return ackDelay, 0
			}
			return quick, 0
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{session: &fakeSession{sent: map[string]int{}, take: tc.take}}
				h.measure(t.Context(), t.Context(), "k")
				if got := strings.Join(h.DelayedACK, " "); got != tc.want || len(h.RoundTrips) != 3 {
					t.Errorf("%q, want %q; %+v", got, tc.want, h.RoundTrips)
				}
			})
		})
	}
}

// TestTripsEnd: a slow host gets fewer requests.
func TestTripsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{session: &fakeSession{sent: map[string]int{}, take: func(string, int) (time.Duration, time.Duration) { return time.Second, 0 }}}
		h.measure(t.Context(), t.Context(), "k")
		for _, r := range h.RoundTrips {
			if r.Requests != 3 || r.Median != 1000 || r.Min != 1000 || r.Max != 1000 {
				t.Errorf("%+v", r)
			}
		}
	})
}
