package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/s3"
	"warp/pkg/units"
)

const (
	// grace is how long operations in flight may continue after the end of a phase.
	grace = time.Minute
	// interruptGrace is the same after an interrupt.
	interruptGrace = 10 * time.Second
	// longPause is the total pause of a thread, after operations without a response, from which on a run warns of it.
	longPause = 100 * time.Millisecond
	// checkEvery is how often autoterm checks the throughput.
	checkEvery = time.Second
	// lookEvery is how often a backlog is looked at.
	lookEvery = 100 * time.Millisecond
)

// phaseRun is a phase being measured: all its streams at the same time.
type phaseRun struct {
	*Phase
	index         int
	ended         <-chan struct{} // closed when it is to end early
	env           *Env
	streams       []*streamRun
	live          *live.State
	recordingErrs <-chan error
	stable        bool // it was stopped because its throughput was
	cut           bool // it was ended early

	title   string  // in place of that of the streams, for a trial
	backlog float64 // turns that may be due and not finished, or the phase is aborted; 0: any number
	aborted bool
}

// perform runs the streams to their end.
func (ph *phaseRun) perform(ctx context.Context) error {
	ph.env.Observer.Stage(Stage{Name: StageBenchmark, Phase: ph.index, Streams: ph.Names(), Workload: cmp.Or(ph.title, ph.Title()), Warmup: ph.LongestWarmup(), Duration: ph.Measured(), Total: ph.total(), Start: ph.streams[0].load.Start, Live: ph.live, Done: ph.turns})
	ctx, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		defer stop()
		ph.stable = ph.watch(ctx)
	}()
	var wg sync.WaitGroup
	for _, s := range ph.streams {
		s.filling(1)
	}
	for _, s := range ph.streams {
		wg.Go(func() {
			if s.err = s.run(ctx); s.err != nil {
				stop() // on a fault the others end too
			}
		})
	}
	wg.Wait()
	stop()
	<-watched
	var errs []error
	for _, s := range ph.streams {
		if s.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", title(s.Stream), s.err))
		}
	}
	return errors.Join(errs...)
}

// total returns the number of turns to perform; 0: it is not known.
func (ph *phaseRun) total() (n uint64) {
	for _, s := range ph.streams {
		if s.until.turns == 0 && !s.until.noPart {
			return 0
		}
		n += s.until.turns
	}
	return n
}

// turns returns the number of turns performed so far.
func (ph *phaseRun) turns() (n uint64) {
	for _, s := range ph.streams {
		n += s.done.Load()
	}
	return n
}

// watch reports a recording that fails, and whether throughput became stable before ctx was over.
func (ph *phaseRun) watch(ctx context.Context) (stable bool) {
	tick, look := time.NewTicker(checkEvery), time.NewTicker(lookEvery)
	defer tick.Stop()
	defer look.Stop()
	var settled <-chan struct{}
	if s, ok := ph.env.Group.(Settler); ok {
		settled = s.Settled()
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-settled:
			return true
		case <-ph.ended:
			ph.cut = true
			return false
		case err, ok := <-ph.recordingErrs:
			if ok {
				ph.env.Observer.Notice(fmt.Sprintf("Recording fails, the benchmark goes on without it: %v", err))
			}
			continue
		case <-look.C:
			if ph.backlog > 0 && ph.streams[0].backlog() > ph.backlog {
				ph.aborted = true
				return false
			}
			continue
		case <-tick.C:
		}
		a := ph.Autoterm // plans have it only where there is one stream
		if a == nil {
			continue
		}
		if now, stable := ph.live.Stable(live.Stability(*a)); stable {
			ph.env.Observer.Notice(a.Notice("", &now))
			ph.streams[0].settled = a.Note(&now)
			return true
		}
	}
}

// streamRun is a stream being measured.
type streamRun struct {
	*stream
	stopFull bool   // see Plan.StopFull
	settled  string // what is noted of its throughput if that ended it
	global   bool   // its turns have the numbers of those of all clients; see the function
	tasks    []*taskRun
	own      int              // tasks that have turns of their own; the others follow these
	order    work.Proportions // of tasks, if several have turns
	load     load.Options
	until    until
	first    uint64          // number of its first turn
	done     atomic.Uint64   // turns
	warmed   atomic.Uint64   // turns of the warm-up
	failed   atomic.Uint64   // turns of which an operation failed
	full     atomic.Bool     // the store has no more room, and the plan ends the stream then
	replaced atomic.Uint64   // turns that uploaded an object because there was none
	empty    atomic.Bool     // it ended because no object was left
	noRoom   atomic.Bool     // it ended because an upload did not fit into the store
	skipped  atomic.Uint64   // operations that follow others, and found no object
	over     <-chan struct{} // is closed when sending stops
	moved    atomic.Int64    // bytes
	stats    load.Stats
	err      error
}

