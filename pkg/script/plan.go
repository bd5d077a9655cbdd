package script

import (
	"slices"

	"warp/pkg/bench"
	"warp/pkg/generator"
)

// kept returns whether all objects stay in the bucket, or which data sets.
func kept(r *resolver) (all bool, sets []string) {
	all = true
	for _, ph := range r.phases {
		for i := range ph.streams {
			for _, t := range ph.streams[i].tasks {
				if !t.plan.KeepData || slices.Contains(r.cleaned, t.set) {
					all = false
				} else if !slices.Contains(sets, t.set) {
					sets = append(sets, t.set)
				}
			}
		}
	}
	if all {
		return true, nil
	}
	return false, sets
}

// planOf puts the plans of all streams together.
func planOf(r *resolver) *Resolved {
	dropFirstPrepare(r)
	dropLastClean(r)
	first := r.first()
	out := &r.out
	out.Plan, out.Rules, out.Target, out.OnClients = first.plan, r.rules, first.cmd, map[string][]string{}
	if len(r.shared) > 0 {
		out.Share, out.Divided = shares(r)
	}
	out.Plan.KeepData, out.Plan.KeepSets = kept(r)
	if s := onlySweep(r); s != nil {
		planOfSweep(r, s, out)
		return out
	}
	single := len(r.phases) == 1 && len(r.streams) == 1 && len(r.phases[0].streams[0].tasks) == 1 && first.name == "" &&
		!slices.ContainsFunc(r.phases[0].steps, func(s step) bool { return s.Prepare+s.Clean+s.Verify != "" })
	var phases []bench.Phase
	for _, side := range r.phases {
		if side.streams == nil {
			phases = append(phases, bench.Phase{Steps: stepsOf(side.steps)})
			continue
		}
		var list []bench.Stream
		for i := range side.streams {
			s := &side.streams[i]
			st := s.stream(single)
			rename(out, s, st.Name)
			if side.sweep != nil {
				addPoint(out, &side, st.Name)
			}
			for _, t := range s.tasks {
				if !single && t.set != "" {
					if out.Plan.Sets == nil {
						out.Plan.Sets = map[string]generator.Spec{}
					}
					addSet(out.Plan.Sets, t.set, t.plan.Data)
				}
			}
			list = append(list, st)
		}
		phases = append(phases, bench.Phase{
			Stream: list[0],
			Beside: list[1:],
			Steps:  stepsOf(side.steps),
			Search: side.streams[0].tasks[0].search,
		})
	}
	out.Plan.Phases = phases
	return out
}

// stepsOf returns steps as the plan has them.
func stepsOf(list []step) (steps []bench.Step) {
	for _, s := range list {
		steps = append(steps, s.Step)
	}
	return steps
}

// addSet adds a data set as one of its operations describes it. Without a size it has the usual one of its operations, the largest if they
// differ, whatever their order.
func addSet(sets map[string]generator.Spec, name string, data generator.Spec) {
	if known, ok := sets[name]; !ok || data.Sizes.Largest() > known.Sizes.Largest() {
		sets[name] = data
	}
}

// outputs resolves where results go.
func (r *resolver) outputs() {
	to := &r.file.Outputs
	r.out.Recording = r.output(to.Recording, "outputs.recording")
	r.out.JSON = r.output(to.JSON, "outputs.json")
	r.out.Series = r.output(to.Series, "outputs.series")
	r.out.HTML = r.output(to.HTML, "outputs.html")
	r.out.Metrics, _ = r.text(to.Metrics, "outputs.metrics")
}

// output returns the path of a file to be written; empty if there is none.
func (r *resolver) output(v Value, at string) string {
	name, ok := r.text(v, at)
	if !ok {
		return ""
	}
	path, err := r.Output(name)
	if err != nil {
		r.add(v.Pos, at, "%v", err)
	}
	return path
}

// rename has what a file says about a stream be about its name in the plan.
func rename(out *Resolved, s *stream, name string) {
	if len(s.clients) > 0 {
		out.OnClients[name] = s.clients
	}
	for i := range out.Rules {
		if out.Rules[i].Stream == s.name {
			out.Rules[i].Stream = name
		}
	}
}

// stream returns the stream of a plan; single says that there is only this one, with a data set of its own.
func (s *stream) stream(single bool) bench.Stream {
	st := s.tasks[0].plan.Phases[0].Stream
	switch st.Name = s.name; {
	case single:
		if s.name == st.Workload {
			st.Name = "" // as without a file
		}
	case len(s.tasks) == 1 && s.tasks[0].name == "":
		st.Set = s.tasks[0].set
	default:
		for _, t := range s.tasks {
			one := t.plan.Phases[0].Stream
			st.Tasks = append(st.Tasks, bench.Task{Name: t.name, Weight: t.weight, Set: t.set, Workload: one.Workload, Params: one.Params, OK: one.OK, Retry: one.Retry, After: t.after, Same: t.same, Count: t.count})
		}
		st.Workload, st.Params, st.OK, st.Retry = "", nil, nil, nil
	}
	return st
}
