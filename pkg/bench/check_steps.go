package bench

import (
	"errors"
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/work"
)

// RunsPrograms reports whether steps of a plan run programs.
func RunsPrograms(p *Plan) bool {
	return slices.ContainsFunc(p.Phases, func(ph Phase) bool {
		return slices.ContainsFunc(ph.Steps, func(s Step) bool { return len(s.Exec) > 0 })
	})
}

// check returns an error for a step that cannot be performed.
func (s *Step) check(c *Compiled) error {
	actions := 0
	for _, is := range []bool{s.Prepare != "", s.Clean != "", s.Verify != "", s.Wait != 0, len(s.Exec) > 0} {
		if is {
			actions++
		}
	}
	switch {
	case actions != 1:
		return fmt.Errorf("%d actions in a step (want one of prepare, clean, verify, wait and exec)", actions)
	case s.Wait < 0 || s.Wait > work.MaxDuration:
		return option.Invalid("wait", s.Wait, "more than 0, at most ten years")
	case !(s.Sample >= 0 && s.Sample <= 1) || s.Sample > 0 && s.Verify == "":
		return option.Invalid("sample", s.Sample, "more than 0, at most 1, in a step that verifies")
	case s.Threads < 0 || s.Threads > MaxThreads || s.Threads > 0 && s.set() == "":
		return option.Invalid("threads", s.Threads, fmt.Sprintf("0 to %d, in a step that works on a data set", MaxThreads))
	case s.set() == "":
		return nil
	}
	set := namedSet(c, s.set())
	tasks := slices.DeleteFunc(slices.Clone(c.tasks), func(t *task) bool { return t.set != set })
	switch {
	case set == nil:
		return fmt.Errorf("%s: no stream works on this data set", s)
	case c.SharedData:
		return option.Errorf("shared-data", "%s: not with data that clients share", s)
	case !set.changes:
		k := slices.IndexFunc(tasks, func(t *task) bool { return !t.joins() })
		return fmt.Errorf("%s: %s cannot work on a data set that phases prepare, clean or verify", s, tasks[k].Workload)
	case s.Prepare != "" && set.objects == 0:
		return fmt.Errorf("%s: no task says how many objects it needs", s)
	case s.Verify != "" && slices.ContainsFunc(tasks, func(t *task) bool { return t.traits.Rewrites }):
		return fmt.Errorf("%s: a task overwrites its objects, so their contents do not follow from the plan", s)
	}
	return nil
}

// checkSteps returns an error for each step that cannot be performed.
func (c *Compiled) checkSteps() (errs []error) {
	if len(c.streams) == 0 {
		return []error{errors.New("the plan has only steps, and no benchmark")}
	}
	for i := range c.Phases {
		ph := &c.Phases[i]
		if !ph.Measures() && len(ph.Parallel) > 0 {
			errs = append(errs, fmt.Errorf("phase %d: parallel streams without a main one", i+1))
		}
		if n := len(ph.Steps); n > MaxPhases {
			errs = append(errs, fmt.Errorf("phase %d: %d steps (want at most %d)", i+1, n, MaxPhases))
		}
		for k := range ph.Steps {
			if err := ph.Steps[k].check(c); err != nil {
				errs = append(errs, errorInStep(i, k, err))
			}
			for _, s := range c.phaseStreams(i) {
				if set := namedSet(c, ph.Steps[k].set()); set != nil && slices.ContainsFunc(s.tasks, func(t *task) bool { return t.set == set }) {
					errs = append(errs, errorInStep(i, k, fmt.Errorf("%s: stream %q works on this data set at the same time", &ph.Steps[k], s.Name)))
				}
			}
			for other := range k {
				if set := ph.Steps[k].set(); set != "" && set == ph.Steps[other].set() {
					errs = append(errs, errorInStep(i, k, fmt.Errorf("two steps on data set %q at the same time", set)))
				}
			}
		}
	}
	return errs
}
