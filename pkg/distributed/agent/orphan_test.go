package agent

import (
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
)

// TestPatience is about how long a client without a coordinator leaves shared data alone.
func TestPatience(t *testing.T) {
	t.Parallel()
	now := clock.Now()
	st := &protocol.Start{Plan: harness.Plan(t, "get", "h", 5*time.Minute), StartAt: now.Add(time.Hour).UnixNano()}
	st.Plan.SharedData = true
	p := newCleanupDelay(st, func(ns int64) time.Time { return time.Unix(0, ns) })
	if !p.until.IsZero() {
		t.Error("in the preparation nobody reads yet")
	}
	p.ready()
	if want := now.Add(time.Hour + 6*time.Minute); p.until.Before(want.Add(-time.Second)) || p.until.After(want.Add(time.Second)) {
		t.Errorf("until %v, want %v", p.until, want)
	}
	p.started(now.Add(2*time.Hour), nil)
	if want := now.Add(2*time.Hour + 6*time.Minute); !p.until.Equal(want) {
		t.Errorf("until %v, want %v", p.until, want)
	}
	p.started(now, errAborted)
	if !p.until.IsZero() {
		t.Error("what was given up is waited for")
	}
}
