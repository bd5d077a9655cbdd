package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
)

// root returns the prefix of all keys of the data set.
func (s *setPlan) root() string { return generator.NewKeys(s.spec, 0, 1).Root() }

// overlaps reports whether keys of one data set can lie below the root of the other.
func (s *setPlan) overlaps(o *setPlan) bool {
	return strings.HasPrefix(s.root(), o.root()) || strings.HasPrefix(o.root(), s.root())
}

// mixes reports whether one data set may take keys of the other for its own: their keys can begin alike.
func (s *setPlan) mixes(o *setPlan) bool {
	one, two := generator.NewKeys(s.spec, 0, 1).Beginning(), generator.NewKeys(o.spec, 0, 1).Beginning()
	return strings.HasPrefix(one, two) || strings.HasPrefix(two, one)
}

// proportions returns the task of each turn.
func (s *stream) proportions(seed uint64) work.Proportions {
	return work.NewProportionsOf(generator.Mix(seed, dataset.StreamTasks), work.Slots(s.weights), s.weights)
}

// TaskError is an error about a task of a stream.
type TaskError struct {
	Stream   string
	Task     int // from 0
	Workload string
	Err      error
}

func (e *TaskError) Error() string {
	stream := ""
	if e.Stream != "" {
		stream = fmt.Sprintf(" of stream %q", e.Stream)
	}
	return fmt.Sprintf("task %d%s (%s): %v", e.Task+1, stream, e.Workload, e.Err)
}

func (e *TaskError) Unwrap() error { return e.Err }

// inTask turns err into an error about a task, if the stream has tasks.
func inTask(s *Stream, k int, err error) error {
	if known := (*TaskError)(nil); len(s.Tasks) == 0 || errors.As(err, &known) {
		return err
	}
	return &TaskError{Stream: s.Name, Task: k, Workload: s.Tasks[k].Workload, Err: err}
}

// task is the work of a stream in some of its turns, or in all.
type task struct {
	*Stream  // as if this were its only task
	of       *stream
	number   int // of Stream.Tasks
	workload work.Workload
	traits   work.Traits
	seed     uint64 // of its order of access
	set      *setPlan
	label    string // of its kinds of operations; see Worker.kind

	companion string // name, if it is a companion of the task before; see Mixer
}

// fault turns err into an error about the task, with the task's name if its stream has others; nil stays nil.
func (t *task) fault(err error) error {
	if err == nil {
		return nil
	}
	return errorInTask(t.of.Stream, t.number, err)
}

// partError turns err, with a text that names the task already, into an error about the task.
func (t *task) partError(err error) error {
	return &PartError{Step: -1, Stream: t.of.Name, Task: t.number, Err: err}
}

// describePair names two tasks.
func describePair(one, two *task) string {
	if one.of != two.of {
		return fmt.Sprintf("streams %q and %q", one.Name, two.Name)
	}
	if one.number == two.number {
		return fmt.Sprintf("%s and %s of a mix", one.Workload, two.Workload)
	}
	return fmt.Sprintf("tasks %d and %d of stream %q (%s and %s)", one.number+1, two.number+1, one.Name, one.Workload, two.Workload)
}

// lanes returns the maximum number of parallel operations of a turn.
func (s *stream) lanes() (highest int) {
	for _, t := range s.tasks {
		highest = max(highest, t.traits.LaneCount())
	}
	return highest
}

// changes reports whether the stream adds or takes out objects of a data set.
func (s *stream) changes(set *setPlan) bool {
	return set.inventory && slices.ContainsFunc(s.tasks, func(t *task) bool {
		return t.set == set && (t.traits.AddsObjects || t.traits.MaxDeletes > 0)
	})
}

// addsTo reports whether the stream adds objects to a data set.
func (s *stream) addsTo(set *setPlan) bool {
	return set.inventory && slices.ContainsFunc(s.tasks, func(t *task) bool { return t.set == set && t.traits.AddsObjects })
}

// alike returns the tasks that share a recorded kind of operation with t.
func (s *stream) alike(t *task) (list []*task) {
	kinds := t.traits.Recorded()
	for _, o := range s.tasks {
		if slices.ContainsFunc(o.traits.Recorded(), func(k op.Kind) bool { return slices.Contains(kinds, k) }) {
			list = append(list, o)
		}
	}
	return list
}

// joins reports whether the task can work on a changing data set.
func (t *task) joins() bool {
	tr := &t.traits
	return !tr.Existing && tr.Names() == 0 && (tr.AnyObject || tr.Picks || tr.AddsObjects || tr.MaxDeletes > 0)
}

// expected returns the outcomes of the task's operations, each once.
func (t *task) expected() []int {
	list := slices.Concat(t.OK, t.traits.Outcomes)
	if t.traits.If.Any() {
		list = append(list, work.ConditionStatuses...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// load returns the load of the task in the plan, on a store with limits.
func (t *task) load(limits s3.Limits) work.Load {
	return work.Load{
		Threads:  t.Concurrency,
		Timed:    t.Timed,
		Limited:  t.limited() || t.Bytes > 0,
		Warmup:   t.Warmup,
		Duration: t.Duration,
		MaxLate:  t.MaxLate,
		Limits:   limits,
	}
}

// taskIndex returns the index of a task of Stream.Tasks: companions of earlier tasks come before it.
func taskIndex(s *stream, number int) int {
	return slices.IndexFunc(s.tasks, func(t *task) bool { return t.number == number })
}

// Compiled is a plan with its workloads. It is valid for one run, since workloads have state. Only the plan's Target and Room may change
// afterwards.
type Compiled struct {
	*Plan
	streams []*stream // in the order of their phases
	tasks   []*task   // of all streams, in their order
	sets    []*setPlan
}

// stream is a Stream with its tasks.
type stream struct {
	*Stream
	phase int
	seed  uint64
	tasks []*task // one, or Stream.Tasks; each is followed by its companions

	weights []work.Share // of the tasks with turns of their own, which come first
}

// setPlan is a data set of the plan.
type setPlan struct {
	spec    generator.Spec
	seed    uint64
	threads int    // the most of any stream that works on it
	objects uint64 // that are uploaded in the preparation
	names   uint64 // see Layout; 0: each object has a name of its own
	extra   int    // additional buckets, at most

	namedExtra bool   // these are the data set's own buckets
	makes      bool   // its objects are the run's own
	name       string // in Plan.Sets; empty: it belongs to a single task
	step       bool   // steps prepare, verify or delete it
	later      bool   // a step prepares it, so not before the first phase
	taken      bool   // objects are taken out
	locks      bool   // its versions may be locked by the run
	keep       bool   // its objects stay in the bucket
	rewrite    bool   // tasks give objects other contents

	changes   bool // streams add or take out objects, and all can work on it meanwhile
	inventory bool // it has an inventory: since it changes, or a workload needs one
}
