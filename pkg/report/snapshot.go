package report

import (
	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// severalPhases reports whether more than one phase is measured: each has a section then, and a row in a table of all.
func severalPhases(s *aggregate.Snapshot) bool {
	first, found := "", false
	for _, g := range s.Groups {
		switch {
		case isPreparation(g):
		case !found:
			first, found = g.Phase, true
		case g.Phase != first:
			return true
		}
	}
	return false
}

// totalOf returns the total of a phase, nil if the phase has only one kind of operation.
func totalOf(s *aggregate.Snapshot, phase string) *aggregate.Group {
	for _, t := range s.Totals {
		if t.Phase == phase {
			return t
		}
	}
	return nil
}

// isPreparation reports whether g only prepared the data set.
func isPreparation(g *aggregate.Group) bool { return g.Phase == op.PhasePrepare }
