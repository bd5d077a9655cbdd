package report

import (
	"strings"
	"testing"

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
	if lines := ReplayLines(nil); lines != nil {
		t.Errorf("%q", lines)
	}
}
