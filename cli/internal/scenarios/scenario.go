// Package scenarios runs files that say what is measured. A scenario sets the flags of benchmarks in place of a person, and may use only
// what the user allows.
package scenarios

import (
	"slices"

	"warp/pkg/bench"
	"warp/pkg/script"
)

// Scenario is a file that passed all checks.
type Scenario struct {
	name  string
	stem  string       // of files of the run; empty: that of the name
	shell *shellScript // that it is, with no plan of its own; nil: none
	*script.Resolved
	compiled *bench.Compiled
	access   *Access
	job      job
}

// measured returns the number of phases that are not steps.
func (s *Scenario) measured() (n int64) {
	for i := range s.Plan.Phases {
		if s.Plan.Phases[i].Measures() {
			n++
		}
	}
	return n
}

// searches reports whether a phase is a search.
func (s *Scenario) searches() bool {
	return slices.ContainsFunc(s.Plan.Phases, func(ph bench.Phase) bool { return ph.Search != nil })
}
