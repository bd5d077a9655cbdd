package bench

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"warp/internal/clock"
	"warp/pkg/bench/dataset"
	"warp/pkg/bench/work"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/load/loop"
	"warp/pkg/s3"
)

// scheduled returns the statistics of the stream's schedule; ok is false in a closed loop.
func (s *streamRun) scheduled() (_ ScheduleStats, ok bool) {
	if s.load.Schedule == nil {
		return ScheduleStats{}, false
	}
	st := &s.stats
	return ScheduleStats{
		Stream:    s.Name,
		Duration:  st.Sending,
		Planned:   st.Planned,
		Due:       st.Done + st.Unsent,
		Sent:      st.Done,
		Late:      st.Late,
		Unsent:    st.Unsent,
		Own:       st.Own,
		Busy:      st.Busy,
		UnsentOwn: st.UnsentOwn,
		Most:      st.Most,
	}, true
}

// backlog returns the number of turns due and unfinished.
func (s *streamRun) backlog() float64 {
	if s.load.Schedule == nil {
		return 0
	}
	due := s.load.Share.Of(load.Turns(s.load.Schedule, clock.Now().Sub(s.load.Start)))
	return float64(due) - float64(s.done.Load()+s.warmed.Load())
}

// taskRun is a task being measured.
type taskRun struct {
	*task
	do        func(context.Context, *work.Worker) error
	workers   []*work.Worker // of each thread
	followers []*taskRun
	count     uint64 // turns so far, if it follows another task
}

// link gives each task its followers.
func link(s *streamRun) {
	for k := range s.Tasks {
		if n := &s.Tasks[k]; n.After > 0 {
			next := s.tasks[taskIndex(s.stream, k)]
			next.count = max(1, uint64(n.Count))
			for _, w := range next.workers {
				w.FollowSame(n.Same)
			}
			first := s.tasks[taskIndex(s.stream, n.After-1)]
			first.followers = append(first.followers, next)
		}
	}
}

// performFollowers performs the operations that follow one in the same turn.
func performFollowers(ctx context.Context, s *streamRun, first *work.Worker, task *taskRun, t load.Turn) error {
	for _, next := range task.followers {
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

// followOnce performs one operation after another, which holds an object.
func followOnce(ctx context.Context, s *streamRun, w *work.Worker, task *taskRun, t load.Turn, first *work.Worker) error {
	w.Begin(t)
	defer w.Release()
	if !w.UseSame(first) && w.Set.Changes() && !w.Acquire(task.traits.Need(t.N), t.N) {
		s.skipped.Add(1)
		return nil
	}
	return w.Perform(ctx, t, task.do)
}

// streamRun is a stream being measured.
type streamRun struct {
	*stream
	stopFull bool   // see Plan.StopFull
	settled  string // note about a stable throughput that ended it
	global   bool   // turns are numbered over all clients; see the function
	tasks    []*taskRun
	own      int              // tasks with turns of their own; the others follow them
	order    work.Proportions // of tasks, if several have turns of their own
	load     load.Options
	until    until
	first    uint64          // number of its first turn
	done     atomic.Uint64   // turns
	warmed   atomic.Uint64   // turns of the warm-up
	failed   atomic.Uint64   // turns with a failed operation
	full     atomic.Bool     // the store is full, which ends the stream
	replaced atomic.Uint64   // turns that uploaded an object for lack of one
	empty    atomic.Bool     // it ended because no object was left
	noRoom   atomic.Bool     // it ended because an upload did not fit into the store
	skipped  atomic.Uint64   // followers without an object
	over     <-chan struct{} // closed when sending stops
	moved    atomic.Int64    // bytes
	stats    load.Stats
	err      error
}

// loadOf completes the common options of a phase's streams.
func loadOf(s *stream, common load.Options) (o load.Options, err error) {
	o = common
	o.Concurrency, o.Threads, o.Duration, o.MaxLate = s.Concurrency, s.Threads, s.Duration, s.MaxLate
	o.Warmup, o.Think, o.Seed = s.Warmup, s.Think, generator.Mix(s.seed, dataset.StreamThink)
	if o.Schedule, err = scheduleOf(s, o.Share.Total); s.Timed {
		s.tasks[0].workload.(Timed).SendWithin(o.MaxLate)
		o.MaxLate = 0
	}
	if o.Schedule == nil && !o.Realtime {
		o.Executor = load.Goroutines // a closed loop gains nothing from loops
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
			stop() // turns may wait for others, which may never begin
			return err
		case errors.Is(err, load.ErrDone):
			if errors.Is(err, dataset.ErrNoRoom) {
				s.noRoom.Store(true)
				stop() // turns may wait for this one
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

// count counts a turn after its end.
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

// sending returns a context that ends when sending stops, at the latest, and must be released. Until then, others can rely on the stream's
// uploads.
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

// filling tells the data sets which the stream fills that it begins, or has ended.
func (s *streamRun) filling(by int) {
	for k, t := range s.tasks {
		first := !slices.ContainsFunc(s.tasks[:k], func(o *taskRun) bool { return o.set == t.set })
		if first && s.addsTo(t.set) {
			t.workers[0].Set.Fill(by)
		}
	}
}

// chooseTask returns the task of a turn of the stream, and turns the turn into the task's.
func (s *streamRun) chooseTask(t *load.Turn) *taskRun {
	k := 0
	if s.own > 1 {
		k, t.N = s.order.Of(t.N)
	}
	return s.tasks[k]
}

// perform performs a turn.
func (s *streamRun) perform(ctx context.Context, t load.Turn) (*work.Worker, error) {
	task := s.chooseTask(&t)
	if w := task.workers[t.Worker]; w.Set.Changes() && !w.Acquire(task.traits.Need(t.N), t.N) {
		if task = s.supply(ctx, task, &t); task == nil {
			return w, load.ErrDone
		}
	}
	w := task.workers[t.Worker]
	defer w.Release()
	err := w.Perform(ctx, t, task.do)
	if err == nil && len(task.followers) > 0 {
		err = performFollowers(ctx, s, w, task, t)
	}
	return w, err
}

// supply is called if there is no object for a turn. If a task of the stream can upload one instead, it returns that task, with a turn that
// holds nothing. Otherwise it waits until another stream has uploaded an object, and returns nil if that does not happen.
func (s *streamRun) supply(ctx context.Context, task *taskRun, t *load.Turn) *taskRun {
	for _, other := range s.tasks[:s.own] {
		if other.set == task.set && other.traits.AddsObjects {
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
		over := false
		loop.Block(ctx, func(context.Context) {
			select {
			case <-changed:
			case <-s.over:
				over = true
			}
		})
		if over {
			return nil
		}
		if !t.Due.IsZero() {
			t.Ready = clock.Now() // it waited for the object to exist
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

// connections returns the connections of the stream after its end.
func (s *streamRun) connections() (c work.Connections) {
	s.eachLane(func(w *work.Worker) { c.Add(w.Connections()) })
	return c
}

// endWith sets the channel that is closed when sending stops, so that turns of many operations end.
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
