package aggregate

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"warp/pkg/op"
)

// benchOps is a run of 20 threads over so many hosts with 2500 objects.
func benchOps(hosts int, kinds ...op.Kind) []op.Op {
	ops := steady(20, 5*time.Millisecond, 15*time.Second, nil)
	for i := range ops {
		ops[i].Kind = kinds[i%len(kinds)]
		ops[i].Endpoint = fmt.Sprintf("http://10.0.0.%d:9000", i%hosts)
		ops[i].Key = fmt.Sprintf("prefix/%d.object.rnd", i%2500)
	}
	return ops
}

// withArrivals has each response of an open loop lie unread for some time, after a request that was late.
func withArrivals(ops []op.Op) []op.Op {
	for i := range ops {
		o := &ops[i]
		o.OwnLate, o.Arrived = time.Duration(i%997)*time.Microsecond, o.End.Add(-time.Duration(i%499)*time.Microsecond)
		o.Due = o.Start.Add(-o.OwnLate)
	}
	return ops
}

// run writes b.N operations in batches.
func run(b *testing.B, s op.Sink, ops []op.Op) {
	b.Helper()
	_ = s.Write(ops) // everything that appears has appeared
	b.ReportAllocs()
	b.ResetTimer()
	const batch = 500
	for i := 0; i < b.N; i += batch {
		from := i % (len(ops) - batch)
		_ = s.Write(ops[from : from+min(batch, b.N-i)])
	}
}

func BenchmarkWrite(b *testing.B) {
	for name, ops := range map[string][]op.Op{
		"get":         benchOps(1, op.Get),
		"get-8-hosts": benchOps(8, op.Get),
		"mixed":       benchOps(1, op.Get, op.Put, op.Stat, op.Delete),
		"get-own":     withArrivals(benchOps(1, op.Get)),
	} {
		bounds := NewBounds(Options{})
		_ = bounds.Write(ops)
		b.Run("bounds/"+name, func(b *testing.B) { run(b, NewBounds(Options{}), ops) })
		b.Run("aggregator/"+name, func(b *testing.B) { run(b, New(Options{}, bounds.Windows()), ops) })
		b.Run("aggregator-parts/"+name, func(b *testing.B) {
			run(b, New(Options{HostSegments: true, SegmentTimes: true}, bounds.Windows()), ops)
		})
		b.Run("live/"+name, func(b *testing.B) { run(b, NewLive(Options{}), ops) })
	}
}

func BenchmarkSnapshot(b *testing.B) {
	ops := benchOps(8, op.Get, op.Put, op.Stat, op.Delete)
	bounds := NewBounds(Options{})
	_ = bounds.Write(ops)
	a, l := New(Options{}, bounds.Windows()), NewLive(Options{})
	_ = a.Write(ops)
	_ = l.Write(ops)
	b.Run("aggregator", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a.Snapshot()
		}
	})
	b.Run("live", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Snapshot()
		}
	})
	b.Run("live-recent", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Recent(at(15))
		}
	})
}

// BenchmarkAnalyze reads a recording in a file, with its windows stated at its end and without.
func BenchmarkAnalyze(b *testing.B) {
	ops := benchOps(4, op.Get, op.Put, op.Stat, op.Delete)
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
				p.Series[i].measure(&record{latency: int64(math.Exp(r.NormFloat64() + 14)), hasTTFB: true, ttfb: int64(time.Millisecond)})
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
