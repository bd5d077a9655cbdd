// Package bench performs benchmarks: a Plan says what is to be measured, Run does it. Package load schedules the turns, and
// package workload has what a turn does.
package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
)

// Prepare checks that the store can do what the plan needs, and uploads the data sets. If it fails, it removes what it made. Cancelling
// ctx, here and in Measure, ends the run early, with a grace period for operations in flight.
func Prepare(ctx context.Context, plan *Compiled, env Env) (*Run, error) {
	r, err := newRun(plan, env)
	if err != nil {
		return nil, errors.Join(err, closeAll(env.Sinks))
	}
	watched, done := r.watched(ctx)
	defer done()
	if err := work.Guard(func() error { return r.preflight(watched) }); err != nil {
		if errors.As(err, new(*CleanupError)) {
			r.collector.Begin() // as below
		}
		return nil, r.storeGone(errors.Join(interrupted(watched, err), r.collector.Close()))
	}
	if !r.plan.readsOnly() {
		r.collector.Begin() // if the run is killed from here on, "warp clean" needs the recording
	}
	err = work.Guard(func() error { return r.provide(watched) })
	if err != nil {
		_, err = r.env.Group.Barrier(watched, StageBenchmark, err)
		return nil, r.Cleanup(ctx, errors.Join(err, r.collector.Close()))
	}
	return r, nil
}

// Measure performs the phases and closes the sinks. Failed operations are recorded; they are not errors of the run.
func (r *Run) Measure(ctx context.Context) (*Result, error) {
	ctx, done := r.watched(ctx)
	defer done()
	err := work.Guard(func() error { return r.phases(ctx) })
	r.noteContents()
	r.result.Connections.TLS, r.result.Connections.Methods = r.env.Store.Negotiated(), r.env.Store.Sent()
	r.result.Connections.Sessions = r.env.Store.Directory()
	if r.storeEnded() {
		r.warn("%v", ErrStoreGone)
	}
	err = errors.Join(err, r.collector.Close())
	if n, waited := r.collector.Stalls(); n > 0 {
		const text = "workers waited %d times, %v in all, for the recording to be written: " +
			"the disk or the processor of this machine slowed the load down"
		r.warn(text, n, waited.Round(time.Millisecond))
	}
	return &r.result, err
}

// noteContents notes how far the contents of this client's uploads compress and repeat.
func (r *Run) noteContents() {
	for i, set := range r.sets {
		p := r.plan.sets[i]
		if !p.makes || p.spec.Plain() {
			continue
		}
		s := sampleContents(set, contentsOf(r.plan, p, set.Layout))
		if s.Bytes == 0 {
			continue
		}
		if s.Set = r.plan.sets[i].name; s.Set == "" && len(r.sets) > 1 {
			s.Set = fmt.Sprintf("data set %d", i+1)
		}
		r.result.Contents = append(r.result.Contents, s)
	}
}

// Cleanup removes what the run made, however it ended, and even if ctx is cancelled. err is the error of the run so far, which the other
// clients get too. The result joins err with the errors of the clean-up.
func (r *Run) Cleanup(ctx context.Context, err error) error {
	ctx, done := r.watched(context.WithoutCancel(ctx))
	defer done()
	for _, t := range r.plan.tasks { // of incomplete phases
		if w, ok := t.workload.(traced); ok {
			w.Close()
		}
	}
	_, err = r.env.Group.Barrier(ctx, StageCleanup, err)
	if !r.storeEnded() && !r.plan.readsOnly() && !r.plan.onlyBuckets() {
		err = errors.Join(err, work.Guard(func() error { return cleanBuckets(ctx, r) }))
	}
	return r.storeGone(err)
}

