package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestContend: a server that does not honour conditions is exposed, and one that does is not.
func TestContend(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		conditions responder.Conditions
		exposed    string // in the warning; empty: not at all
	}{
		"honoured":     {responder.ConditionsHonoured, ""},
		"ignored":      {responder.ConditionsIgnored, "rounds had another winner"},
		"of creation":  {responder.ConditionsOfCreation, "rounds had another winner"},
		"checked once": {responder.ConditionsCheckedOnce, "rounds had another winner"},
		"too late":     {responder.ConditionsTooLate, "writes took effect although they were refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, engine string) {
				// All writers read before the first one has written, and write before the next one reads.
				store := oddly(t, engine, responder.Options{Conditions: tc.conditions, Rule: func(k op.Kind, n uint64) responder.Fault {
					if k == op.Put || k == op.Get {
						return responder.Fault{Delay: 20 * time.Millisecond}
					}
					return responder.Fault{}
				}})
				m, r, err := job{workload: "contend", args: []string{"-keys=1", "-contend-pause=1ms"}, change: func(p *bench.Plan) {
					p.Target, p.KeepData, p.Phases[0].Duration, p.Phases[0].Stream.Ops = store.cfg, true, 0, 100
				}}.run(context.Background(), t, store.Store)
				if err != nil {
					t.Fatal(err)
				}
				kinds, failed := kindsOf(t, m), map[string]uint64{}
				for _, o := range m.benchmark() {
					if o.Failed() {
						failed[op.Class(o.Err)]++
					}
				}
				warnings := strings.Join(r.Warnings, "\n")
				commits := kinds[op.Put] - failedOf(m, op.Put)
				if exposed := strings.Contains(warnings, "does not honour conditions"); exposed != (tc.exposed != "") || exposed != (store.server.Broken() > 0) || !strings.Contains(warnings, tc.exposed) {
					t.Errorf("the server broke %d conditions; warnings:\n%s", store.server.Broken(), warnings)
				}
				// There may be more of them than broken conditions: one that brings an earlier round back has later rounds won again.
				if n := failed["condition ignored"]; len(failed) > 1 || (n > 0) != (tc.exposed != "") {
					t.Errorf("errors %v, the server broke %d conditions", failed, store.server.Broken())
				}
				if refuses := tc.conditions == responder.ConditionsHonoured || tc.conditions == responder.ConditionsTooLate; refuses && kinds["PUT_412"] == 0 {
					t.Errorf("no writer lost a round: %v", kinds)
				}
				if tc.exposed == "" {
					if round := lastRound(t, store, m.benchmark()[0].Key); round != commits {
						t.Errorf("%d commits, the last round is %d", commits, round)
					}
				}
				if commits == 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], fmt.Sprintf("Contention: %d commits", commits)) || !strings.Contains(r.Notes[0], "commits per writer, fairness ") {
					t.Errorf("%d commits, notes %q", commits, r.Notes)
				}
			})
		})
	}
}

// failedOf counts the operations of a kind that failed.
func failedOf(m *memory, kind op.Kind) (n uint64) {
	for _, o := range m.benchmark() {
		if o.Kind == kind && o.Failed() {
			n++
		}
	}
	return n
}

// lastRound is the round of the contents that an object has now.
func lastRound(t *testing.T, store *oddStore, key string) uint64 {
	t.Helper()
	var b strings.Builder
	c := &s3.Call{Key: key, Size: -1, Into: &b}
	if err := ops.Get(context.Background(), store.Session(0), c); err != nil {
		t.Fatal(err)
	}
	round := uint64(0)
	for _, digit := range []byte(b.String()[8:16]) { // behind the mark, big-endian
		round = round<<8 | uint64(digit)
	}
	return round
}
