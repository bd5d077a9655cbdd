package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/load"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
	"warp/pkg/units"
)

// stepRun is a step in progress.
type stepRun struct {
	*Step
	*Run
	of          *task            // the first that works on the data set; nil for a wait
	set         *dataset.DataSet // likewise
	slots       []slot
	total, done atomic.Uint64
}

// performSteps performs a phase of steps.
func performSteps(ctx context.Context, r *Run, i int) error {
	ph := &r.plan.Phases[i]
	list := stepsOf(r, ph, r.slots)
	sum := func(of func(*stepRun) uint64) (n uint64) {
		for _, s := range list {
			n += of(s)
		}
		return n
	}
	r.env.Observer.Stage(Stage{
		Name: StageBenchmark, Phase: i, Step: true, Streams: ph.Names(), Workload: ph.Title(), Duration: ph.Length(), Start: clock.Now(),
		Total: sum(func(s *stepRun) uint64 { return s.total.Load() }), Done: func() uint64 { return sum((*stepRun).progress) },
	})
	start := clock.Now()
	cut, err := performInParallel(ctx, r, i, list)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	warnCut(r, ph, cut, start)
	return nil
}

// stepsOf returns the steps of a phase. Each has its part of the slots.
func stepsOf(r *Run, ph *Phase, slots []slot) (list []*stepRun) {
	rest := restOfThreads(ph.Steps, len(slots))
	for k := range ph.Steps {
		threads := cmp.Or(ph.Steps[k].Threads, rest)
		s := &stepRun{Step: &ph.Steps[k], Run: r, slots: slots[:threads]}
		slots = slots[threads:]
		if set := namedSet(r.plan, s.Step.set()); set != nil {
			s.of = r.plan.tasks[slices.IndexFunc(r.plan.tasks, func(t *task) bool { return t.set == set })]
			s.set = r.sets[slices.Index(r.plan.sets, set)]
		}
		s.total.Store(s.size())
		list = append(list, s)
	}
	return list
}

// performInParallel performs steps in parallel until all have ended, one fails, or the phase is ended early (cut).
func performInParallel(ctx context.Context, r *Run, phase int, list []*stepRun) (cut bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := watchPhaseEnd(ctx, r, phase, stop)
	errs := make(chan error)
	for _, s := range list {
		go func() { errs <- work.Guard(func() error { return s.perform(ctx) }) }()
	}
	var all []error
	for range list {
		err := <-errs
		if all = append(all, err); err != nil {
			stop()
		}
	}
	stop()
	return <-ended, errors.Join(all...)
}

// startSteps performs the steps of a phase in parallel with its streams, in the slots that they leave. It returns a function that waits
// for the end of all steps. A failing step calls stop, which ends the streams.
func startSteps(ctx context.Context, r *Run, phase int, slots []slot, stop func()) (wait func() error) {
	list := stepsOf(r, &r.plan.Phases[phase], slots)
	if len(list) == 0 {
		return func() error { return nil }
	}
	done := make(chan error, 1)
	go func() {
		_, err := performInParallel(ctx, r, phase, list)
		if err != nil {
			stop()
		}
		done <- err
	}()
	return func() error { return <-done }
}

// restOfThreads returns the number of threads for each step without a stated number.
func restOfThreads(steps []Step, threads int) int {
	silent := 0
	for i := range steps {
		if threads -= steps[i].Threads; steps[i].Threads == 0 {
			silent++
		}
	}
	return max(1, threads/max(1, silent))
}

// size returns the number of objects of the step.
func (s *stepRun) size() uint64 {
	switch {
	case s.Prepare != "":
		return s.missing()
	case s.set != nil:
		return s.set.Existing()
	}
	return 0
}

// missing returns the number of objects that a step must upload.
func (s *stepRun) missing() uint64 {
	if !uses(s.plan, s.of.set, s.share) {
		return 0
	}
	want, there := s.of.set.objects, s.set.Existing()
	return want - min(want, there)
}

// progress returns the number of objects done.
func (s *stepRun) progress() uint64 {
	return s.done.Load()
}

// perform performs the step.
func (s *stepRun) perform(ctx context.Context) error {
	switch {
	case s.Wait > 0:
		clock.Pause(ctx, s.Wait)
		return nil
	case len(s.Exec) > 0:
		return s.env.Exec(ctx, s.Step)
	case s.Prepare != "":
		return s.prepare(ctx)
	case s.Clean != "":
		return s.clean(ctx)
	}
	return s.verify(ctx)
}

