package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// Task is one of several workloads of a stream, which take turns in proportion to their weights. Each has its own
// order of access, by the number of its turns.
type Task struct {
	Name     string          `json:"name,omitempty"`     // label of its kinds of operations, as in GET:RANGES; empty: none, unless another task has the same kind
	Weight   float64         `json:"weight,omitempty"`   // 0: 1
	Set      string          `json:"data_set,omitempty"` // name of its data set; empty: one of its own
	Workload string          `json:"workload"`           // name in the registry
	Params   json.RawMessage `json:"params,omitempty"`   // of the workload
	OK       []int           `json:"ok,omitempty"`       // statuses that are outcomes, beside those of the stream
	Retry    *work.Retry     `json:"retry,omitempty"`    // of its operations; nil: each has one attempt

	// A task may have no turns of its own: it follows each successful operation of another one, in the same turn.
	After int  `json:"after,omitempty"` // number of that task, from 1; 0: none
	Same  bool `json:"same,omitempty"`  // with the object of that operation
	Count int  `json:"count,omitempty"` // so many times; 0: once
}

// Tasks is the tasks of a stream.
type Tasks []Task

// title returns the names of the workloads of a stream.
func title(s *Stream) string {
	if len(s.Tasks) == 0 {
		return s.Workload
	}
	var names []string
	for i := range s.Tasks {
		if name := s.Tasks[i].Workload; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// WithoutObjects returns the parameters of a workload for which nothing is uploaded in the preparation, because others fill its data set.
func WithoutObjects(workload string, params json.RawMessage) (json.RawMessage, error) {
	return changed(workload, params, func(w work.Workload) {
		if p, ok := w.(interface{ PrepareNone() }); ok {
			p.PrepareNone()
		}
	})
}

// Overwriting returns the parameters of an upload that overwrites the objects with which others fill its data set.
func Overwriting(workload string, params json.RawMessage) (json.RawMessage, error) {
	return changed(workload, params, func(w work.Workload) {
		if o, ok := w.(interface{ OverwriteOthers() }); ok {
			o.OverwriteOthers()
		}
	})
}

// changed returns the parameters of a workload after a change.
func changed(workload string, params json.RawMessage, change func(work.Workload)) (json.RawMessage, error) {
	w, err := work.Decode(workload, params)
	if err != nil {
		return nil, err
	}
	change(w)
	return json.Marshal(w)
}

// weights returns the weights of tasks; a stream without tasks is one.
func (t Tasks) weights() (list []work.Share) {
	for i := range max(1, len(t)) {
		weight := 1.0
		if i < len(t) && t[i].Weight != 0 {
			weight = t[i].Weight
		}
		list = append(list, work.Share(weight))
	}
	return list
}

// tasksOf returns a stream of one workload for each task; s itself if it has none.
func tasksOf(s *Stream) ([]Stream, error) {
	if len(s.Tasks) == 0 {
		return []Stream{*s}, nil
	}
	switch {
	case s.Workload != "" || s.Set != "" || s.Params != nil || s.Retry != nil:
		return nil, fmt.Errorf("stream %q: it has tasks and a workload of its own; want one of the two", s.Name)
	case len(s.Tasks) > MaxTasks:
		return nil, fmt.Errorf("stream %q: %d tasks (want at most %d)", s.Name, len(s.Tasks), MaxTasks)
	}
	if err := s.Tasks.checkThen(); err != nil {
		return nil, fmt.Errorf("stream %q: %w", s.Name, err)
	}
	for k, weight := range s.Tasks.own().weights() {
		if weight.Check() != nil {
			return nil, inTask(s, k, fmt.Errorf("invalid weight %v (want more than 0, at most 1e9)", float64(weight)))
		}
	}
	list := make([]Stream, len(s.Tasks))
	for k := range list {
		t := &s.Tasks[k]
		list[k] = *s
		list[k].Tasks, list[k].Set, list[k].Workload, list[k].Params = nil, t.Set, t.Workload, t.Params
		list[k].OK, list[k].Retry = slices.Concat(s.OK, t.OK), t.Retry
	}
	return list, nil
}

// addTasks adds a task of a stream, and its companions if it has turns of its own.
func (s *stream) addTasks(c *Compiled, st *Stream, k int, named map[string]*setPlan) error {
	weights := s.Tasks.own().weights()
	if err := c.addTask(s, st, k, "", named); err != nil || k >= len(weights) {
		return err
	}
	weight := weights[k]
	own, others := work.Share(1), []work.Companion(nil)
	if m, ok := s.tasks[len(s.tasks)-1].workload.(work.Mixer); ok {
		own, others = m.Companions()
	}
	sum := own
	for i := range others {
		sum += others[i].Weight
	}
	s.weights = append(s.weights, weight*own/max(sum, math.SmallestNonzeroFloat64))
	for i := range others {
		o := *st
		o.Set, o.Workload, o.Params = "", others[i].Workload, others[i].Params
		if err := c.addTask(s, &o, k, others[i].Name, named); err != nil {
			return err
		}
		s.weights = append(s.weights, weight*others[i].Weight/sum)
	}
	return nil
}

// objectsOf returns a data set with the sizes and names that the task needs. Companions of a mix with a template of keys have
// their objects below their names, since the template itself is that of the mix.
func objectsOf(t *task, spec generator.Spec) generator.Spec {
	if z, ok := t.workload.(work.Sizer); ok && z.ObjectSize() > 0 {
		spec.Sizes = generator.Sizes{Min: z.ObjectSize(), Max: z.ObjectSize()}
	}
	if n, ok := t.workload.(work.Namer); ok {
		spec.Suffix = n.KeySuffix()
	}
	spec.Named = t.traits.Named
	if t.companion != "" && spec.Keys != "" {
		spec.Prefix, spec.Keys = spec.Prefix+"/"+t.companion, spec.Keys+spec.Suffix
	}
	return spec
}

// checkWeights returns an error for tasks that have no turns.
func (s *stream) checkWeights() error {
	switch {
	case len(s.weights) == 1, slices.Contains(s.weights, 0): // which is an error of a mix
		return nil
	case slices.ContainsFunc(s.weights, func(w work.Share) bool { return w.Check() != nil }):
		return fmt.Errorf("stream %q: invalid weights %v", s.Name, s.weights)
	case len(s.tasks) > MaxTasks:
		return fmt.Errorf("stream %q: %d tasks with those of mixes (want at most %d)", s.Name, len(s.tasks), MaxTasks)
	case s.proportions(0).Least() == 0:
		return fmt.Errorf("stream %q: a task has less than %v %% of the turns; raise its weight, or leave it out", s.Name, 100/float64(work.MaxSlots))
	}
	return nil
}

// proportions returns the task of each turn.
func (s *stream) proportions(seed uint64) work.Proportions {
	return work.NewProportionsOf(generator.Mix(seed, dataset.StreamTasks), work.Slots(s.weights), s.weights)
}

// TaskError is what is wrong with a task of a stream.
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

// inTask returns an error as one about a task, if the stream has tasks.
func inTask(s *Stream, k int, err error) error {
	if known := (*TaskError)(nil); len(s.Tasks) == 0 || errors.As(err, &known) {
		return err
	}
	return &TaskError{Stream: s.Name, Task: k, Workload: s.Tasks[k].Workload, Err: err}
}

// task is what a stream does in some of its turns, or in all.
type task struct {
	*Stream  // as if this were all that it does
	of       *stream
	number   int // of Stream.Tasks
	workload work.Workload
	traits   work.Traits
	seed     uint64 // of its order of access
	set      *setPlan
	label    string // of its kinds of operations; see Worker.kind

	companion string // name, if it is one of the task before; see Mixer
}

// fault returns an error as one about the task, which its text names if its stream has others; nil stays nil.
func (t *task) fault(err error) error {
	if err == nil {
		return nil
	}
	return t.partError(inTask(t.of.Stream, t.number, err))
}

// partError returns an error whose text names the task already as one about it.
func (t *task) partError(err error) error {
	return &PartError{Step: -1, Stream: t.of.Name, Task: t.number, Err: err}
}

// both names two tasks.
func both(one, two *task) string {
	if one.of != two.of {
		return fmt.Sprintf("streams %q and %q", one.Name, two.Name)
	}
	if one.number == two.number {
		return fmt.Sprintf("%s and %s of a mix", one.Workload, two.Workload)
	}
	return fmt.Sprintf("tasks %d and %d of stream %q (%s and %s)", one.number+1, two.number+1, one.Name, one.Workload, two.Workload)
}

// lanes returns the maximum number of parallel operations of a turn.
func (s *stream) lanes() (most int) {
	for _, t := range s.tasks {
		most = max(most, t.traits.LaneCount())
	}
	return most
}

// changes reports whether the stream adds objects to a data set, or takes some out.
func (s *stream) changes(set *setPlan) bool {
	return set.inventory && slices.ContainsFunc(s.tasks, func(t *task) bool {
		return t.set == set && (t.traits.Fills || t.traits.Takes > 0)
	})
}

// addsTo reports whether the stream adds objects to a data set.
func (s *stream) addsTo(set *setPlan) bool {
	return set.inventory && slices.ContainsFunc(s.tasks, func(t *task) bool { return t.set == set && t.traits.Fills })
}

// label gives labels to the tasks that have names, and to those that record the same kind: the names of their data sets
// if these differ, else their numbers. Companions have their names behind that.
func (s *stream) label() error {
	companion := func(t *task) bool { return t.companion != "" }
	for _, t := range s.tasks {
		if len(s.Tasks) > 0 && !companion(t) {
			t.label = s.Tasks[t.number].Name
		}
	}
	for _, t := range s.tasks {
		if same := slices.DeleteFunc(s.alike(t), companion); t.label == "" && !companion(t) && len(same) > 1 {
			t.label = fmt.Sprint(t.number + 1)
			if sets := labelOf(t.Set); sets != "" && !slices.ContainsFunc(same, func(o *task) bool { return o != t && strings.EqualFold(labelOf(o.Set), sets) }) {
				t.label = sets
			}
		}
	}
	mix := ""
	for _, t := range s.tasks {
		switch {
		case !companion(t):
			mix = t.label
		case mix != "":
			t.label = labelOf(mix + "-" + t.companion)
		case len(s.alike(t)) > 1:
			t.label = labelOf(t.companion)
		}
	}
	for _, t := range s.tasks {
		if t.label != "" && labelOf(t.label) != t.label {
			return t.fault(fmt.Errorf("invalid name %q (want at most %d letters, digits and dashes)", t.label, maxLabel))
		}
		for _, o := range s.alike(t) {
			if o != t && strings.EqualFold(o.label, t.label) {
				return t.fault(fmt.Errorf("the name %q is that of another task, which records the same kind of operation", t.label))
			}
		}
	}
	return nil
}

// alike returns the tasks that record a kind of operation that t records.
func (s *stream) alike(t *task) (list []*task) {
	kinds := t.traits.Recorded()
	for _, o := range s.tasks {
		if slices.ContainsFunc(o.traits.Recorded(), func(k op.Kind) bool { return slices.Contains(kinds, k) }) {
			list = append(list, o)
		}
	}
	return list
}

// maxLabel is the maximum length of a label.
const maxLabel = 32

// labelOf returns a text as a label: letters, digits and dashes.
func labelOf(text string) string {
	text = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' {
			return r
		}
		return '-'
	}, text)
	return text[:min(len(text), maxLabel)]
}

// taskRun is a task being measured.
type taskRun struct {
	*task
	do      func(context.Context, *work.Worker) error
	workers []*work.Worker // of each thread
	then    []*taskRun
	count   uint64 // of one that follows another
}

// joins reports whether the task can work on a data set that changes meanwhile.
func (s *task) joins() bool {
	t := &s.traits
	return !t.Existing && t.Names() == 0 && (t.Joins || t.Picks || t.Fills || t.Takes > 0)
}

// expected returns the statuses that are outcomes of the task's operations, each once.
func (s *task) expected() []int {
	list := slices.Concat(s.OK, s.traits.Outcomes)
	if s.traits.If.Any() {
		list = append(list, work.ConditionStatuses...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// load returns what the plan says of the load of the task.
func (s *task) load() work.Load {
	return work.Load{
		Threads:  s.Concurrency,
		Timed:    s.Timed,
		Limited:  s.limited() || s.Bytes > 0,
		Warmup:   s.Warmup,
		Duration: s.Duration,
		MaxLate:  s.MaxLate,
	}
}
