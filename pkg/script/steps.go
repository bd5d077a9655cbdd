package script

import (
	"reflect"
	"slices"
	"strings"
)

// steps are the keys for what a phase does, in the order of the struct. A phase has exactly one.
func steps() (keys []string) {
	for _, f := range fieldsOf(reflect.TypeFor[Phase]()).list {
		if slices.Equal(f.of, []string{f.key}) {
			keys = append(keys, f.key)
		}
	}
	return keys
}

// step returns what the phase is: run, prepare and so on; parallel for a list of phases, empty if it is nothing.
func (ph *Phase) step() string {
	if ph.Parallel != nil {
		return "parallel"
	}
	v := reflect.ValueOf(ph).Elem()
	fs := fieldsOf(v.Type())
	for _, key := range steps() {
		if f, _ := fs.lookup(key); !v.Field(f.index).IsZero() {
			return key
		}
	}
	return ""
}

// isStep reports whether a mapping is about a phase, and complains about an operation in its place.
func (d decoder) isStep(n *node, path string) bool {
	i := slices.IndexFunc(n.pairs, func(p pair) bool { return isOperation(p.key) })
	if i < 0 || n.lookup("run") != nil {
		return true
	}
	d.add(n.pairs[i].pos, path, "an operation where a phase belongs (want {run: LABEL, do: [{%s: ...}]})", n.pairs[i].key)
	return false
}

// checkStep checks that a phase is one step, and has only its keys.
func (d decoder) checkStep(ph *Phase, n *node, path string) {
	if n.kind != mapping {
		return
	}
	fs := fieldsOf(reflect.TypeFor[Phase]())
	step := ""
	for _, p := range n.pairs {
		if !slices.Contains(steps(), p.key) {
			continue
		}
		if step != "" && step != p.key {
			d.add(p.pos, path, "%s and %s in one phase (want a list item for each)", step, p.key)
			return
		}
		step = p.key
	}
	if step == "" {
		d.add(n.pos, path, "the phase does nothing (want one of %s)", strings.Join(steps(), ", "))
		return
	}
	for _, p := range n.pairs {
		if f, ok := fs.lookup(p.key); ok && !slices.Contains(f.of, step) {
			d.add(p.pos, path, "%q is not for %s, but for %s", p.key, step, strings.Join(f.of, ", "))
		}
	}
	switch {
	case step == "run" && len(ph.Do) == 0:
		d.add(n.pos, path, "nothing to do (want do: [{get: NAME}], or other operations)")
	case step == "repeat" && len(ph.Phases) == 0:
		d.add(n.pos, path, "nothing to repeat (want phases: [...])")
	}
}
