//go:build unix

package s3_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"warp/internal/testkit"
	"warp/pkg/s3"
)

// BenchmarkHosts measures what an operation costs when threads turn from host to host: here one server, named eight times.
func BenchmarkHosts(b *testing.B) {
	const workers, hosts = 16, 8
	host := rawServer(b, 4<<10)
	st := open(b, s3.Config{Hosts: slices.Repeat([]string{host}, hosts), Engine: "lean", Concurrency: workers})
	var sessions []s3.Session
	for w := range workers {
		sessions = append(sessions, st.Session(w))
	}
	work := func(n int64) {
		var left atomic.Int64
		left.Store(n)
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				var c s3.Call
				for left.Add(-1) >= 0 {
					c.Reset()
					c.Key, c.Size = "prefix/object", 4<<10
					if err := perform(b.Context(), sessions[w], "stat", &c, nil); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
	}
	work(workers * hosts * 100) // connect
	b.ReportAllocs()
	start := testkit.ProcessorTime(b)
	b.ResetTimer()
	work(int64(b.N))
	b.StopTimer()
	b.ReportMetric(float64((testkit.ProcessorTime(b)-start).Nanoseconds())/float64(b.N)/1000, "cpu-µs/op")
}