// prepare uploads what is missing.
func (s *stepRun) prepare(ctx context.Context) error {
	n := s.missing()
	if err := s.capacity.Check(n, estimateSet(s.Run, slices.Index(s.plan.sets, s.of.set), n).Stored); err != nil || n == 0 {
		return err
	}
	threads, put := len(s.slots), newUploader()
	if size := s.of.traits.PartSize; size > 0 {
		threads, put = 1, newPartUploader(size, len(s.slots))
	}
	workers := s.uploaders(threads, s.set, put)
	if err := s.each(ctx, len(workers), n, func(ctx context.Context, t load.Turn) error {
		defer s.done.Add(1)
		return put.upload(ctx, workers[t.Worker], t, s.set.New(), n)
	}); err != nil || ctx.Err() != nil {
		return err
	}
	for k, t := range s.plan.tasks { // see provide
		if p, ok := t.workload.(work.Examiner); ok && t.set == s.of.set {
			if err := p.Examine(ctx, s.unmeasured(0), s.views[k], s.plan.Target.Bucket); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do n times.
func (s *stepRun) each(ctx context.Context, threads int, n uint64, do load.Do) error {
	if n == 0 {
		return nil
	}
	abort, release := abortAfter(ctx)
	defer release()
	_, err := load.Run(ctx, load.Options{Executor: s.stepExecutor(), Concurrency: threads, Turns: n, Grace: grace, Abort: abort}, do)
	return err
}

// clean deletes all objects.
func (s *stepRun) clean(ctx context.Context) error {
	used, removed := s.set.Used(), uint64(0)
	for _, b := range s.buckets {
		hosts := make([]noting, len(s.slots))
		rm := newRemover(b.bucket, len(s.slots), func(thread int) s3.Session {
			hosts[thread].Session = unmeasuredAt(s.slots[thread].session, s.plan.Target, b.number)
			return &hosts[thread]
		}, nil)
		err := s.each(ctx, len(s.slots), (used+ops.MaxEntries-1)/ops.MaxEntries, func(ctx context.Context, t load.Turn) error {
			ids, began := s.set.Batch(t.N*ops.MaxEntries, min((t.N+1)*ops.MaxEntries, used), b.number), clock.Now()
			left := rm.delete(ctx, rm.sessions[t.Worker], leftObject, ids)
			deleted := slices.DeleteFunc(ids, func(id ops.ObjectID) bool { return slices.Contains(left, id) })
			s.recordDeletions(t.Worker, b, hosts[t.Worker].host, began, deleted)
			s.done.Store(removed + rm.removed[leftObject].Load())
			return nil
		})
		if err != nil || ctx.Err() != nil {
			return err
		}
		if err := rm.failure(s.set.Keys.Root()); err != nil {
			return fmt.Errorf("%s: %w", s.Step, err)
		}
		removed += rm.removed[leftObject].Load()
	}
	s.set.MarkAllDeleted()
	return nil
}

// noting is a session that remembers the host of its last request.
type noting struct {
	s3.Session
	host string
}

// Do performs a request.
func (n *noting) Do(ctx context.Context, c *s3.Call) error {
	err := n.Session.Do(ctx, c)
	n.host = c.Host
	return err
}

// recordDeletions records objects deleted at a host, so that "warp verify" does not look for them.
func (s *stepRun) recordDeletions(thread int, in *claims, host string, began time.Time, ids []ops.ObjectID) {
	slot, ended, bucket := &s.slots[thread], clock.Now(), ""
	if len(s.buckets) > 1 {
		bucket = in.bucket.Name()
	}
	for _, id := range ids {
		slot.records.Add(&op.Op{
			Kind: op.Delete, Phase: op.PhasePrepare, Client: s.env.Client, Thread: slot.number,
			Endpoint: host, Bucket: bucket, Key: id.Key, Objects: 1, Start: began, End: ended,
		})
	}
}

// maxNamedProblems is the maximum number of wrong objects that a step names; the error at its end counts all.
const maxNamedProblems = 20

// verify compares objects with their uploads.
func (s *stepRun) verify(ctx context.Context) error {
	named := 0
	v := &Verification{Sample: 1, Found: func(p Problem) {
		if named++; named <= maxNamedProblems {
			s.env.Observer.Notice(fmt.Sprintf("%s: %q is %s %s", s.Step, p.Key, p.Kind, p.Detail))
		}
	}}
	u := &uploaded{Layout: s.set.Layout}
	u.setContents(s.plan, s.of.set)
	v.sets = []*uploaded{u}
	if s.Sample > 0 {
		v.Sample = s.Sample
	}
	readers := make([]reader, len(s.slots))
	for i := range readers {
		readers[i] = reader{session: s.unmeasuredIn(s.slots[i])}
	}
	err := s.each(ctx, len(readers), s.set.Existing(), func(ctx context.Context, t load.Turn) error {
		c := cursor{i: s.set.ExistingAt(t.N), n: t.N, must: true}
		if v.sampled(&c) {
			v.compare(ctx, &readers[t.Worker], t.Worker, &c)
		}
		s.done.Add(1)
		return nil
	})
	if err != nil || ctx.Err() != nil {
		return err
	}
	if n := v.result.Problems(); n > 0 {
		const text = "%s: %s not as uploaded: %d missing, %d wrong, %d unreadable"
		return fmt.Errorf(text, s.Step, units.Plural(int64(n), "object"), v.result.Missing, v.result.Wrong, v.result.Unreadable)
	}
	return nil
}
