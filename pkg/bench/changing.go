package bench

import (
	"fmt"
	"slices"
)

// changingWarnings returns what a user should know about the data sets that changed.
func changingWarnings(s *streamRun) (list []string) {
	// Of shared data, the first deletions come before there is anything to delete; in a run of any length they are too few to report.
	shared := s.tasks[0].workers[0].Set.Shared()
	switch n := s.replaced.Load(); {
	case n == 0, shared && n <= s.done.Load()/100:
	case shared:
		list = append(list, fmt.Sprintf("%d turns uploaded an object instead of deleting one: of shared data, a client deletes only what it uploaded itself; use a longer --duration, or a lower share of deletions", n))
	default:
		list = append(list, fmt.Sprintf("%d turns found no object in their data set; they uploaded one instead", n))
	}
	if n := s.skipped.Load(); n > 0 {
		list = append(list, fmt.Sprintf("%d operations that follow others found no object in their data set, and were left out", n))
	}
	// What deletes alone is to end when nothing is left.
	if s.empty.Load() && slices.ContainsFunc(s.tasks[:s.own], func(t *taskRun) bool { return t.traits.Takes == 0 || t.traits.Needs != nil }) {
		list = append(list, "ended early: no object was left in the data set")
	}
	return list
}
