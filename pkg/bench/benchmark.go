package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/load"
	"warp/pkg/units"
)

const (
	// grace is how long operations in flight may go on when the time of a benchmark is over.
	grace = time.Minute
	// interruptGrace is how long they may go on when the run is interrupted.
	interruptGrace = 10 * time.Second
	// longPause is from when on the pauses of a thread after operations that no server answered are worth a warning.
	longPause = 100 * time.Millisecond
	// checkEvery is how often automatic termination looks at the throughput.
	checkEvery = time.Second
)

// streamRun is a stream of a phase under way.
type streamRun struct {
	*stream
	workers []*Worker
	load    load.Options
	done    atomic.Uint64 // turns
	stats   load.Stats
	err     error
}

// benchmark performs one phase: all its streams at the same time.
func (r *Run) benchmark(ctx context.Context, phase int, start time.Time) error {
	if start.IsZero() {
		start = clock.Now()
	}
	abort, release := abortAfter(ctx)
	defer release()
	streams, err := r.streamRuns(phase, load.Options{Start: start, Share: r.share, Grace: grace, Abort: abort})
	if err != nil {
		return err
	}
	ph := &r.plan.Phases[phase]
	r.env.Observer.Stage(Stage{Name: StageBenchmark, Workload: ph.Title(), Duration: ph.Length(), Start: start, Live: r.live, Done: func() (n uint64) {
		for _, s := range streams {
			n += s.done.Load()
		}
		return n
	}})
	running, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.watch(running, stop, ph.Autoterm) // plans have it only where there is one stream
	}()
	var wg sync.WaitGroup
	for _, s := range streams {
		wg.Go(func() {
			if s.err = s.run(running); s.err != nil {
				stop() // a fault: the others need not go on
			}
		})
	}
	wg.Wait()
	stop()
	<-watched
	r.result.Interrupted = ctx.Err() != nil
	var errs []error
	for _, s := range streams {
		r.remark(s)
		if s.err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.Workload, s.err))
		}
	}
	if r.capacity.full.Load() {
		r.warn("ended before its time: the %s that the store has room for were used up", units.Size(r.capacity.limit))
	}
	return errors.Join(errs...)
}

// streamRuns makes the streams of a phase ready, each with workers of its own.
func (r *Run) streamRuns(phase int, common load.Options) (list []*streamRun, err error) {
	slot := 0
	for i, s := range r.plan.streams {
		if s.phase != phase {
			continue
		}
		o := common
		o.Concurrency, o.Duration = s.Concurrency, s.Duration
		if s.Rate > 0 {
			if o.Schedule, err = load.Rate(s.Rate * float64(o.Share.Total)); err != nil {
				return nil, err
			}
		}
		list = append(list, &streamRun{stream: s, load: o, workers: r.workers(s.Concurrency, slot, r.views[i], s.Name, &s.traits)})
		slot += s.Concurrency * s.traits.lanes()
	}
	return list, nil
}

// run performs the turns of a stream.
func (s *streamRun) run(ctx context.Context) (err error) {
	do := s.workload.Do
	s.stats, err = load.Run(ctx, s.load, func(ctx context.Context, t load.Turn) error {
		w := s.workers[t.Worker]
		err := w.turn(ctx, t, do)
		s.done.Add(1)
		switch {
		case errors.Is(err, load.ErrDone), isFault(err):
			return err
		case w.unanswered:
			return load.ErrUnreachable
		}
		return nil // the run goes on: what failed is recorded
	})
	return err
}

// remark takes the connections of a stream, and turns what was noticed into warnings.
func (r *Run) remark(s *streamRun) {
	warn := func(format string, args ...any) {
		if len(r.plan.streams) > 1 {
			format, args = "%s: "+format, append([]any{s.Name}, args...)
		}
		r.warn(format, args...)
	}
	var plainRanges uint64
	for _, w := range s.workers {
		for _, lane := range w.lanes {
			r.result.Connections.Add(lane.conns.Connections)
			plainRanges += lane.conns.plainRanges
		}
	}
	if plainRanges > 0 {
		warn("%d ranges came with status 200 instead of 206; Content-Range and length were right", plainRanges)
	}
	if s.stats.Unsent > 0 {
		warn("the rate was not sustained: %d operations that were due were never sent, because all threads were busy; use more --concurrent or a lower --rps-limit", s.stats.Unsent)
	}
	if s.stats.Late > 0 {
		warn("%d of %d operations started more than 1 ms after they were due; their latency counts from when they were due", s.stats.Late, s.stats.Done)
	}
	if s.stats.Paused >= longPause {
		warn("no server answered for a while: threads waited between their attempts, for up to %v each", s.stats.Paused.Round(100*time.Millisecond))
	}
	if s.stats.Cut > 0 {
		warn("%d operations were still running when the time to finish was over; they were cut off and count as errors", s.stats.Cut)
	}
	if w, ok := s.workload.(Warner); ok {
		for _, text := range w.Warnings() {
			warn("%s", text)
		}
	}
}

// watch reports a recording that fails, and stops the load when its throughput is stable.
func (r *Run) watch(ctx context.Context, stop context.CancelFunc, a *Autoterm) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	var settled <-chan struct{}
	if s, ok := r.env.Group.(Settler); ok {
		settled = s.Settled()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-settled:
			r.result.Stable = true
			stop()
			return
		case err, ok := <-r.collector.Errs():
			if ok {
				r.env.Observer.Notice(fmt.Sprintf("Recording fails, the benchmark goes on without it: %v", err))
			}
			continue
		case <-tick.C:
		}
		if a == nil {
			continue
		}
		if stable, rate, bytes := r.live.Stable(a.MinDuration, a.Percent); stable {
			r.result.Stable = true
			r.env.Observer.Notice(a.Notice("", rate, bytes))
			stop()
			return
		}
	}
}

// abortAfter gives a channel that is closed when ctx has been cancelled for interruptGrace, unless release was called before.
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
