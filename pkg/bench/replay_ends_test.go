package bench_test

import (
	"net/http"
	"runtime/debug"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
	"warp/pkg/op"
)

// TestReplayThatFailsLeavesTheCollector: a closed loop sets how much garbage may pile up. Its run sets that back, also if it fails before it is
// measured. It is not for parallel tests, which have the same collector.
func TestReplayThatFailsLeavesTheCollector(t *testing.T) {
	s := oddly(t, "lean", responder.Options{Rule: func(k op.Kind, n uint64) (f responder.Fault) {
		if k == op.Put && n > 1 { // behind the look at the bucket and the claim
			f.Status = http.StatusForbidden
		}
		return f
	}})
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	p := playerOf(t, recorded(t, []op.Op{sent(0, op.Get, "x", 100, 0, time.Millisecond), sent(1, op.Get, "y", 100, 0, time.Millisecond)}))
	_, _, err := replayOf(t, s, p, func(plan *bench.Plan, r *replay.Replay) {
		plan.Target, r.Think = s.cfg, replay.ThinkOriginal
		plan.Phases[0].Ops = 0
	})
	if err == nil {
		t.Error("uploads that are refused do not end the run")
	}
	if now := debug.SetGCPercent(77); now != 77 {
		t.Errorf("%d percent, it was 77", now)
	}
}
