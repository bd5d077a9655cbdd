package bench

import (
	"fmt"
)

// missingObjects returns an error for each task without an object to work on when its phase begins, if no stream of the phase uploads any.
func missingObjects(streams []*streamRun) (errs []error) {
	filled := func(set *setPlan) bool {
		for _, s := range streams {
			if s.addsTo(set) {
				return true
			}
		}
		return false
	}
	for _, s := range streams {
		for _, t := range s.tasks[:s.own] {
			set := t.workers[0].Set
			if !t.traits.Picks && t.traits.MaxDeletes == 0 || !set.Changes() || set.Accessible() > 0 || filled(t.set) {
				continue
			}
			errs = append(errs, fmt.Errorf("phase %q: data set %q: there is no object to %s", s.Name, t.set.name, t.Workload))
		}
	}
	return errs
}
