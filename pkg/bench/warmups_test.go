package bench

import (
	"testing"
	"time"

	"warp/pkg/load"
)

// TestWarmupsAreOneNote: a sweep of seven points has one note on its warm-ups.
func TestWarmupsAreOneNote(t *testing.T) {
	for _, tt := range []struct {
		lengths []time.Duration
		want    string
	}{
		{[]time.Duration{3 * time.Second}, "a: warm-up of 3s: 10 operations, in no figure"},
		{[]time.Duration{3 * time.Second, 3 * time.Second}, "warm-up of 3s in 2 phases: 20 operations, in no figure"},
		{[]time.Duration{3 * time.Second, time.Second, 3 * time.Second}, "warm-up in 3 phases: 30 operations, in no figure"},
	} {
		r := &Run{}
		for i, d := range tt.lengths {
			s := &streamRun{stream: &stream{Stream: &Stream{Warmup: d}}, stats: load.Stats{Warmup: 10}}
			noteWarmup(r, s, string(rune('a'+i)))
		}
		if len(r.result.Notes) != 1 || r.result.Notes[0] != tt.want {
			t.Errorf("%v: %q, want %q", tt.lengths, r.result.Notes, tt.want)
		}
	}
}
