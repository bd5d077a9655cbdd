package script

import "warp/pkg/bench"

// step is a step with its place in the file.
type step struct {
	bench.Step
	at place
}

// stream is a measured phase.
type stream struct {
	place   place
	name    string
	clients []string // see Resolved.OnClients
	tasks   []task
}

// task is an operation, with the plan that its command makes of it.
type task struct {
	place  place
	set    string
	name   string  // label of its kinds of operations
	weight float64 // 0: 1
	cmd    Command
	at     map[string]place // of its flags
	plan   *bench.Plan

	after, count int  // of one that follows another: the number of that one, from 1, and how many times
	same         bool // it uses the same object
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
			st.Tasks = append(st.Tasks, bench.Task{
				Name:     t.name,
				Weight:   t.weight,
				Set:      t.set,
				Workload: one.Workload,
				Params:   one.Params,
				OK:       one.OK,
				Retry:    one.Retry,
				After:    t.after,
				Same:     t.same,
				Count:    t.count,
			})
		}
		st.Workload, st.Params, st.OK, st.Retry = "", nil, nil, nil
	}
	return st
}

// stepsOf returns steps as the plan has them.
func stepsOf(list []step) (steps []bench.Step) {
	for _, s := range list {
		steps = append(steps, s.Step)
	}
	return steps
}
