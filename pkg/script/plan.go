package script

import (
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/search"
)

// assembly puts the plans of all operations together.
type assembly struct {
	*complaints
	phases sequence
	sweeps []*sweep
	out    *Resolved
}

// plan makes the plan of the file.
func (a *assembly) plan() {
	a.phases.dropFirstPrepare()
	cleaned := a.phases.dropLastClean()
	first := a.phases.first()
	plan := first.plan
	a.out.Plan, a.out.Target = plan, first.cmd
	plan.KeepData, plan.KeepSets = a.phases.kept(cleaned)
	if s := a.onlySweep(); s != nil {
		a.planOfSweep(s)
		return
	}
	alone := a.phases.alone()
	var phases []bench.Phase
	for i := range a.phases {
		phases = append(phases, a.phase(&a.phases[i], alone))
	}
	plan.Phases = phases
}

// phase returns a phase of the plan; alone says that it is the only one, of one operation, with a data set of its own.
func (a *assembly) phase(from *phase, alone bool) bench.Phase {
	ph := bench.Phase{Steps: stepsOf(from.steps)}
	for i := range from.streams {
		s := &from.streams[i]
		st := s.stream(alone)
		a.out.nameStream(s.name, st.Name, s.clients)
		if from.sweep != nil {
			a.addPoint(from, st.Name)
		}
		for _, t := range s.tasks {
			if !alone && t.set != "" {
				a.addSet(t.set, t.plan.Data)
			}
		}
		if i > 0 {
			ph.Parallel = append(ph.Parallel, st)
			continue
		}
		ph.Stream, ph.Search = st, s.tasks[0].plan.Phases[0].Search
	}
	return ph
}

// addSet adds a data set as one of its operations describes it. Without a size it has the usual one of its operations, the largest if they
// differ, whatever their order.
func (a *assembly) addSet(name string, data generator.Spec) {
	sets := &a.out.Plan.Sets
	if *sets == nil {
		*sets = map[string]generator.Spec{}
	}
	if known, ok := (*sets)[name]; !ok || data.Sizes.Largest() > known.Sizes.Largest() {
		(*sets)[name] = data
	}
}

// onlySweep returns the sweep that a file consists of, if it makes the plan of a command; nil if it does not.
func (a *assembly) onlySweep() *sweep {
	if len(a.sweeps) != 1 || len(a.sweeps[0].streams) != len(a.phases) {
		return nil
	}
	for i := range a.phases {
		if ph := &a.phases[i]; ph.sweep == nil || len(ph.streams[0].tasks) != 1 || ph.streams[0].tasks[0].name != "" {
			return nil
		}
	}
	return a.sweeps[0]
}

// planOfSweep makes the plan of a file that is one sweep of one operation: that of "warp sweep".
func (a *assembly) planOfSweep(s *sweep) {
	name := s.name
	if name == s.streams[0].tasks[0].plan.Phases[0].Workload {
		name = "" // as without a file
	}
	points := NewPoints(name, s.grid)
	for i, values := range s.values {
		if err := points.Add(values, s.streams[i].tasks[0].plan); err != nil {
			a.report(err, map[string]place{"over": s.at}, s.at.pos, s.at.path)
			return
		}
	}
	points.Arrange(s.repeats, s.shuffle)
	points.Plan.KeepData, points.Plan.KeepSets = a.out.Plan.KeepData, a.out.Plan.KeepSets
	a.out.Plan, a.out.Sweeps = &points.Plan, []search.Sweep{points.Sweep}
	for i := range a.phases {
		st := &a.phases[i].streams[0]
		a.out.nameStream(st.name, points.Sweep.Points[i].Phase, st.clients)
	}
}

// addPoint adds a phase to its sweep, of a file with other phases too.
func (a *assembly) addPoint(ph *phase, name string) {
	n := len(a.out.Sweeps) - 1
	if n < 0 || a.out.Sweeps[n].Stream != ph.sweep.name {
		n++
		a.out.Sweeps = append(a.out.Sweeps, search.Sweep{Stream: ph.sweep.name, Over: ph.sweep.grid.Names()})
	}
	a.out.Sweeps[n].Points = append(a.out.Sweeps[n].Points, search.SweepPoint{Phase: name, Values: ph.values})
}
