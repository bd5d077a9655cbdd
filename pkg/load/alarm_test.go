package load

import (
	"testing"
	"time"

	"warp/internal/clock"
)

func BenchmarkAlarm(b *testing.B) {
	a := alarm{fine: newFineTimers(MaxTimers)}
	defer a.fine.close()
	defer a.close()
	b.ReportAllocs()
	var late, worst time.Duration
	for i := 0; b.Loop(); i++ {
		due := clock.Now().Add(time.Duration(200+i%3000) * time.Microsecond)
		a.wait(due, nil, nil)
		l := clock.Now().Sub(due)
		late += l
		worst = max(worst, l)
	}
	b.ReportMetric(float64(late.Nanoseconds())/float64(b.N), "late-ns/op")
	b.ReportMetric(float64(worst.Nanoseconds()), "worst-late-ns")
}
