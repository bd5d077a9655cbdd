package hist

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
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
