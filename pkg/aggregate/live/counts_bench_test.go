package live

import (
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// BenchmarkLiveMore compares the live statistics without and with what only metrics show.
func BenchmarkLiveMore(b *testing.B) {
	for name, more := range map[string]bool{"plain": false, "more": true} {
		b.Run(name, func(b *testing.B) {
			live := New(aggregate.Options{})
			if more {
				live.CountMore()
			}
			at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
			ops := make([]op.Op, 32)
			for b.Loop() {
				for i := range ops {
					at = at.Add(50 * time.Microsecond)
					ops[i] = op.Op{Kind: op.Get, Thread: uint32(i), Client: "a", Start: at, FirstByte: at.Add(300 * time.Microsecond), End: at.Add(400 * time.Microsecond), Bytes: 4096, Objects: 1, Status: 200, Endpoint: []string{"http://a:9000", "http://b:9000"}[i%2]}
				}
				_ = live.Write(ops)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ops)), "ns/operation")
		})
	}
}

func BenchmarkLiveWrite(b *testing.B) {
	for name, ops := range map[string][]op.Op{
		"get":         optest.BenchOps(1, op.Get),
		"get-8-hosts": optest.BenchOps(8, op.Get),
		"mixed":       optest.BenchOps(1, op.Get, op.Put, op.Stat, op.Delete),
		"get-own":     optest.WithArrivals(optest.BenchOps(1, op.Get)),
	} {
		b.Run(name, func(b *testing.B) { optest.RunSink(b, New(aggregate.Options{}), ops) })
	}
}

func BenchmarkLiveSnapshot(b *testing.B) {
	l := liveOf(b, optest.BenchOps(8, op.Get, op.Put, op.Stat, op.Delete))
	for name, do := range map[string]func(){"snapshot": func() { l.Snapshot() }, "recent": func() { l.Recent(optest.At(15)) }} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}
