package bench

import (
	"fmt"
)

// checkSame returns an error for each task that cannot use the object of the task it follows.
func checkSame(s *stream) (errs []error) {
	for _, t := range s.tasks {
		if len(s.Tasks) == 0 || !s.Tasks[t.number].Same {
			continue
		}
		k := taskIndex(s, s.Tasks[t.number].After-1)
		if k < 0 {
			continue // that task has its own error already
		}
		first, problem := s.tasks[k], ""
		switch {
		case first.set != t.set:
			problem = "it works on another data set than the operation it follows"
		case !t.traits.Picks || t.traits.NeedsOf != nil:
			problem = fmt.Sprintf("%s does not work on one object of a data set", t.Workload)
		case !first.traits.Picks && !first.traits.AddsObjects:
			problem = fmt.Sprintf("%s leaves no object that it could use", first.Workload)
		case first.traits.NeedsOf != nil:
			problem = fmt.Sprintf("some operations of %s leave no object that it could use", first.Workload)
		case first.traits.Existing || t.traits.Existing:
			problem = "not with objects that are in the bucket already"
		case first.traits.AddsObjects && first.set.taken:
			problem = "others may delete the object that was just uploaded"
		}
		if problem != "" {
			errs = append(errs, t.fault(fmt.Errorf("same: %s", problem)))
		}
	}
	return errs
}
