package replay

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// Lateness is that of late operations, the original's latency that of the operations that were sent and succeeded there, and what was not sent
// is counted by kind.
func TestReplayTally(t *testing.T) {
	r := &Replay{Speed: 2, Summary: &trace.Summary{OtherKinds: 1, Kinds: []trace.KindSummary{{Kind: op.Get, Operations: 103}, {Kind: op.Put, Operations: 2}, {Kind: op.Stat, Operations: 4}}}}
	get := func(latency time.Duration, status int) *trace.Operation {
		return &trace.Operation{Kind: op.Get, Size: 1000, Length: 10, Latency: latency, Status: status}
	}
	began := time.Date(2026, 11, 24, 2, 0, 0, 0, time.UTC)
	for range 90 {
		r.tally.add(get(5*time.Millisecond, 200), began, time.Microsecond, 7*time.Millisecond, 9, succeeded)
	}
	for range 10 {
		r.tally.add(get(5*time.Millisecond, 0), began, 40*time.Millisecond, 7*time.Millisecond, 9, succeeded)
	}
	r.tally.add(get(time.Hour, 503), began, 0, time.Minute, 5, failed)
	r.tally.add(get(trace.Unknown, 200), began, 0, 7*time.Millisecond, 9, succeeded)
	r.tally.add(get(time.Hour, 404), began, 0, time.Minute, 0, notFound)
	r.tally.add(get(time.Hour, 0), began, 0, time.Minute, 0, notFound)
	r.tally.countUnsent(get(time.Hour, 200))
	r.tally.countUnsent(&trace.Operation{Kind: op.Put})
	done := r.Replayed(106)
	for i, want := range []string{"GET 103: 104 + 1, failed 1 and 1, bytes 909 and 1010, late 10, now 101, then 100", "PUT 2: 0 + 1, failed 0 and 0, bytes 0 and 0, late 0, now 0, then 0", "STAT 4: 0 + 0, failed 0 and 0, bytes 0 and 0, late 0, now 0, then 0"} {
		k := &done.Kinds[i]
		if got := fmt.Sprintf("%s %d: %d + %d, failed %d and %d, bytes %d and %d, late %d, now %d, then %d", k.Kind, k.Operations, k.Sent, k.Unsent, k.Failed, k.OldFailed, k.Bytes, k.OldBytes, k.Late.Count(), k.Service.Count(), k.Old.Count()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if k := done.Kinds[0]; k.Old.Max() != int64(5*time.Millisecond) || k.Service.Max() != int64(7*time.Millisecond) || k.Late.Min() != int64(40*time.Millisecond) || done.Speed != 2 {
		t.Errorf("%+v", k)
	}
	if notes := r.Notes(); !slices.Equal(notes, []string{"replay: 1 operation of other kinds in the trace, which are not sent"}) {
		t.Errorf("%q", notes)
	}
}

// A 404 of an object whose last PUT was not sent is told from others.
func TestReplayOfUnwrittenObjects(t *testing.T) {
	r := &Replay{Speed: 1, Summary: &trace.Summary{Kinds: []trace.KindSummary{{Kind: op.Get, Operations: 6}, {Kind: op.Put, Operations: 3}}}}
	put, get := &trace.Operation{Kind: op.Put, Object: 7}, &trace.Operation{Kind: op.Get, Object: 7, Latency: trace.Unknown}
	end := time.Date(2026, 11, 24, 2, 0, 0, 0, time.UTC)
	gone := func() { r.tally.add(get, end, 0, time.Millisecond, 0, objectGone) }
	gone() // nothing was to be put before
	r.tally.countUnsent(put)
	gone()
	r.tally.add(get, end, 0, time.Millisecond, 0, failed) // not with 404
	r.tally.add(&trace.Operation{Kind: op.Get, Object: 8}, end, 0, time.Millisecond, 0, objectGone)
	r.tally.add(put, end.Add(time.Second), 0, time.Millisecond, 1, succeeded)
	gone()
	done := r.Replayed(7)
	if k := done.Kinds[0]; k.Failed != 5 || k.Unwritten != 1 || done.Took != time.Second+time.Millisecond {
		t.Errorf("%d failed, %d of them on unwritten objects, in %v", k.Failed, k.Unwritten, done.Took)
	}
}
