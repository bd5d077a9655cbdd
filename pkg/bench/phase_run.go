package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/pkg/aggregate/live"
)

// phaseRun is a phase being measured: all its streams at the same time.
type phaseRun struct {
	*Phase
	index         int
	ended         <-chan struct{} // closed when it must end early
	env           *Env
	streams       []*streamRun
	live          *live.State
	recordingErrs <-chan error
	stable        bool // a stable throughput stopped it
	cut           bool // it was ended early

	title   string  // instead of the streams' title, for a trial
	backlog float64 // with more turns due and unfinished the phase is aborted; 0: no limit
	aborted bool
}

// perform runs the streams to their end.
func (ph *phaseRun) perform(ctx context.Context) error {
	ph.env.Observer.Stage(Stage{
		Name:     StageBenchmark,
		Phase:    ph.index,
		Streams:  ph.Names(),
		Workload: cmp.Or(ph.title, ph.Title()),
		Warmup:   ph.LongestWarmup(),
		Duration: ph.Measured(),
		Total:    ph.total(),
		Start:    ph.streams[0].load.Start,
		Live:     ph.live,
		Done:     ph.turns,
	})
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
				stop() // a fault ends the others too
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

// total returns the number of turns to perform; 0 if unknown.
func (ph *phaseRun) total() (n uint64) {
	for _, s := range ph.streams {
		if s.until.turns == 0 && !s.until.noPart {
			return 0
		}
		n += s.until.turns
	}
	return n
}

// turns returns the number of turns so far.
func (ph *phaseRun) turns() (n uint64) {
	for _, s := range ph.streams {
		n += s.done.Load()
	}
	return n
}

// watch reports a recording that fails, and whether throughput became stable before ctx was over.
func (ph *phaseRun) watch(ctx context.Context) (stable bool) {
	tick, look := time.NewTicker(checkEvery), time.NewTicker(backlogInterval)
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
		a := ph.Autoterm // only in plans of a single stream
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
