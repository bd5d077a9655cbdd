package s3_test

import (
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// TestClockStep sets the machine's clock right while a client runs. Its requests are good again from then on; only the lean
// engine can be tested, as the signer of the other reads the real clock for each request.
func TestClockStep(t *testing.T) {
	const off = -26 * time.Hour
	defer clock.SetWall(func() time.Time { return time.Now().Add(off) })()
	s := open(t, s3.Config{Hosts: []string{punctual(t, time.Now)}, Engine: "lean"}).Session(0)
	remove := func() error { return ops.Delete(t.Context(), s, &s3.Call{Key: "k"}) }
	if err := remove(); class(err) != "403 RequestTimeTooSkewed" {
		t.Fatalf("with a wrong clock: %v", err)
	}
	clock.SetWall(time.Now)
	for try := 0; remove() != nil; try++ { // the clock is not read for each request
		if clock.Pause(t.Context(), 10*time.Millisecond); try == 1000 {
			t.Fatal("requests are signed with the old clock for good")
		}
	}
	if before := clock.Now(); clock.Now().Before(before) || time.Until(clock.Now()).Abs() > time.Hour {
		t.Error("the stamps of operations followed the step")
	}
}
