package responder

import (
	"strings"
	"testing"
	"time"

	"warp/pkg/op"
)

// BenchmarkDelay reports how late delays end. Not a test: it is a matter of the machine.
func BenchmarkDelay(b *testing.B) {
	const delay = 5 * time.Millisecond
	s, c := start(b, Options{Forget: true, Record: true, Rule: func(op.Kind, uint64) Fault { return Fault{Delay: delay} }})
	for b.Loop() {
		do(b, c, "HEAD", s.URL()+"/b/k", "")
	}
	var late, worst time.Duration
	in := s.Injected()
	for _, i := range in {
		late += i.Delay - delay
		worst = max(worst, i.Delay-delay)
	}
	b.ReportMetric(float64(late.Microseconds())/float64(len(in)), "late-µs/op")
	b.ReportMetric(float64(worst.Microseconds()), "worst-late-µs")
}

func BenchmarkPut(b *testing.B) {
	s, c := start(b, Options{Forget: true})
	body := strings.Repeat("x", 1024)
	b.ReportAllocs()
	for b.Loop() {
		do(b, c, "PUT", s.URL()+"/b/k", body)
	}
}
