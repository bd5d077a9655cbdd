package script

import (
	"errors"
	"slices"

	"warp/pkg/bench"
)

// locator complains about what is wrong with a plan, at its place in the file.
type locator struct {
	*complaints
	file   *File
	phases sequence
	plan   *bench.Plan
}

// complain complains about an error of bench.Compile.
func (l *locator) complain(err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			l.complain(e)
		}
		return
	}
	at, where := map[string]place(nil), place{pos: l.file.Pos}
	if len(l.plan.Sets) == 0 {
		first := l.phases.first()
		at, where = first.at, first.place
	}
	var part *bench.PartError
	if errors.As(err, &part) {
		err = part.Err
		if flags, found, ok := l.placeOf(part); ok {
			at, where = flags, found
		}
		if task := (*bench.TaskError)(nil); errors.As(err, &task) {
			err = task.Err
		}
	}
	l.report(err, at, where.pos, where.path)
}

// placeOf returns where in the file a part of the plan is, and where its flags are.
func (l *locator) placeOf(part *bench.PartError) (flags map[string]place, where place, ok bool) {
	if part.Step >= 0 {
		return nil, l.phases[part.Phase].steps[part.Step].at, true
	}
	if set, ok := l.file.Data.Lookup(part.Set); ok {
		return l.flagsOf(part.Set), place{set.Pos, "data." + set.Name}, true
	}
	for _, ph := range l.phases {
		i := slices.IndexFunc(ph.streams, func(s stream) bool { return s.name == part.Stream })
		if i < 0 {
			continue
		}
		s := &ph.streams[i]
		if part.Task >= 0 {
			t := &s.tasks[part.Task]
			return t.at, t.place, true
		}
		return s.tasks[0].at, s.place, true
	}
	return nil, where, false
}

// flagsOf returns where the flags of a data set are, as its first operation has them.
func (l *locator) flagsOf(set string) map[string]place {
	for t := range l.phases.tasks() {
		if t.set == set {
			return t.at
		}
	}
	return nil
}
