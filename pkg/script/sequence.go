package script

import (
	"iter"
	"slices"

	"warp/pkg/search"
)

// phase is what is done in parallel: streams that are measured, or steps between them.
type phase struct {
	streams []stream
	steps   []step
	sweep   *sweep         // whose point it is; nil without one
	values  []search.Value // of the point
}

// sequence is the phases of a file, in order.
type sequence []phase

// append adds a phase that does something.
func (q *sequence) append(ph phase) {
	if ph.streams != nil || ph.steps != nil {
		*q = append(*q, ph)
	}
}

// first returns the first operation.
func (q sequence) first() *task {
	i := slices.IndexFunc(q, func(ph phase) bool { return ph.streams != nil })
	return &q[i].streams[0].tasks[0]
}

// dropFirstPrepare drops uploads before the first run that the run does anyway: of data sets that are uploaded once.
func (q *sequence) dropFirstPrepare() {
	times := map[string]int{}
	for _, ph := range *q {
		for _, s := range ph.steps {
			times[s.Prepare]++
		}
	}
	for i := range *q {
		ph := &(*q)[i]
		if ph.streams != nil {
			break
		}
		ph.steps = slices.DeleteFunc(ph.steps, func(s step) bool { return s.Prepare != "" && s.Threads == 0 && times[s.Prepare] == 1 })
	}
	*q = slices.DeleteFunc(*q, func(ph phase) bool { return ph.streams == nil && len(ph.steps) == 0 })
}

// dropLastClean drops deletions at the end, which the clean-up of the run does anyway, and returns their data sets, also those that are to
// stay otherwise.
func (q *sequence) dropLastClean() (sets []string) {
	for n := len(*q); n > 0; n-- {
		ph := (*q)[n-1]
		if ph.steps == nil || ph.streams != nil || slices.ContainsFunc(ph.steps, func(s step) bool { return s.Clean == "" }) {
			return sets
		}
		for _, s := range ph.steps {
			sets = append(sets, s.Clean)
		}
		*q = (*q)[:n-1]
	}
	return sets
}

// tasks iterates over the operations of all runs.
func (q sequence) tasks() iter.Seq[*task] {
	return func(yield func(*task) bool) {
		for _, ph := range q {
			for i := range ph.streams {
				for k := range ph.streams[i].tasks {
					if !yield(&ph.streams[i].tasks[k]) {
						return
					}
				}
			}
		}
	}
}

// kept returns whether all objects stay in the bucket, or which data sets; those that the last steps delete do not.
func (q sequence) kept(cleaned []string) (all bool, sets []string) {
	all = true
	for t := range q.tasks() {
		if !t.plan.KeepData || slices.Contains(cleaned, t.set) {
			all = false
		} else if !slices.Contains(sets, t.set) {
			sets = append(sets, t.set)
		}
	}
	if all {
		return true, nil
	}
	return false, sets
}

// alone reports whether the file does nothing but one operation.
func (q sequence) alone() bool {
	return len(q) == 1 && len(q[0].streams) == 1 && len(q[0].streams[0].tasks) == 1 && q[0].streams[0].tasks[0].name == "" &&
		!slices.ContainsFunc(q[0].steps, func(s step) bool { return s.Prepare+s.Clean+s.Verify != "" })
}
