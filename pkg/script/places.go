package script

import (
	"errors"
	"slices"

	"warp/pkg/bench"
)

// reportPlan complains about what is wrong with the plan of the file, each at its place in the file.
func (r *resolver) reportPlan(err error) {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			r.reportPlan(e)
		}
		return
	}
	at, where := map[string]place(nil), place{pos: r.file.Pos}
	if len(r.out.Plan.Sets) == 0 {
		at, where = r.first().at, r.first().place
	}
	var part *bench.PartError
	if errors.As(err, &part) {
		err = part.Err
		if flags, found, ok := r.placeOf(part); ok {
			at, where = flags, found
		}
		if task := (*bench.TaskError)(nil); errors.As(err, &task) {
			err = task.Err
		}
	}
	r.report(err, at, where.pos, where.path)
}

// placeOf returns where in the file a part of the plan is, and where its flags are.
func (r *resolver) placeOf(part *bench.PartError) (flags map[string]place, where place, ok bool) {
	if part.Step >= 0 {
		return nil, r.phases[part.Phase].steps[part.Step].at, true
	}
	if set, ok := r.file.Data.Lookup(part.Set); ok {
		return r.flagsOf(part.Set), place{set.Pos, "data." + set.Name}, true
	}
	for _, ph := range r.phases {
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

// flagsOf returns where the flags of a data set are: those of its first operation.
func (r *resolver) flagsOf(set string) map[string]place {
	for _, ph := range r.phases {
		for i := range ph.streams {
			if k := slices.IndexFunc(ph.streams[i].tasks, func(t task) bool { return t.set == set }); k >= 0 {
				return ph.streams[i].tasks[k].at
			}
		}
	}
	return nil
}
