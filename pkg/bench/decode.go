package bench

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"warp/internal/option"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// defaultExtraBuckets is the default number of extra buckets.
const defaultExtraBuckets = 100

// extraOf returns the number of extra buckets that a data set has for a task.
func extraOf(t *task, spec generator.Spec) int {
	switch {
	case t.traits.Extra == nil:
		return 0
	case t.traits.Extra.Named:
		return max(1, spec.Buckets)
	case t.traits.Extra.Buckets > 0:
		return t.traits.Extra.Buckets
	case spec.Buckets > 1:
		return spec.Buckets
	}
	return defaultExtraBuckets
}

// Copies reports whether a plan makes the server copy anything.
func Copies(p *Plan) bool {
	c, err := Decode(p)
	return err == nil && slices.ContainsFunc(KindsOf(c, ""), op.Kind.Copies)
}

// markSteps marks the data sets of steps.
func (c *Compiled) markSteps() {
	for i := range c.Phases {
		for k := range c.Phases[i].Steps {
			s := &c.Phases[i].Steps[k]
			if set := namedSet(c, s.set()); set != nil && set.name != "" {
				set.step, set.later = true, set.later || s.Prepare != ""
			}
		}
	}
}

// settleSets decides which data sets change while streams work on them, and which need an inventory.
func (c *Compiled) settleSets() {
	for _, set := range c.sets {
		changes, joins := set.step, set.name != "" && !c.SharedData
		for _, t := range c.tasks {
			if t.set == set {
				changes = changes || t.traits.AddsObjects || t.traits.MaxDeletes > 0 || t.traits.Rewrites
				joins = joins && t.joins()
				set.taken = set.taken || t.traits.MaxDeletes > 0
				set.inventory = set.inventory || t.traits.NeedsOf != nil
			}
		}
		if set.changes = changes && joins; !set.changes {
			continue
		}
		set.inventory = true
		for _, t := range c.tasks {
			if p, ok := t.workload.(interface{ OnChangingSet() }); ok && t.set == set {
				p.OnChangingSet()
			}
		}
	}
}

