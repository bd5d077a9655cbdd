package bench

import (
	"fmt"
	"testing"
	"time"

	"warp/internal/testkit"
)

// BenchmarkTasks shows what a turn of GET costs by the number of tasks, requests aside, and how much more that is than with one task in the
// same run.
func BenchmarkTasks(b *testing.B) {
	const some = 2000
	for _, n := range []int{2, 10, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took [2]time.Duration
			streams := []*streamRun{quickTasks(b, 1), quickTasks(b, n)}
			first, turns := uint64(0), 0
			for b.Loop() {
				for i, s := range streams {
					begun := testkit.ProcessorTime(b)
					for k := range uint64(some) {
						s.turn(b, first+k)
					}
					took[i] += testkit.ProcessorTime(b) - begun
				}
				first, turns = first+some, turns+some
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took[1])/float64(turns), "cpu-ns/turn")
			b.ReportMetric(float64(took[1]-took[0])/float64(turns), "more-than-one-task-ns")
		})
	}
}

// BenchmarkStreams shows what a turn of GET costs when streams take turns in parallel, requests aside, and how much more that is than with one
// stream in the same run.
func BenchmarkStreams(b *testing.B) {
	const some = 2000
	for _, n := range []uint64{2, 8, 32} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took [2]time.Duration
			alone, streams := quickTasks(b, 1), make([]*streamRun, n)
			for i := range streams {
				streams[i] = quickTasks(b, 1)
			}
			first, turns := uint64(0), 0
			for b.Loop() {
				for i, of := range [][]*streamRun{{alone}, streams} {
					begun := testkit.ProcessorTime(b)
					for k := range uint64(some) {
						of[k%uint64(len(of))].turn(b, first+k)
					}
					took[i] += testkit.ProcessorTime(b) - begun
				}
				first, turns = first+some, turns+some
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took[1])/float64(turns), "cpu-ns/turn")
			b.ReportMetric(float64(took[1]-took[0])/float64(turns), "more-than-one-stream-ns")
		})
	}
}
