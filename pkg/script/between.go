package script

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/bench"
	"warp/pkg/units"
)

// prepareStep resolves the upload of a data set.
func prepareStep(r *resolver, ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := setOf(r, ph.Prepare, path+".prepare")
	if !ok {
		return s, false
	}
	if !reflect.ValueOf(ph.Load).IsZero() {
		r.add(ph.Load.Pos, path+".load", "a load of its own for prepare is not possible yet; data sets are uploaded with the threads of the runs that use them")
	}
	return bench.Step{Prepare: name}, true
}

// cleanStep resolves the deletion of a data set.
func cleanStep(r *resolver, ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := setOf(r, ph.Clean, path+".clean")
	if !ok {
		return s, false
	}
	set, _ := r.file.Data.Lookup(name)
	switch {
	case !ph.Buckets.IsZero():
		r.add(ph.Buckets.Pos, path+".buckets", "deletion of buckets is not possible yet")
	case len(r.streams) == 0:
		r.add(ph.Pos, path, "nothing to delete before the first run; a run deletes only what it made")
	case set.Keep.Text == "true":
		r.add(ph.Pos, path, "data set %q says keep: true (want one of the two)", name)
	}
	return bench.Step{Clean: name}, true
}

// asUsed returns a data set as an operation uses it. It is empty at the beginning if it states no number of objects, and other operations
// fill it.
func asUsed(r *resolver, set *DataSet, operation string) (as *DataSet, empty bool) {
	n, err := units.ParseCount(cmp.Or(set.Objects.Text, "0"))
	if err != nil || n > 0 || adds(operation) || !fills(r.file.Phases, set.Name) {
		return set, false
	}
	without := *set
	without.Objects = Value{}
	return &without, true
}

// adds reports whether what an operation uploads joins its data set.
func adds(operation string) bool {
	info, ok := bench.Lookup(operation)
	return ok && info.Default().Traits().Fills
}

// fills reports whether a phase has an operation that adds objects to a data set.
func fills(phases []Phase, set string) bool {
	return slices.ContainsFunc(phases, func(ph Phase) bool {
		return fills(ph.Parallel, set) || fills(ph.Phases, set) || slices.ContainsFunc(ph.Do, func(do Do) bool {
			return do.Set.Text == set && adds(do.Op)
		})
	})
}

// dropFirstPrepare drops uploads before the first run that the run does anyway: those of data sets that are uploaded once.
func dropFirstPrepare(r *resolver) {
	times := map[string]int{}
	for _, ph := range r.phases {
		for _, s := range ph.steps {
			times[s.Prepare]++
		}
	}
	for i := range r.phases {
		ph := &r.phases[i]
		if ph.streams != nil {
			break
		}
		ph.steps = slices.DeleteFunc(ph.steps, func(s bench.Step) bool { return s.Prepare != "" && times[s.Prepare] == 1 })
	}
	r.phases = slices.DeleteFunc(r.phases, func(ph phase) bool { return ph.streams == nil && len(ph.steps) == 0 })
}

// dropLastClean drops deletions at the end, which the clean-up of the run does anyway.
func dropLastClean(r *resolver) {
	for n := len(r.phases); n > 0; n-- {
		ph := r.phases[n-1]
		if ph.steps == nil || slices.ContainsFunc(ph.steps, func(s bench.Step) bool { return s.Clean == "" }) {
			return
		}
		r.phases = r.phases[:n-1]
	}
}

// verifyStep resolves the comparison of a data set with what was uploaded.
func verifyStep(r *resolver, ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := setOf(r, ph.Verify, path+".verify")
	s.Verify = name
	if text, given := r.text(ph.Sample, path+".sample"); given {
		share, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if !strings.HasSuffix(text, "%") || err != nil || !(share > 0 && share <= 100) {
			r.add(ph.Sample.Pos, path+".sample", "invalid value %q (want a share of the objects, as in 1%%)", text)
			return s, false
		}
		s.Sample = share / 100
	}
	return s, ok
}

// waitStep resolves a pause between phases.
func waitStep(r *resolver, ph *Phase, path string) (s bench.Step, ok bool) {
	text, ok := r.text(ph.Wait, path+".wait")
	if !ok {
		return s, false
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		r.add(ph.Wait.Pos, path+".wait", "invalid value %q (want a duration, as in 60s)", text)
		return s, false
	}
	return bench.Step{Wait: d}, true
}

// setOf returns the data set that a step names.
func setOf(r *resolver, v Value, path string) (name string, ok bool) {
	name, ok = r.text(v, path)
	return name, ok && r.known(name, v.Pos, path)
}