func newRun(plan *Compiled, env Env) (*Run, error) {
	if env.Group == nil {
		env.Group = Local{}
	}
	if env.Exec == nil && RunsPrograms(plan.Plan) {
		return nil, ErrExec
	}
	if env.Observer == nil {
		env.Observer = silent{}
	}
	statistics := aggregate.Options{AllTime: AllTime(plan.Plan), Pauses: Pauses(plan.Plan), Order: Order(plan.Plan)}
	r := &Run{plan: plan, env: env, recorder: recorder{live: live.New(statistics), counts: new(trialCounts)}}
	r.share = env.Group.Share()
	r.share.Total = max(1, r.share.Total)
	r.capacity.Limit = plan.Room
	if err := plan.fits(r.share); err != nil {
		return nil, err
	}
	r.result = Result{Engine: env.Store.Engine(), Live: r.live, Warnings: slices.Clone(env.Warnings)}
	threads := plan.Connections()
	if err := CheckThreads(threads, len(env.Store.Hosts())); err != nil {
		return nil, err
	}
	if err := r.makeSets(); err != nil {
		return nil, err
	}
	for i := range threads {
		r.slots = append(r.slots, slot{number: uint32(i), session: env.Store.Session(i)})
	}
	sinks := append(env.Sinks[:len(env.Sinks):len(env.Sinks)], r.live)
	if slices.ContainsFunc(plan.Phases, func(ph Phase) bool { return ph.Search != nil }) {
		sinks = append(sinks, r.counts)
	}
	r.collector = op.NewCollector(sinks...)
	for i := range r.slots {
		r.slots[i].records = r.collector.Worker()
	}
	makeClaims(r, threads)
	return r, nil
}

// phases performs all phases. An interrupt after a measured phase is not an error, nor is the end of the run by other clients.
func (r *Run) phases(ctx context.Context) error {
	measured, err := r.eachPhase(ctx)
	interrupted := errors.Is(err, errCut) || errors.Is(err, ErrInterrupted)
	if measured && (ctx.Err() != nil && interrupted || errors.Is(err, ErrCancelled)) {
		r.result.Interrupted, err = true, nil
	}
	return err
}

// eachPhase performs the phases one after another, and reports whether one measured something.
func (r *Run) eachPhase(ctx context.Context) (measured bool, err error) {
	for i := range r.plan.Phases {
		var interrupt error
		switch {
		case ctx.Err() != nil && measured:
			interrupt = errCut
		case ctx.Err() != nil:
			interrupt = ErrInterrupted
		}
		start, err := r.env.Group.Barrier(ctx, StageBenchmark, interrupt)
		if err != nil {
			return measured, err
		}
		if i == 0 && start.IsZero() {
			start = r.start()
		}
		switch ph := &r.plan.Phases[i]; {
		case !ph.Measures():
			err = performSteps(ctx, r, i)
		case ph.Search != nil:
			measured, err = true, performSearch(ctx, r, i, start)
		default:
			measured, err = true, r.benchmark(ctx, i, start)
		}
		if err != nil {
			return measured, err
		}
		if ctx.Err() == nil {
			r.result.finish(i, measured)
		}
	}
	return measured, nil
}

// benchmark performs one phase.
func (r *Run) benchmark(ctx context.Context, i int, start time.Time) error {
	if start.IsZero() {
		start = clock.Now()
	}
	abort, release := abortAfter(ctx)
	defer release()
	ph := &phaseRun{Phase: &r.plan.Phases[i], index: i, ended: endedOf(r, i), env: &r.env, live: r.live, recordingErrs: r.collector.Errs()}
	common := r.loadOptions(start, abort)
	slots := r.slots
	for _, s := range r.plan.phaseStreams(i) {
		var here bool
		if common.Share, here = partOf(s.Stream, r.share); !here {
			continue
		}
		if s.Timed {
			common.Share = dataset.SoleClient // its trace is this client's part
		}
		s, err := withRate(r, s)
		if err != nil {
			return err
		}
		o, err := loadOf(s, common)
		if err != nil {
			return err
		}
		ph.streams = append(ph.streams, r.streamRun(s, o, slots))
		slots = slots[s.Concurrency*s.lanes():]
	}
	streams, stop := context.WithCancel(ctx)
	defer stop()
	steps := startSteps(streams, r, i, slots, stop)
	if len(ph.streams) == 0 {
		reportSkipped(r, i)
		return steps()
	}
	r.result.NoObjects = append(r.result.NoObjects, missingObjects(ph.streams)...)
	endRates := r.env.Rates.begin(ph.streams)
	err := ph.perform(streams)
	endRates()
	if err != nil {
		stop()
	}
	err = errors.Join(err, steps())
	r.result.Interrupted, r.result.Stable = ctx.Err() != nil, r.result.Stable || ph.stable
	warnCut(r, ph.Phase, ph.cut, start)
	for _, s := range ph.streams {
		r.note(s)
	}
	return err
}

