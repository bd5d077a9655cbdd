package monitor

import (
	"io"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/metrics"
	"warp/pkg/op"
	"warp/pkg/report"
)

// BenchmarkSecond is what views cost each second, after minutes of a run with two kinds of operations.
func BenchmarkSecond(b *testing.B) {
	m := Start(nil)
	m.Close()
	live := live.New(aggregate.Options{})
	live.CountMore()
	m.Begin(Run{Document: report.Document{Command: "mixed"}, Phases: []string{"a"}})
	m.Stage(Stage{Title: "a", Measures: true, Start: began, Counts: counts(live), Recent: live.Recent})
	second := 0
	next := func() {
		perform(live, "a", op.Get, second, 900, 0)
		perform(live, "a", op.Put, second, 900, 0)
		second++
	}
	for second < 240 {
		next()
		m.sample(began.Add(time.Duration(second) * time.Second))
	}
	registry := metrics.Registry(metrics.NewCollector(m.Figures))
	for name, do := range map[string]func(){
		"sample": func() { m.sample(began.Add(time.Duration(second) * time.Second)) },
		"page":   func() { _, _ = m.Data() },
		"scrape": func() { _, _ = registry.Gather() },
		"json":   func() { _ = m.WriteJSON(io.Discard) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				do()
			}
		})
	}
}
