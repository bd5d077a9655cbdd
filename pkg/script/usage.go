package script

import (
	"slices"

	"warp/pkg/bench/work"
)

// addsObjects reports whether what an operation uploads is added to its data set.
func (do *Do) addsObjects() bool {
	info, ok := work.Lookup(do.Op)
	return ok && info.Default().Traits().AddsObjects && do.Overwrite.Text != "true"
}

// ofObjects reports whether an operation is about objects, not about additional buckets that it makes or deletes.
func (do *Do) ofObjects() bool {
	info, ok := work.Lookup(do.Op)
	return !ok || info.Default().Traits().Extra == nil
}

// uses reports whether the operation, or one that follows in the same turn, works on a data set; only says that all of these add objects.
func (do *Do) uses(set string) (uses, only bool) {
	uses = do.Set.Text == set && do.ofObjects()
	only = !uses || do.addsObjects()
	for i := range do.Then {
		u, o := do.Then[i].uses(set)
		uses, only = uses || u, only && o
	}
	return uses, only
}

// Names reports whether a phase, or one within it, names a data set.
func (ph *Phase) Names(set string) bool {
	within := func(phases []Phase) bool {
		return slices.ContainsFunc(phases, func(inner Phase) bool { return inner.Names(set) })
	}
	steps := slices.ContainsFunc([]Value{ph.Prepare, ph.Clean, ph.Verify}, func(v Value) bool { return v.Text == set })
	return steps || namedBy(ph.Do, set) || within(ph.Parallel) || within(ph.Phases)
}

// namedBy reports whether one of the operations, or one that follows in the same turn, names a data set.
func namedBy(list []Do, set string) bool {
	return slices.ContainsFunc(list, func(do Do) bool { return do.Set.Text == set || namedBy(do.Then, set) })
}

// fills reports whether a phase has an operation that adds objects to a data set.
func fills(phases []Phase, set string) bool {
	return slices.ContainsFunc(phases, func(ph Phase) bool {
		return fills(ph.Parallel, set) || fills(ph.Phases, set) || addsTo(ph.Do, set)
	})
}

func addsTo(list []Do, set string) bool {
	return slices.ContainsFunc(list, func(do Do) bool { return do.Set.Text == set && do.addsObjects() || addsTo(do.Then, set) })
}

// firstUse returns whether the first of the phases that work on a data set only add objects to it; used is false if none does.
func firstUse(phases []Phase, set string) (only, used bool) {
	for i := range phases {
		if only, used = phases[i].uses(set); used {
			return only, true
		}
	}
	return false, false
}

// uses reports whether a phase works on a data set, and whether it only adds objects to it.
func (ph *Phase) uses(set string) (only, used bool) {
	if ph.Phases != nil {
		return firstUse(ph.Phases, set)
	}
	only = true
	for i := range ph.Parallel {
		o, u := ph.Parallel[i].uses(set)
		only, used = only && (o || !u), used || u
	}
	for i := range ph.Do {
		u, o := ph.Do[i].uses(set)
		only, used = only && o, used || u
	}
	for _, v := range []Value{ph.Prepare, ph.Clean, ph.Verify} {
		if v.Text == set {
			only, used = false, true
		}
	}
	return only, used
}
