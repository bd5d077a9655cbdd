package work_test

import (
	"context"
	"testing"

	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// TestLanesLeaveAHost has a thread whose lanes may be faster than itself: the record of the whole still names the host.
func TestLanesLeaveAHost(t *testing.T) {
	records := op.NewCollector()
	defer records.Close()
	set := benchtest.Set(t, 1, 100, 1, generator.Spec{})
	for range 2000 {
		w := benchtest.Worker(t, work.Options{Set: set}, records, 2)
		err := w.Parallel(context.Background(), 2, func(_ context.Context, lane *work.Worker, _ int) error {
			lane.Call.Host, lane.Call.Status = "host", 206
			return nil
		})
		if err != nil || w.Call.Host != "host" || w.Call.Status != 206 {
			t.Fatalf("host %q, status %d: %v", w.Call.Host, w.Call.Status, err)
		}
	}
}
