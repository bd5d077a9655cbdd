package bench

import (
	"errors"
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// Lateness is that of late operations, the original's latency that of the operations that were sent and succeeded there, and what was not sent
// is counted by kind.
func TestReplayNotes(t *testing.T) {
	r := &Replay{Summary: &trace.Summary{OtherKinds: 1, Kinds: []trace.KindSummary{{Kind: op.Get, Operations: 103}, {Kind: op.Put, Operations: 2}, {Kind: op.Stat, Operations: 4}}}}
	get := func(latency time.Duration, status int) *trace.Operation {
		return &trace.Operation{Kind: op.Get, Latency: latency, Status: status}
	}
	for range 90 {
		r.tally.add(get(5*time.Millisecond, 200), time.Microsecond, 7*time.Millisecond, nil)
	}
	for range 10 {
		r.tally.add(get(5*time.Millisecond, 0), 40*time.Millisecond, 7*time.Millisecond, nil)
	}
	r.tally.add(get(time.Hour, 503), 0, time.Minute, errors.New("failed here too"))
	r.tally.add(get(trace.Unknown, 200), 0, 7*time.Millisecond, nil)
	r.tally.leaveOut(get(time.Hour, 200))
	r.tally.leaveOut(&trace.Operation{Kind: op.Put})
	got := strings.Join(r.Notes(), "\n")
	want := `replay of GET: 103 in the trace, 102 sent, 1 not sent; took p50 7.00ms, p99 7.00ms (in the trace p50 5.00ms, p99 5.00ms); 10 began late, by p50 40.0ms, p99 40.0ms, at most 40.0ms
replay of PUT: 2 in the trace, 0 sent, 1 not sent
replay of STAT: 4 in the trace, none sent
replay: 1 operation of other kinds in the trace, which are not sent`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
