package aggregate

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkHistogramWire writes and reads a histogram as it travels between machines.
func BenchmarkHistogramWire(b *testing.B) {
	for kind, make := range histogramKinds {
		r := rand.New(rand.NewPCG(5, 5))
		h := make()
		for range 10_000 {
			h.Record(distributions["lognormal"](r))
		}
		wire, err := json.Marshal(h)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("write/"+kind, func(b *testing.B) {
			b.ReportAllocs()
			b.ReportMetric(float64(len(wire)), "wire-bytes")
			for b.Loop() {
				if _, err := json.Marshal(h); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("read/"+kind, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var back Histogram
				if err := json.Unmarshal(wire, &back); err != nil {
					b.Fatal(err)
				}
			}
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
				p.Series[i].measure(&record{latency: distributions["lognormal"](r), hasTTFB: true, ttfb: int64(time.Millisecond)})
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
