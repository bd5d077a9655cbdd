package bench

import (
	"slices"
	"testing"
	"time"

	"warp/pkg/load"
)

// What a user is told of turns that were late or never sent: whose doing that was.
func TestLateWarnings(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		stats load.Stats
		timed bool
		want  []string
	}{
		"on time": {load.Stats{Done: 10, Own: load.Lateness{Total: ms, Max: ms}}, false, nil},
		"the client": {
			load.Stats{Done: 10, Late: 2, Own: load.Lateness{Turns: 2, Total: 50 * ms, Max: 30 * ms}, Unsent: 2, UnsentOwn: 2},
			false,
			[]string{
				"2 turns that were due never started, although threads were free: this client was late itself",
				"own lateness: 2 of 10 turns started more than 1 ms late although a thread was free, which is this client's doing, not the store's: 5ms on average of all turns, at most 30ms; latency counts from when they were due",
			},
		},
		"the store": {
			load.Stats{Done: 10, Late: 2, Busy: load.Lateness{Turns: 2, Total: 50 * ms, Max: 30 * ms}, Unsent: 3},
			false,
			[]string{
				"the rate was not sustained: 3 turns that were due never started, because all threads were busy; use more --concurrent or a lower --rate",
				"busy: 2 of 10 turns waited more than 1 ms for a thread, since all were busy with requests to the store: 5ms on average of all turns, at most 30ms; latency counts from when they were due",
			},
		},
		"a trace": {load.Stats{Done: 10, Unsent: 3}, true, []string{
			"the rate was not sustained: 3 turns that were due never started, because all threads were busy, or what they had to follow had not ended; use more --concurrent or a lower --rate",
		}},
	} {
		s := &streamRun{stream: &stream{Stream: &Stream{}}, stats: c.stats}
		s.Schedule, s.Timed = load.Constant(5), c.timed
		if got := lateWarnings(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