// loadOf completes the options that all streams of a phase have in common.
func loadOf(s *stream, common load.Options) (o load.Options, err error) {
	o = common
	o.Concurrency, o.Threads, o.Duration, o.MaxLate = s.Concurrency, s.Threads, s.Duration, s.MaxLate
	o.Warmup, o.Think, o.Seed = s.Warmup, s.Think, generator.Mix(s.seed, dataset.StreamThink)
	if o.Schedule, err = scheduleOf(s, o.Share.Total); s.Timed {
		s.tasks[0].workload.(Timed).SendWithin(o.MaxLate)
		o.MaxLate = 0
	}
	return o, err
}

// run performs the turns of a stream.
func (s *streamRun) run(ctx context.Context) (err error) {
	share := s.load.Share
	sending, end := s.sending(ctx)
	defer end()
	sending, stop := context.WithCancel(sending)
	defer stop()
	if s.until.noPart {
		return nil
	}
	endWith(s, sending.Done())
	s.stats, err = load.Run(ctx, s.load, func(ctx context.Context, t load.Turn) error {
		if s.global {
			t.N = share.Index + t.N*share.Total
		}
		t.N += s.first
		w, err := s.perform(ctx, t)
		if errors.Is(err, load.ErrUnsent) || errors.Is(err, load.ErrNoMore) {
			return err
		}
		s.count(&t, w)
		switch {
		case work.IsFault(err):
			stop() // turns that wait for others, which may never begin
			return err
		case errors.Is(err, load.ErrDone):
			if errors.Is(err, dataset.ErrNoRoom) {
				s.noRoom.Store(true)
				stop() // turns that wait for this one
			}
			return err
		case w.Unanswered():
			return load.ErrUnreachable
		case s.stopFull && s3.NoRoom(err):
			s.full.Store(true)
			stop()
			return load.ErrLast
		case s.until.bytes > 0 && !t.Warmup && s.moved.Add(w.Moved()) >= s.until.bytes:
			return load.ErrLast
		}
		return nil // failed operations are recorded, and do not end the run
	})
	return err
}

// count counts a turn that was performed.
func (s *streamRun) count(t *load.Turn, w *work.Worker) {
	switch {
	case t.Warmup:
		s.warmed.Add(1)
		return
	case w.Failed() > 0:
		s.failed.Add(1)
	}
	s.done.Add(1)
}

// sending returns a context that ends when sending stops at the latest, and must be released. While it goes on, others can count on the
// stream to upload.
func (s *streamRun) sending(ctx context.Context) (context.Context, func()) {
	cancel := context.CancelFunc(func() {})
	if s.load.Duration > 0 {
		ctx, cancel = context.WithDeadline(ctx, s.load.Start.Add(s.load.Warmup+s.load.Duration))
	}
	return ctx, func() {
		cancel()
		s.filling(-1)
	}
}

// filling tells the data sets that the stream uploads into that it begins, or has ended.
func (s *streamRun) filling(by int) {
	for k, t := range s.tasks {
		first := !slices.ContainsFunc(s.tasks[:k], func(o *taskRun) bool { return o.set == t.set })
		if first && s.addsTo(t.set) {
			t.workers[0].Set.Fill(by)
		}
	}
}

// take returns the task of a turn of the stream, and makes the turn one of this task.
func (s *streamRun) take(t *load.Turn) *taskRun {
	k := 0
	if s.own > 1 {
		k, t.N = s.order.Of(t.N)
	}
	return s.tasks[k]
}

// perform performs a turn.
func (s *streamRun) perform(ctx context.Context, t load.Turn) (*work.Worker, error) {
	task := s.take(&t)
	if w := task.workers[t.Worker]; w.Set.Changes() && !w.Acquire(task.traits.Need(t.N), t.N) {
		if task = s.supply(task, &t); task == nil {
			return w, load.ErrDone
		}
	}
	w := task.workers[t.Worker]
	defer w.Release()
	err := w.Perform(ctx, t, task.do)
	if err == nil && len(task.then) > 0 {
		err = follow(ctx, s, w, task, t)
	}
	return w, err
}

