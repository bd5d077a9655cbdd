package gate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"warp/pkg/op"
)

// TestSteps: operations that clients count, each by its own clock, and send as they end, give the windows that all of them together have.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{"get.p90>=80ms", "errors>3%", "total.errors>12", "get.avg>20ms", "put.p99>1ms"} {
		for _, over := range []time.Duration{time.Second, 3500 * time.Millisecond, time.Hour} {
			offsets := []time.Duration{0, 700 * time.Millisecond, -3 * time.Hour} // of the clients' clocks
			alone, together := NewWatch(rule(t, text), "a", over), NewWatch(rule(t, text), "a", over)
			var clients []*Steps
			for _, offset := range offsets {
				clients = append(clients, NewSteps("a", over, offset))
			}
			broken := false
			for s := range 20 {
				var sent [3][]op.Op
				for _, o := range second(s, rng.IntN(30), rng.IntN(6)) {
					if rng.IntN(4) == 0 {
						o.Kind = op.Put
					}
					if rng.IntN(10) == 0 {
						o.Phase = "b"
					}
					alone.Add(&o)
					k := rng.IntN(3)
					o.Start, o.End = o.Start.Add(offsets[k]), o.End.Add(offsets[k])
					sent[k] = append(sent[k], o)
				}
				until := time.Date(2026, 3, 1, 12, 0, s, 0, time.UTC) // all that ended before is there
				for k, c := range clients {
					if err := c.Write(sent[k]); err != nil {
						t.Fatal(err)
					}
					pass(t, c, together, until)
				}
				broken = together.Judge(until) || broken
			}
			for _, c := range clients {
				pass(t, c, together, time.Unix(0, math.MaxInt64))
			}
			wantVerdict, want := alone.Verdict()
			gotVerdict, got := together.Verdict()
			if got != want || gotVerdict != wantVerdict || broken && gotVerdict != Broken {
				t.Errorf("%s over %v: %v (%s), want %v (%s)", text, over, gotVerdict, got, wantVerdict, want)
			}
		}
	}
}

// pass passes steps on as they are sent.
func pass(t *testing.T, from *Steps, to *Watch, before time.Time) {
	t.Helper()
	encoded, err := json.Marshal(from.Take(before))
	var steps []Step
	if err == nil {
		err = json.Unmarshal(encoded, &steps)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		if end := (steps[i].Number + 1) * int64(StepLength(from.over())); end > before.UnixNano() && before.Unix() < math.MaxInt32 {
			t.Errorf("a step that ends at %v is taken at %v", time.Unix(0, end), before)
		}
		to.AddStep(&steps[i])
	}
}

func (s *Steps) over() time.Duration { return time.Duration(s.length) * stepsOver }
