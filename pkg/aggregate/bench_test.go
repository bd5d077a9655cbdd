package aggregate

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/hist"
	"warp/pkg/op"
)

func BenchmarkWrite(b *testing.B) {
	for name, ops := range map[string][]op.Op{
		"get":         optest.BenchOps(1, op.Get),
		"get-8-hosts": optest.BenchOps(8, op.Get),
		"mixed":       optest.BenchOps(1, op.Get, op.Put, op.Stat, op.Delete),
		"get-own":     optest.WithArrivals(optest.BenchOps(1, op.Get)),
	} {
		bounds := NewBounds(Options{})
		_ = bounds.Write(ops)
		b.Run("bounds/"+name, func(b *testing.B) { optest.RunSink(b, NewBounds(Options{}), ops) })
		b.Run("aggregator/"+name, func(b *testing.B) { optest.RunSink(b, New(Options{}, bounds.Windows()), ops) })
		b.Run("aggregator-parts/"+name, func(b *testing.B) {
			optest.RunSink(b, New(Options{HostSegments: true, SegmentTimes: true}, bounds.Windows()), ops)
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	ops := optest.BenchOps(8, op.Get, op.Put, op.Stat, op.Delete)
	bounds := NewBounds(Options{})
	_ = bounds.Write(ops)
	a := New(Options{}, bounds.Windows())
	_ = a.Write(ops)
	b.ReportAllocs()
	for b.Loop() {
		a.Snapshot()
	}
}

// BenchmarkAnalyze reads a recording in a file, with its windows stated at its end and without.
func BenchmarkAnalyze(b *testing.B) {
	ops := optest.BenchOps(4, op.Get, op.Put, op.Stat, op.Delete)
	bounds := NewBounds(Options{})
	_ = bounds.Write(ops)
	for name, end := range map[string]any{"stated": bounds.End(nil), "found": struct{}{}} {
		in := fileOf(b, name, recorded(b, ops, end))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := AnalyzeAll(Options{}, in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(len(ops))/b.Elapsed().Seconds(), "operations/s")
		})
	}
}

// BenchmarkSnapshotWire writes the statistics of 32 hosts in 55 segments, with the times of each.
func BenchmarkSnapshotWire(b *testing.B) {
	g := &Group{Kind: "GET", ByHost: map[string]*Part{}}
	r := rand.New(rand.NewPCG(6, 6))
	for host := range 32 {
		p := &Part{Series: make([]Segment, 55)}
		for i := range p.Series {
			for range 200 {
				hist.RecordIn(&p.Series[i].Latency, hist.Coarse, int64(math.Exp(r.NormFloat64()+14)))
				hist.RecordIn(&p.Series[i].TTFB, hist.Coarse, int64(time.Millisecond))
			}
		}
		g.ByHost[string(rune('a'+host))] = p
	}
	s := &Snapshot{Version: Version, Groups: []*Group{g}}
	b.ReportAllocs()
	for b.Loop() {
		wire, err := json.Marshal(s)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(wire)), "wire-bytes")
	}
}