// supply is called when there is no object for a turn. It returns a task that uploads one instead, if the stream has one, whose turn holds
// nothing; else it waits until another stream has, and returns nil if that does not happen.
func (s *streamRun) supply(task *taskRun, t *load.Turn) *taskRun {
	for _, other := range s.tasks[:s.own] {
		if other.set == task.set && other.traits.Fills {
			s.replaced.Add(1)
			return other
		}
	}
	w := task.workers[t.Worker]
	for {
		changed, mayGrow := w.Set.Watch()
		switch {
		case w.Acquire(task.traits.Need(t.N), t.N):
			return task
		case !mayGrow:
			s.empty.Store(true)
			return nil
		}
		select {
		case <-changed:
			if !t.Due.IsZero() {
				t.Ready = clock.Now() // it waited for the store to have the object
			}
		case <-s.over:
			return nil
		}
	}
}

// eachLane calls do for each lane of each worker.
func (s *streamRun) eachLane(do func(*work.Worker)) {
	for _, t := range s.tasks {
		for _, w := range t.workers {
			for _, lane := range w.Lanes() {
				do(lane)
			}
		}
	}
}

// connections returns the connections that the stream made, once it has ended.
func (s *streamRun) connections() (c work.Connections) {
	s.eachLane(func(w *work.Worker) { c.Add(w.Connections()) })
	return c
}

// plainRanges returns how many ranges came as whole objects would; see s3.Call.PlainRange.
func (s *streamRun) plainRanges() (n uint64) {
	s.eachLane(func(w *work.Worker) { n += w.PlainRanges() })
	return n
}

// warnings returns what a user should know about the stream, once it has ended.
func (s *streamRun) warnings() (list []string) {
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if plainRanges := s.plainRanges(); plainRanges > 0 {
		warn("%d ranges came with status 200 instead of 206; Content-Range and length were right", plainRanges)
	}
	list = append(list, lateWarnings(s)...)
	if s.stats.Paused >= longPause {
		warn("no server responded for a while: threads paused between attempts, for up to %v each", s.stats.Paused.Round(100*time.Millisecond))
	}
	if s.stats.Cut > 0 {
		warn("%d turns were still running when the grace period ended; they were cancelled, and their operations count as errors", s.stats.Cut)
	}
	if s.noRoom.Load() {
		warn("ended early: the store is full (%s)", units.Size(s.tasks[0].workers[0].Set.Room()))
	}
	if s.full.Load() {
		warn("ended early: the store is full, and --stop-on-full is set")
	}
	list = append(list, changingWarnings(s)...)
	for _, t := range s.tasks {
		if w, ok := t.workload.(work.Warner); ok {
			list = append(list, w.Warnings()...)
		}
	}
	return list
}

// notes returns the warm-up, and what the workloads say of the stream, once it has ended.
func (s *streamRun) notes() (list []string) {
	if s.stats.Warmup > 0 {
		list = append(list, fmt.Sprintf("warm-up of %s: %s, in no figure", units.Span(s.Warmup), units.Plural(int64(s.stats.Warmup), "operation")))
	}
	if !s.Threads.IsZero() {
		list = append(list, fmt.Sprintf("threads over time: %s; averages and percentiles are those of all of this time", s.Threads))
	}
	if s.settled != "" {
		list = append(list, s.settled)
	}
	for _, t := range s.tasks {
		if n, ok := t.workload.(work.Noter); ok {
			list = append(list, n.Notes()...)
		}
	}
	return list
}

// abortAfter returns a channel that is closed interruptGrace after ctx is cancelled, unless release is called before.
func abortAfter(ctx context.Context) (abort <-chan struct{}, release func()) {
	late := make(chan struct{})
	over, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if clock.Pause(over, interruptGrace) {
			close(late)
		}
	})
	return late, func() { stop(); end() }
}

// endWith sets when sending stops, by which turns of many operations end.
func endWith(s *streamRun, over <-chan struct{}) {
	s.over = over
	for _, t := range s.tasks {
		for _, w := range t.workers {
			for _, lane := range w.Lanes() {
				lane.SetEnd(over)
			}
		}
	}
}
