package bench

import (
	"context"
	"errors"
	"fmt"
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
	// stablePoints is into how many points the run so far is cut for that, and stableLast how many of the last must agree.
	stablePoints, stableLast = 25, 7
)

// benchmark performs one phase.
func (r *Run) benchmark(ctx context.Context, ph *phase, set *DataSet, start time.Time) error {
	abort, release := abortAfter(ctx)
	defer release()
	o := load.Options{
		Concurrency: ph.Concurrency, Start: start, Duration: ph.Duration, Share: r.share,
		Grace: grace, Abort: abort,
	}
	if ph.Rate > 0 {
		schedule, err := load.Rate(ph.Rate * float64(o.Share.Total))
		if err != nil {
			return err
		}
		o.Schedule = schedule
	}
	if start.IsZero() {
		o.Start = clock.Now()
	}
	var done atomic.Uint64
	r.env.Observer.Stage(Stage{
		Name: StageBenchmark, Workload: ph.Workload, Duration: ph.Duration, Start: o.Start,
		Done: done.Load, Live: r.live,
	})

	workers := r.workers(ph.Concurrency, 0, set, ph.Name, &ph.traits)
	do := ph.workload.Do
	running, stop := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.watch(running, stop, ph.Autoterm)
	}()
	stats, err := load.Run(running, o, func(ctx context.Context, t load.Turn) error {
		w := workers[t.Worker]
		err := w.turn(ctx, t, do)
		done.Add(1)
		switch {
		case errors.Is(err, load.ErrDone), isFault(err):
			return err
		case w.unanswered:
			return load.ErrUnreachable
		}
		return nil // the run goes on: what failed is recorded
	})
	stop()
	<-watched
	r.result.Interrupted = ctx.Err() != nil
	var plainRanges uint64
	for _, w := range workers {
		for _, lane := range w.lanes {
			r.result.Connections.add(lane.conns.Connections)
			plainRanges += lane.conns.plainRanges
		}
	}
	if plainRanges > 0 {
		r.warn("%d ranges came with status 200 instead of 206; Content-Range and length were right", plainRanges)
	}
	r.remark(stats, ph.workload)
	return err
}

// remark turns what the load and the workload noticed into warnings.
func (r *Run) remark(stats load.Stats, wl Workload) {
	if stats.Unsent > 0 {
		r.warn("the rate was not sustained: %d operations that were due were never sent, because all threads were busy; use more --concurrent or a lower --rps-limit", stats.Unsent)
	}
	if stats.Late > 0 {
		r.warn("%d of %d operations started more than 1 ms after they were due; their latency counts from when they were due", stats.Late, stats.Done)
	}
	if stats.Paused >= longPause {
		r.warn("no server answered for a while: threads waited between their attempts, for up to %v each", stats.Paused.Round(100*time.Millisecond))
	}
	if stats.Cut > 0 {
		r.warn("%d operations were still running when the time to finish was over; they were cut off and count as errors", stats.Cut)
	}
	if r.capacity.full.Load() {
		r.warn("ended before its time: the %s that the store has room for were used up", units.Size(r.capacity.limit))
	}
	if w, ok := wl.(Warner); ok {
		r.result.Warnings = append(r.result.Warnings, w.Warnings()...)
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
		if stable, rate, bytes := r.live.Stable(stablePoints, stableLast, a.MinDuration, a.Percent); stable {
			r.result.Stable = true
			r.env.Observer.Notice(stableNotice(a, rate, bytes))
			stop()
			return
		}
	}
}

func stableNotice(a *Autoterm, rate float64, bytes bool) string {
	speed := fmt.Sprintf("%.2f obj/s", rate)
	if bytes {
		speed = units.Throughput(rate)
	}
	return fmt.Sprintf("Throughput %s is stable: within %g%% for %v or longer. Ending the benchmark.", speed, a.Percent, a.MinDuration)
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
