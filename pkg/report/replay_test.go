package report

import (
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
	"warp/pkg/trace"
)

func TestReplayLines(t *testing.T) {
	get, put := trace.NewReplayedKind(op.Get), trace.NewReplayedKind(op.Put)
	get.Operations, get.Sent, get.Unsent, get.Failed, get.OldFailed, get.Unwritten, get.Bytes, get.OldBytes = 1000, 998, 2, 3, 1, 2, 5<<20, 6<<20
	for range 998 {
		get.Old.Record(4e6)
		get.Service.Record(5e6)
	}
	get.Late.Record(2e6)
	put.Operations = 5
	checkReplayLines(t, []trace.Replayed{{Stream: "monday", Speed: 2, Span: 20 * time.Second, Took: 10 * time.Second, Kinds: []trace.ReplayedKind{*get, *put}}}, `Replay monday of a trace, 2 times as fast as it was
     In trace  Sent  Unsent  Failed then  now  /s then    now  Moved then   now
GET      1000   998       2            1    3    50.00  99.80        6MiB  5MiB
PUT         5     0       0            0    0     0.25      -           -     -
Latency of the operations that were sent, in the trace and now:
     p50 then     now   change  p90 then     now   change  p99 then     now   change
GET    4.00ms  5.00ms  +25.00%    4.00ms  5.00ms  +25.00%    4.00ms  5.00ms  +25.00%
GET: 1 late by more than 1ms: p50 2.00ms, p99 2.00ms, max 2.00ms
GET: 2 of the failures are 404s of objects whose PUT was not sent`)
	get.Late = trace.NewReplayedKind(op.Get).Late
	closed := trace.AddReplayed(nil, []trace.Replayed{{Speed: 1, Closed: &trace.ReplayedLoop{Clients: 2, Then: 90 * time.Second, Now: 100 * time.Second}, Kinds: []trace.ReplayedKind{*get}}})
	checkReplayLines(t, trace.AddReplayed(closed, []trace.Replayed{{Closed: &trace.ReplayedLoop{Clients: 1, Now: 2 * time.Minute}}}), `Replay of a trace, 1 times as fast as it was
Closed loop: gaps as in the trace; 3 clients; duration then 1m30s, now 2m0s
     In trace  Sent  Unsent  Failed then  now  /s then  now  Moved then   now
GET      1000   998       2            1    3        -    -        6MiB  5MiB
Latency of the operations that were sent, in the trace and now:
     p50 then     now   change  p90 then     now   change  p99 then     now   change
GET    4.00ms  5.00ms  +25.00%    4.00ms  5.00ms  +25.00%    4.00ms  5.00ms  +25.00%
GET: 2 of the failures are 404s of objects whose PUT was not sent`)
	if lines := ReplayLines(nil); lines != nil {
		t.Errorf("%q", lines)
	}
}

func checkReplayLines(t *testing.T, list []trace.Replayed, want string) {
	t.Helper()
	if got := strings.Join(ReplayLines(list), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