// tasksOf returns a stream of one workload for each task; s itself without tasks.
func tasksOf(s *Stream) ([]Stream, error) {
	if len(s.Tasks) == 0 {
		return []Stream{*s}, nil
	}
	switch {
	case s.Workload != "" || s.Set != "" || s.Params != nil || s.Retry != nil:
		return nil, fmt.Errorf("stream %q: it has tasks and a workload of its own; want one of the two", s.Name)
	case len(s.Tasks) > maxTasks:
		return nil, fmt.Errorf("stream %q: %d tasks (want at most %d)", s.Name, len(s.Tasks), maxTasks)
	}
	if err := s.Tasks.checkThen(); err != nil {
		return nil, fmt.Errorf("stream %q: %w", s.Name, err)
	}
	for k, weight := range s.Tasks.own().weights() {
		if weight.Check() != nil {
			return nil, errorInTask(s, k, fmt.Errorf("invalid weight %v (want more than 0, at most 1e9)", float64(weight)))
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

// objectsOf returns a data set with the sizes and names that the task needs. If a mix has a template of keys, its companions have their
// objects below their own names, since the template is the mix's.
func objectsOf(t *task, spec generator.Spec) generator.Spec {
	if size := t.traits.Size; size > 0 {
		spec.Sizes = generator.Sizes{Min: size, Max: size}
	}
	if t.traits.Suffix != "" {
		spec.Suffix = t.traits.Suffix
	}
	spec.Named = t.traits.Named
	if t.companion != "" && spec.Keys != "" {
		spec.Prefix, spec.Keys = spec.Prefix+"/"+t.companion, spec.Keys+spec.Suffix
	}
	return spec
}

// checkWeights returns an error for invalid weights, and for tasks without turns.
func (s *stream) checkWeights() error {
	switch {
	case len(s.weights) == 1, slices.Contains(s.weights, 0): // the mix has its own error for that
		return nil
	case slices.ContainsFunc(s.weights, func(w work.Share) bool { return w.Check() != nil }):
		return fmt.Errorf("stream %q: invalid weights %v", s.Name, s.weights)
	case len(s.tasks) > maxTasks:
		return fmt.Errorf("stream %q: %d tasks, including tasks of mixes (want at most %d)", s.Name, len(s.tasks), maxTasks)
	case s.proportions(0).Least() == 0:
		rarest := s.tasks[slices.Index(s.weights, slices.Min(s.weights))]
		return rarest.fault(fmt.Errorf("it has less than %v%% of the turns; raise its weight, or leave it out", 100/float64(work.MaxSlots)))
	}
	return nil
}

// maxCount is the maximum number of times that a task follows another in a turn.
const maxCount = 1000

// checkThen returns an error for tasks that cannot follow others as stated.
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

// Decode decodes the workloads of a plan without changing the plan. It does not check whether the plan can be run.
func Decode(p *Plan) (*Compiled, error) {
	own := *p
	c, err := own.decode()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// decode returns as much as it can decode, even with an error.
func (p *Plan) decode() (*Compiled, error) {
	c := &Compiled{Plan: p}
	if len(p.Phases) == 0 {
		return c, errors.New("the plan has no phase")
	}
	named := map[string]*setPlan{}
	var errs []error
	for i := range p.Phases {
		ph := &p.Phases[i]
		if n := len(c.streams) + 1 + len(ph.Parallel) + len(p.Phases) - i - 1; n > MaxPhases {
			return c, fmt.Errorf("the plan has %d phases (want at most %d)", n, MaxPhases)
		}
		for _, s := range ph.Streams() {
			errs = append(errs, c.add(i, s, named))
		}
	}
	c.markSteps()
	c.settleSets()
	return c, errors.Join(errs...)
}

// add adds a stream.
func (c *Compiled) add(phase int, st *Stream, named map[string]*setPlan) error {
	s := &stream{Stream: st, phase: phase, seed: c.Seed}
	if n := len(c.streams); n > 0 {
		s.seed = generator.Mix(c.Seed, 1<<63+uint64(n))
	}
	list, err := tasksOf(st)
	if err != nil {
		return errors.Join(errorsInStream(st.Name, err)...)
	}
	var errs []error
	for k := range list {
		if err := s.addTasks(c, &list[k], k, named); err != nil {
			errs = append(errs, errorInTask(st, k, err))
		}
	}
	if len(errs) == 0 {
		errs = errorsInStream(st.Name, s.checkWeights(), s.label())
	}
	c.streams = append(c.streams, s)
	return errors.Join(errs...)
}

// addTask adds a task of a stream, or its companion.
func (c *Compiled) addTask(s *stream, st *Stream, k int, companion string, named map[string]*setPlan) error {
	w, err := work.Decode(st.Workload, st.Params)
	if err != nil {
		return err
	}
	t := &task{Stream: st, of: s, number: k, workload: w, traits: w.Traits(), seed: s.seed, companion: companion}
	if n := len(s.tasks); n > 0 {
		t.seed = generator.Mix(s.seed, 1<<61+uint64(n))
	}
	spec, ok := c.Data, true
	if st.Set != "" {
		t.set = named[st.Set]
		spec, ok = c.Sets[st.Set]
	}
	if t.set == nil {
		t.set = &setPlan{
			spec: objectsOf(t, spec),
			seed: dataset.SeedOf(spec, t.seed, len(c.sets)),
			keep: c.KeepData || st.Set != "" && slices.Contains(c.KeepSets, st.Set),
		}
		c.sets = append(c.sets, t.set)
		if t.set.name = st.Set; st.Set != "" {
			named[st.Set], t.set.seed = t.set, dataset.SeedOf(spec, generator.Mix(generator.Mix(c.Seed, 1<<62), dataset.Hash(st.Set)), 0)
		}
	}
	c.Target.Buckets = max(c.Target.Buckets, t.set.spec.Buckets)
	if size := c.Target.Uploads.PartSize; size > 0 && t.set.spec.Sizes.Largest() > size {
		t.traits.PutInParts()
	}
	t.set.threads = max(t.set.threads, st.Concurrency)
	t.set.objects, t.set.extra = max(t.set.objects, t.traits.Uploads()), max(t.set.extra, extraOf(t, t.set.spec))
	t.set.namedExtra = t.set.namedExtra || t.traits.Extra != nil && t.traits.Extra.Named
	t.set.names = t.traits.Names()
	c.Target.OtherBuckets = c.Target.OtherBuckets || t.traits.Extra != nil
	t.set.locks = t.set.locks || t.traits.Locks
	t.set.makes = t.set.makes || !t.traits.Existing
	t.set.rewrite = t.set.rewrite || t.traits.Rewrites
	s.tasks, c.tasks = append(s.tasks, t), append(c.tasks, t)
	if !ok {
		return fmt.Errorf("stream %q: the plan has no data set %q", st.Name, st.Set)
	}
	return nil
}
