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
	get.Operations, get.Sent, get.Unsent = 1000, 998, 2
	for range 998 {
		get.Old.Record(4e6)
		get.Service.Record(5e6)
	}
	get.Late.Record(2e6)
	put.Operations = 5
	got := strings.Join(ReplayLines([]trace.Replayed{{Stream: "monday", Speed: 2, Kinds: []trace.ReplayedKind{*get, *put}}}), "\n")
	want := `Replay monday of a trace, 2 times as fast as it was (latency then and now: of the operations that were sent)
     In trace  Sent  Unsent  50% then     now   change  99% then     now   change  Late  by 50%     99%
GET      1000   998       2    4.00ms  5.00ms  +25.00%    4.00ms  5.00ms  +25.00%     1  2.00ms  2.00ms
PUT         5     0       0         -       -        -         -       -        -     0       -       -`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	get.Late = trace.NewReplayedKind(op.Get).Late
	closed := trace.AddReplayed(nil, []trace.Replayed{{Speed: 1, Closed: &trace.ReplayedLoop{Clients: 2, Then: 90 * time.Second, Now: 100 * time.Second}, Kinds: []trace.ReplayedKind{*get}}})
	got = strings.Join(ReplayLines(trace.AddReplayed(closed, []trace.Replayed{{Closed: &trace.ReplayedLoop{Clients: 1, Now: 2 * time.Minute}}})), "\n")
	want = `Replay of a trace, 1 times as fast as it was (latency then and now: of the operations that were sent)
Closed loop: gaps as in the trace; 3 clients; duration then 1m30s, now 2m0s
     In trace  Sent  Unsent  50% then     now   change  99% then     now   change
GET      1000   998       2    4.00ms  5.00ms  +25.00%    4.00ms  5.00ms  +25.00%`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if lines := ReplayLines(nil); lines != nil {
		t.Errorf("%q", lines)
	}
}
