package load

import (
	"fmt"
	"testing"
	"time"

	"warp/internal/testkit"
)

// BenchmarkArrivals shows what it costs to find the next turn of a client, by the number of clients that share a schedule, and how much more
// that is than for even arrivals in the same run.
func BenchmarkArrivals(b *testing.B) {
	const some = 20_000
	for _, clients := range []uint64{1, 2, 10, 50, 1000} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			var took [2]time.Duration
			even, random := scheduleOf(b, "100..1000/5m", Even), scheduleOf(b, "100..1000/5m", Poisson)
			n, turns := uint64(0), 0
			for b.Loop() {
				for i, s := range []Schedule{even, random} {
					begun := testkit.ProcessorTime(b)
					for k := range uint64(some) {
						s.Due(n + k*clients)
					}
					took[i] += testkit.ProcessorTime(b) - begun
				}
				n, turns = n+some*clients, turns+some
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took[1])/float64(turns), "cpu-ns/turn")
			b.ReportMetric(float64(took[1])/float64(took[0]), "x-even")
		})
	}
}
