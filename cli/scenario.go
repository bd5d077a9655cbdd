package cli

import (
	"slices"

	"warp/pkg/bench"
	"warp/pkg/script"
)

// scenario is a file that passed all checks.
type scenario struct {
	name string
	*script.Resolved
	compiled *bench.Compiled
	access   *access
}

// measured returns the number of phases that are not steps.
func (s *scenario) measured() (n int64) {
	for i := range s.Plan.Phases {
		if s.Plan.Phases[i].Measures() {
			n++
		}
	}
	return n
}

// searches reports whether a phase is a search.
func (s *scenario) searches() bool {
	return slices.ContainsFunc(s.Plan.Phases, func(ph bench.Phase) bool { return ph.Search != nil })
}
