package bench

import (
	"context"
	"fmt"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/work"
	"warp/pkg/load"
)

// maxCount is the maximum number of times that a task follows another one in a turn.
const maxCount = 1000

// own returns the tasks that have turns of their own; the others follow these.
func (t Tasks) own() Tasks {
	for k := range t {
		if t[k].After > 0 {
			return t[:k]
		}
	}
	return t
}

// checkThen returns an error for tasks that cannot follow others as they say.
func (t Tasks) checkThen() error {
	own := len(t.own())
	for k := range t {
		switch n := &t[k]; {
		case k < own && (n.Same || n.Count != 0):
			return fmt.Errorf("task %d (%s): same and count are for tasks that follow others", k+1, n.Workload)
		case k < own:
		case n.After < 1 || n.After > own:
			return fmt.Errorf("task %d (%s): it follows task %d (want 1 to %d; tasks that follow others come last)", k+1, n.Workload, n.After, own)
		case n.Weight != 0:
			return fmt.Errorf("task %d (%s): it follows another one, so it has no weight", k+1, n.Workload)
		case n.Count < 0 || n.Count > maxCount:
			return option.Invalid("count", n.Count, fmt.Sprintf("0 to %d", maxCount))
		}
	}
	return nil
}

// checkSame returns an error for each task that cannot use the object of the one it follows.
func checkSame(s *stream) (errs []error) {
	for _, t := range s.tasks {
		if len(s.Tasks) == 0 || !s.Tasks[t.number].Same {
			continue
		}
		k := taskIndex(s, s.Tasks[t.number].After-1)
		if k < 0 {
			continue // what is wrong with that task is said already
		}
		first, problem := s.tasks[k], ""
		switch {
		case first.set != t.set:
			problem = "it works on another data set than the operation it follows"
		case !t.traits.Picks || t.traits.Needs != nil:
			problem = fmt.Sprintf("%s does not work on one object of a data set", t.Workload)
		case !first.traits.Picks && !first.traits.Fills:
			problem = fmt.Sprintf("%s leaves no object that it could use", first.Workload)
		case first.traits.Needs != nil:
			problem = fmt.Sprintf("some operations of %s leave no object that it could use", first.Workload)
		case first.traits.Existing || t.traits.Existing:
			problem = "not with objects that are in the bucket already"
		case first.traits.Fills && first.set.taken:
			problem = "others may delete the object that was just uploaded"
		}
		if problem != "" {
			errs = append(errs, t.fault(fmt.Errorf("same: %s", problem)))
		}
	}
	return errs
}

// taskIndex returns the index of a task of Stream.Tasks: companions of those before it come first.
func taskIndex(s *stream, number int) int {
	return slices.IndexFunc(s.tasks, func(t *task) bool { return t.number == number })
}

// link gives each task those that follow it.
func link(s *streamRun) {
	for k := range s.Tasks {
		if n := &s.Tasks[k]; n.After > 0 {
			next := s.tasks[taskIndex(s.stream, k)]
			next.count = max(1, uint64(n.Count))
			for _, w := range next.workers {
				w.FollowSame(n.Same)
			}
			first := s.tasks[taskIndex(s.stream, n.After-1)]
			first.then = append(first.then, next)
		}
	}
}

// follow performs what follows an operation in the same turn.
func follow(ctx context.Context, s *streamRun, first *work.Worker, task *taskRun, t load.Turn) error {
	for _, next := range task.then {
		for k := range next.count {
			if ctx.Err() != nil {
				return nil
			}
			turn := t
			turn.N = t.N*next.count + k
			turn.Due, turn.Ready = first.Due()
			w := next.workers[t.Worker]
			err := followOnce(ctx, s, w, next, turn, first)
			first.Continue(w)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// followOnce performs one operation that follows another one, which holds an object.
func followOnce(ctx context.Context, s *streamRun, w *work.Worker, task *taskRun, t load.Turn, first *work.Worker) error {
	w.Begin(t)
	defer w.Release()
	if !w.UseSame(first) && w.Set.Changes() && !w.Acquire(task.traits.Need(t.N), t.N) {
		s.skipped.Add(1)
		return nil
	}
	return w.Perform(ctx, t, task.do)
}
