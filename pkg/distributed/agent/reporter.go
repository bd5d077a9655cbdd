package agent

import (
	"context"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
)

// reporter tells the coordinator how the run goes. It is the bench.Observer of the run.
type reporter struct {
	job      *job
	start    *protocol.Start
	figures  liveFigures
	counts   *countSender // nil: the coordinator shows none
	windows  *windows
	observer *observe.Observer
	wg       sync.WaitGroup
	end      chan struct{}

	mu      sync.Mutex
	stage   bench.Stage
	points  rateSampler
	notices int
}

func newReporter(j *job, st *protocol.Start, w *windows) *reporter {
	r := &reporter{
		job:      j,
		start:    st,
		windows:  w,
		observer: observe.Start(observe.Options{}),
		end:      make(chan struct{}),
	}
	if st.Counts {
		r.counts = &countSender{job: j, sent: make(map[countKey]int64)}
		r.wg.Go(r.sendCounts)
	}
	r.wg.Go(r.loop)
	return r
}

// close ends the live messages.
func (r *reporter) close() {
	close(r.end)
	r.observer.Stop()
	r.wg.Wait()
}

func (r *reporter) loop() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.wg.Go(func() {
		defer cancel()
		<-r.end
	})
	tick := time.NewTicker(r.job.opts.Timing.LiveInterval)
	defer tick.Stop()
	for {
		select {
		case <-r.end:
			return
		case <-tick.C:
			r.sendLive()
			_ = r.windows.send(ctx, clock.Now(), false) // the session is over, or the run
		}
	}
}

// sendCounts sends counts at each full second of the coordinator.
func (r *reporter) sendCounts() {
	timer := time.NewTimer(r.counts.nextSecond())
	defer timer.Stop()
	for {
		select {
		case <-r.end:
			return
		case <-timer.C:
			r.counts.trySend()
			timer.Reset(r.counts.nextSecond())
		}
	}
}

// sendLive sends a live message.
func (r *reporter) sendLive() {
	now := clock.Now()
	l := protocol.Live{Count: r.progress()}
	r.mu.Lock()
	s := r.stage
	if s.Name == bench.StageBenchmark && r.start.Points {
		l.Rates = r.points.upTo(s, now)
	}
	r.mu.Unlock()
	r.figures.take(&l)
	if l.First != 0 {
		l.First -= r.job.offset.Load()
	}
	r.job.session.Post(protocol.MsgLive, l)
}

// progress is how far the run has come.
func (r *reporter) progress() protocol.Count {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := protocol.Count{At: r.job.toCoordinator(clock.Now())}
	if s := r.stage; s.Name != "" {
		k.Stage, k.Done, k.Total = s.Name, s.Done(), s.Total
	}
	return k
}

// Stage begins a stage.
func (r *reporter) Stage(s bench.Stage) {
	r.mu.Lock()
	r.stage, r.points = s, rateSampler{}
	r.mu.Unlock()
	r.figures.begin(s)
	if r.counts != nil {
		r.counts.follow(s.Live)
	}
	r.job.opts.Watcher.Stage(s)
	r.sendLive()
}

// Notice forwards a message for the user. It never waits: a benchmark is going on.
func (r *reporter) Notice(text string) {
	r.mu.Lock()
	r.notices++
	n := r.notices
	r.mu.Unlock()
	r.job.opts.Logf("%s", text)
	r.job.opts.Watcher.Notice(text)
	if n <= protocol.MaxNotices {
		_, _ = r.job.session.TrySend(protocol.MsgNotice, protocol.Notice{Text: transport.PeerText(text[:min(len(text), 2<<10)])})
	}
}

// finish begins the report, whose progress done counts, and sends what has not been sent of the measurement.
func (r *reporter) finish(ctx context.Context, done func() uint64) error {
	r.observer.Stop()
	r.Stage(bench.Stage{Name: protocol.StageReport, Start: clock.Now(), Done: done})
	err := r.windows.send(ctx, clock.Now(), true)
	if err == nil && r.counts != nil {
		r.counts.finish(ctx)
	}
	return err
}
