package bench

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"warp/pkg/aggregate"
)

// manyPhases returns a plan of the most phases, which record four kinds of operations each.
func manyPhases(t *testing.T) *Plan {
	t.Helper()
	p := validPlan(t, "mixed")
	first := p.Phases[0]
	p.Phases = nil
	for i := range MaxPhases {
		ph := first
		ph.Name = fmt.Sprint("p", i)
		p.Phases = append(p.Phases, ph)
	}
	return p
}

// TestStatisticsAreLimited before a run begins: what passes, analysis takes too.
func TestStatisticsAreLimited(t *testing.T) {
	c, err := Compile(manyPhases(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CheckStatistics(20); err != nil {
		t.Error(err)
	}
	const want = "statistics of 404 pairs of phase and kind of operation, with 404808 hosts, clients and buckets, 1616000 threads and 409600 objects in them, " +
		"take up to 15.58GiB (want at most 4GiB): use fewer phases, points, tasks, hosts or clients, or measure them in several runs"
	if err := c.CheckStatistics(1000); err == nil || err.Error() != want {
		t.Errorf("error is %v", err)
	}

	// 100 phases of a get, with the preparation: 404 pairs, of 4 threads each.
	if got, want := c.BoundsBytes(), aggregate.BoundsBytes(404, 4); got != want {
		t.Errorf("bounds take up to %d bytes, want %d", got, want)
	}

	p := manyPhases(t)
	for i := range 2000 {
		p.Target.Hosts = append(p.Target.Hosts, fmt.Sprint("h", i, ":1"))
	}
	if _, err := Compile(p); err == nil || !strings.Contains(err.Error(), "(want at most 4GiB)") {
		t.Errorf("with 2000 hosts: %v", err)
	}
}

// TestAccessesAreLimited: first and last reads of many objects take memory in each phase.
func TestAccessesAreLimited(t *testing.T) {
	p := manyPhases(t)
	for i := range p.Phases {
		p.Phases[i].Params = bytes.Replace(p.Phases[i].Params, []byte(`"objects":2500`), []byte(`"objects":524288`), 1)
	}
	if _, err := Compile(p); err == nil || !strings.Contains(err.Error(), "52428800 objects in them, take up to") {
		t.Errorf("error is %v", err)
	}
}

// TestKindsOfAPhaseAreLimited: labels and outcomes multiply the kinds.
func TestKindsOfAPhaseAreLimited(t *testing.T) {
	tasks := func(n int) *Plan {
		p := validPlan(t, "get")
		s := &p.Phases[0].Stream
		params := s.Params
		s.Name, s.Workload, s.Params, s.OK = "many", "", nil, []int{403, 404, 404}
		for i := range n {
			s.Tasks = append(s.Tasks, Task{Name: fmt.Sprint("t", i), Workload: "get", Params: params})
		}
		return p
	}
	if _, err := Compile(tasks(85)); err != nil {
		t.Errorf("%d kinds: %v", aggregate.MaxKinds-1, err)
	}
	const want = `phase "many": 258 kinds of operations, with labels and outcomes (want at most 256): use fewer tasks, or several phases`
	if _, err := Compile(tasks(86)); err == nil || err.Error() != want {
		t.Errorf("error is %v", err)
	}
}
