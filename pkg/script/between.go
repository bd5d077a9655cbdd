package script

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/pkg/bench"
)

// prepareStep resolves the upload of a data set.
func prepareStep(r *resolver, ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := setOf(r, ph.Prepare, path+".prepare")
	if !ok {
		return s, false
	}
	return bench.Step{Prepare: name, Threads: threadsOf(r, ph, path)}, true
}

// threadsOf returns the number of threads of a step; 0: it does not say.
func threadsOf(r *resolver, ph *Phase, path string) int {
	other := ph.Load
	other.Threads, other.Note = nil, Note{}
	if !reflect.ValueOf(other).IsZero() {
		r.add(ph.Load.Pos, path+".load", "only a number of threads is possible here")
		return 0
	}
	if ph.Load.Threads == nil {
		return 0
	}
	text, ok := r.text(r.joinValues(ph.Load.Threads, path+".load"), path+".load")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > bench.MaxThreads {
		r.add(ph.Load.Pos, path+".load", "invalid value %q (want a number of threads, 1 to %d)", text, bench.MaxThreads)
	}
	return n
}

// cleanStep resolves the deletion of a data set.
func cleanStep(r *resolver, ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := setOf(r, ph.Clean, path+".clean")
	if !ok {
		return s, false
	}
	if text, ok := r.text(ph.Buckets, path+".buckets"); ok {
		remove, err := strconv.ParseBool(text)
		if err != nil {
			r.add(ph.Buckets.Pos, path+".buckets", "invalid value %q (want true or false)", text)
		}
		if remove && len(r.streams) > 0 {
			r.emptied = append(r.emptied, emptied{place{ph.Buckets.Pos, path + ".buckets"}, len(r.streams)})
		}
	}
	threads := threadsOf(r, ph, path)
	return bench.Step{Clean: name, Threads: threads}, len(r.streams) > 0 // a run deletes only what it made, so nothing before its first phase
}

// emptied is a step that deletes buckets, which the clean-up of the run does.
type emptied struct {
	place
	streams int // before it
}

// checkEmptied complains about deletions of buckets that later phases need.
func checkEmptied(r *resolver) {
	for _, e := range r.emptied {
		if e.streams < len(r.streams) {
			r.add(e.pos, e.path, "runs follow, which need the buckets (want it in the last step; names of the run are claimed in them until its end)")
		}
	}
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
		ph.steps = slices.DeleteFunc(ph.steps, func(s step) bool { return s.Prepare != "" && s.Threads == 0 && times[s.Prepare] == 1 })
	}
	r.phases = slices.DeleteFunc(r.phases, func(ph phase) bool { return ph.streams == nil && len(ph.steps) == 0 })
}

// dropLastClean drops deletions at the end, which the clean-up of the run does anyway, also of data sets that are to stay otherwise.
func dropLastClean(r *resolver) {
	for n := len(r.phases); n > 0; n-- {
		ph := r.phases[n-1]
		if ph.steps == nil || ph.streams != nil || slices.ContainsFunc(ph.steps, func(s step) bool { return s.Clean == "" }) {
			return
		}
		for _, s := range ph.steps {
			r.cleaned = append(r.cleaned, s.Clean)
		}
		r.phases = r.phases[:n-1]
	}
}

// verifyStep resolves the comparison of a data set with what was uploaded.
func verifyStep(r *resolver, ph *Phase, path string) (s bench.Step, ok bool) {
	name, ok := setOf(r, ph.Verify, path+".verify")
	s.Verify, s.Threads = name, threadsOf(r, ph, path)
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
		r.missing(ph.Wait, path+".wait")
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
	if name, ok = r.text(v, path); !ok {
		r.missing(v, path)
	}
	if !ok || !r.known(name, v.Pos, path) {
		return name, false
	}
	set, _ := r.file.Data.Lookup(name)
	text, _ := r.text(set.Existing, "data."+name+".existing")
	if exists, _ := strconv.ParseBool(text); exists { // what is no boolean is a complaint of its own
		r.add(v.Pos, path, "data set %q has existing objects (existing: true), which a run neither uploads, verifies nor deletes", name)
		return name, false
	}
	return name, true
}
