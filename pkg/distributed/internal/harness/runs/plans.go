// Package runs has runs of several kinds, and has one of two clients end in the middle of one: for clients in one process, and for
// clients that are processes.
package runs

import (
	"fmt"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/search"
)

// Scenario uploads, waits, and reads.
func Scenario(t *testing.T, host string) *bench.Plan {
	p := harness.Plan(t, "put", host, time.Hour)
	p.Phases[0].Name = "load"
	read := harness.Plan(t, "stat", host, time.Hour, "-objects=10").Phases[0]
	read.Name = "read"
	p.Phases = append(p.Phases, bench.Phase{Steps: []bench.Step{{Wait: time.Hour}}}, read)
	return p
}

// Sweep has three phases that differ in their threads.
func Sweep(t *testing.T, host string) *bench.Plan {
	p := harness.Plan(t, "put", host, time.Hour)
	for i := 1; i < 3; i++ {
		p.Phases = append(p.Phases, p.Phases[0])
	}
	for i := range p.Phases {
		p.Phases[i].Name, p.Phases[i].Concurrency = fmt.Sprintf("threads=%d", i+1), i+1
	}
	return p
}

// Search measures, searches, and measures again.
func Search(t *testing.T, host string) *bench.Plan {
	p := harness.Plan(t, "put", host, time.Hour)
	list, err := search.ParseObjectives("p99<1h", "errors<50%")
	if err != nil {
		t.Fatal(err)
	}
	again, find := p.Phases[0], harness.Plan(t, "stat", host, 0, "-objects=10").Phases[0]
	config := search.Config{Objectives: list, Control: search.Rate, Budget: time.Hour, Trial: 2 * time.Second, Seed: 1}
	find.Search = &bench.Search{Config: config}
	p.Phases[0].Name, find.Name, again.Name = "before", "find", "after"
	p.Phases = append(p.Phases, find, again)
	return p
}
