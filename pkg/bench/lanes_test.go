package bench

import (
	"context"
	"testing"
)

// TestLanesLeaveAHost has a thread whose lanes may be faster than itself: the record of the whole still names the host.
func TestLanesLeaveAHost(t *testing.T) {
	for range 2000 {
		w, other := &Worker{}, &Worker{}
		w.lanes = []*Worker{w, other}
		err := w.Parallel(context.Background(), 2, func(_ context.Context, lane *Worker, _ int) error {
			lane.Call.Host, lane.Call.Status = "host", 206
			return nil
		})
		if err != nil || w.Call.Host != "host" || w.Call.Status != 206 {
			t.Fatalf("host %q, status %d: %v", w.Call.Host, w.Call.Status, err)
		}
	}
}
