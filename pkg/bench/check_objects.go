package bench

import (
	"bytes"
	"fmt"

	"warp/pkg/bench/work"
	"warp/pkg/units"
)

// checkObjects returns an error for a data set with unsuitable objects for the task, because a step or another task uploads them.
func checkObjects(s *task) error {
	if _, own := s.workload.(work.Source); own && s.set.step {
		const text = "%s uploads objects of its own kind, which no step can prepare, verify or clean; give it a data set of its own"
		return fmt.Errorf(text, s.Workload)
	}
	if size := s.traits.Size; size > 0 && (s.set.spec.Sizes.Min != size || s.set.spec.Sizes.Largest() != size) {
		return fmt.Errorf("%s needs objects of %s, unlike data set %q; give it a data set of its own, or name it before the others",
			s.Workload, units.Size(size), s.set.name)
	}
	return nil
}

// objectConflict returns the reason why two tasks cannot work on the same data set, with objects uploaded for the first; empty if they can.
func objectConflict(s, later *task) string {
	for _, t := range []*task{s, later} {
		if _, own := t.workload.(work.Source); own && (s.Workload != later.Workload || !bytes.Equal(s.Params, later.Params)) {
			return fmt.Sprintf("%s uploads objects of its own kind, which the other does not expect; give it a data set of its own", t.Workload)
		}
	}
	if t := &later.traits; t.PartSize > 0 && t.Effect == work.Reads && t.PartSize != s.traits.PartSize {
		const text = "the second reads objects in parts of %s, and the first uploads them differently; " +
			"name it first, or give it a data set of its own"
		return fmt.Sprintf(text, units.Size(t.PartSize))
	}
	return ""
}
