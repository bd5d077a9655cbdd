package bench_test

import (
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/s3"
)

// Who waits for the last operations is told where they are, and for how long at most.
func TestWaitingText(t *testing.T) {
	for _, tc := range []struct {
		cfg   s3.Config
		turns int
		cut   bool
		want  string
	}{
		{s3.Config{Hosts: []string{"a:1"}, Timeout: 34 * time.Second}, 1, false, "Waiting for 1 operation in flight at http://a:1; each has 34s until its response begins (--timeout)."},
		{s3.Config{Hosts: []string{"a:1", "b:1"}}, 2, true, "Waiting for 2 operations in flight at one of 2 hosts; they are cancelled 1m0s after the end of the phase."},
	} {
		if got := bench.WaitingText(&tc.cfg, tc.turns, tc.cut); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}