// note adds an ended stream to the result.
func (r *Run) note(s *streamRun) {
	noteRate(r, s.Name, perSecond(s.stats.Done-min(s.stats.Done, s.failed.Load()), s.stats.Sending))
	name := resultName(r.plan, s.stream)
	prefix := name
	if name != "" {
		prefix += ": "
	}
	for _, text := range s.warnings() {
		r.warn("%s%s", prefix, text)
	}
	noteWarmup(r, s, name)
	for _, text := range s.notes() {
		r.result.Notes = append(r.result.Notes, prefix+text)
	}
	for _, t := range s.tasks {
		if w, ok := t.workload.(traced); ok {
			done := w.Replayed(s.stats.Done + s.stats.Unsent)
			done.Stream = name
			r.result.Replays = append(r.result.Replays, done)
			w.Close()
		}
	}
	r.result.Connections.Add(s.connections())
	if st, ok := s.scheduled(); ok {
		r.result.Schedules = append(r.result.Schedules, st)
	}
}

// streamRun returns a stream ready to be measured.
func (r *Run) streamRun(s *stream, o load.Options, slots []slot) *streamRun {
	sr := &streamRun{stream: s, own: len(s.weights), stopFull: r.plan.StopFull, global: global(r.plan, s), load: o}
	seed := s.seed
	if !sr.global {
		seed = generator.Mix(seed, r.share.Index)
	}
	if sr.own > 1 {
		sr.order = s.proportions(seed)
	}
	for _, t := range s.tasks {
		view := r.views[slices.Index(r.plan.tasks, t)]
		if t.set.inventory {
			r.access(t, view)
		}
		view.Begin(o.Start)
		options := r.workerOptions(view, s.Name)
		options.Conditions, options.Outcomes, options.Label, options.Retry = t.traits.If, t.expected(), t.label, t.Retry
		workers := r.workers(s.Concurrency, slots, s.lanes(), &t.traits, options)
		sr.tasks = append(sr.tasks, &taskRun{task: t, do: t.workload.Do, workers: workers})
	}
	link(sr)
	sr.until = s.until(sr.tasks[0].workers[0].Set, o.Share, sr.global)
	sr.load.Turns = sr.until.turns
	return sr
}

// start returns the start of the first phase, and warns if that is later than --syncstart.
func (r *Run) start() time.Time {
	now := clock.Now()
	if by := now.Sub(r.env.StartAt).Round(100 * time.Millisecond); !r.env.StartAt.IsZero() && by > 0 {
		text := TooLate(by)
		r.warn("%s", text)
		r.env.Observer.Notice("Warning: " + text)
	}
	if r.env.StartAt.After(now) {
		return r.env.StartAt
	}
	return now
}

// TooLate returns the warning for a benchmark that begins after the time of --syncstart.
func TooLate(by time.Duration) string {
	return fmt.Sprintf("measuring began %v after the time that --syncstart asked for, because the preparation took so long", by)
}

// reportSkipped shows a phase without a part for this client.
func reportSkipped(r *Run, i int) {
	ph := &r.plan.Phases[i]
	r.env.Observer.Stage(Stage{
		Name:     StageBenchmark,
		Phase:    i,
		Streams:  ph.Names(),
		Workload: ph.Title(),
		Start:    clock.Now(),
		Done:     func() uint64 { return 0 },
	})
}
