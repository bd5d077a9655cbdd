package bench_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// BenchmarkMemory shows the memory of a run after 100,000 and after 2,000,000 operations, recording and live statistics
// included: it must not grow with their number. The responder shares the process.
func BenchmarkMemory(b *testing.B) {
	const few, many = 100_000, 2_000_000
	r, err := responder.New(responder.Options{Keep: true})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	cfg := s3.Config{Hosts: []string{r.Host()}, AccessKey: "a", SecretKey: "s", Bucket: "memory", Concurrency: 16}
	store, err := connect.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	file, err := os.Create(b.TempDir() + "/memory.csv.zst")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		rec, err := recording.NewWriter(file, recording.Header{})
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var after [2]memoryUse
		seen := make(chan struct{})
		j := job{workload: "get", change: func(p *bench.Plan) {
			p.Target = cfg
			p.Data.Sizes.Max = 100
			p.Phases[0].Concurrency, p.Phases[0].Duration = 16, time.Hour
		}}
		j.observe = watch{func(s bench.Stage) {
			if s.Name != bench.StageBenchmark {
				return
			}
			go func() {
				defer close(seen)
				for i, n := range []uint64{few, many} {
					for s.Done() < n {
						time.Sleep(10 * time.Millisecond)
					}
					after[i] = useOfMemory()
				}
				cancel()
			}()
		}}
		_, err = bench.Perform(ctx, j.plan(b, store), bench.Env{Store: store, Client: "test", Sinks: []op.Sink{rec}, Observer: j.observe, Group: alone{load.Share{Total: 1}}})
		if err != nil {
			b.Fatal(err)
		}
		<-seen
		b.ReportMetric(after[0].heap, "MiB-heap@100k")
		b.ReportMetric(after[1].heap, "MiB-heap@2M")
		b.ReportMetric(after[0].resident, "MiB-rss@100k")
		b.ReportMetric(after[1].resident, "MiB-rss@2M")
	}
}

// memoryUse is in MiB.
type memoryUse struct{ heap, resident float64 }

func useOfMemory() (u memoryUse) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.heap = float64(m.HeapAlloc+m.StackInuse) / (1 << 20)
	status, _ := os.ReadFile("/proc/self/statm") // where there is none, the figure stays 0
	if f := strings.Fields(string(status)); len(f) > 1 {
		pages := 0.0
		for _, c := range f[1] {
			pages = pages*10 + float64(c-'0')
		}
		u.resident = pages * float64(os.Getpagesize()) / (1 << 20)
	}
	return u
}
