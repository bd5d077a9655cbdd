package script

import (
	"slices"
	"strings"

	"warp/pkg/bench/replay"
)

// runs resolves measured phases, one after the other.
type runs struct {
	tasks
	names  []string // of all
	used   map[string]bool
	rules  []Rule
	shared []string // runs whose objects clients share
}

// run resolves a measured phase.
func (r *runs) run(ph *Phase, suffix, path string) (stream, bool) {
	label, ok := r.text(ph.Run, path+".run")
	if !ok {
		r.missing(ph.Run, path+".run")
		return stream{}, false
	}
	label += suffix
	if slices.ContainsFunc(r.names, func(s string) bool { return strings.EqualFold(s, label) }) {
		r.add(ph.Run.Pos, path+".run", "duplicate name %q (want a different one for each run)", label)
	}
	r.names = append(r.names, label)
	ph, rules := train(r.evaluator, ph, label, path)
	r.rules = slices.Concat(r.rules, rules, rulesOf(r.evaluator, ph, label, path))
	if division(r.evaluator, ph, r.file.SharedData, path) {
		r.shared = append(r.shared, label)
	}
	out := stream{place: place{ph.Run.Pos, path + ".run"}, name: label, clients: clientsOf(r.evaluator, ph, path)}
	before := len(r.list)
	for i := range ph.Do {
		r.use(&ph.Do[i], indexed(path+".do", i))
	}
	for i := range ph.Do {
		if t, ok := r.task(ph, &ph.Do[i], indexed(path+".do", i), path); ok {
			out.tasks = append(out.tasks, t)
		}
	}
	if len(r.list) == before && !r.unsafe {
		out.tasks = append(out.tasks, r.following(ph, path)...)
	}
	return out, len(r.list) == before && len(out.tasks) > 0
}

// use checks the data sets of an operation, and of those that follow it.
func (r *runs) use(do *Do, path string) {
	for i := range do.Then {
		if next := &do.Then[i]; next.Set.Text != same {
			r.use(next, indexed(path+".then", i))
		}
	}
	if do.Set.IsZero() || do.Op == replay.Info.Name { // whose file it is
		return
	}
	path += "." + do.Op
	name, ok := r.text(do.Set, path)
	if !ok {
		r.missing(do.Set, path)
		return
	}
	if _, ok := r.file.Data.Lookup(name); !ok {
		r.add(do.Set.Pos, path, "%s", r.file.Data.unknown(name))
		return
	}
	r.used[name] = true
}

// division reports whether clients share the objects of all runs; divided is a run that says otherwise, if others say that they do.
func (r *runs) division() (share bool, divided string) {
	for _, name := range r.names {
		if len(r.shared) > 0 && !slices.Contains(r.shared, name) {
			divided = name
		}
	}
	return len(r.shared) > 0 && divided == "", divided
}
