package live

import (
	"fmt"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// Errors of all counts add up by class, each with the first of its samples; errors of the preparation do not count.
func TestCountedErrors(t *testing.T) {
	begin := time.Unix(1_700_000_000, 0)
	sample := func(after time.Duration, text string) aggregate.ErrorSample {
		return aggregate.ErrorSample{Time: begin.Add(after), Err: text}
	}
	got := CountedErrors([]Count{
		{Kind: op.Get, ErrorsByClass: map[string]int64{"SlowDown": 2, "timeout": 9}, FirstErrors: []aggregate.ErrorSample{sample(2, "SlowDown: second"), sample(3, "SlowDown: third")}},
		{Kind: op.Put, ErrorsByClass: map[string]int64{"SlowDown": 3, "NoSuchKey": 5}, FirstErrors: []aggregate.ErrorSample{sample(1, "SlowDown: first"), sample(9, "NoSuchKey: gone")}},
		{Kind: op.Put, Phase: op.PhasePrepare, ErrorsByClass: map[string]int64{"timeout": 1}},
	})
	var text string
	for _, e := range got {
		text += fmt.Sprintf("%s %d %q, ", e.Class, e.Count, e.Sample.Err)
	}
	if want := `timeout 9 "", NoSuchKey 5 "NoSuchKey: gone", SlowDown 5 "SlowDown: first", `; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}
