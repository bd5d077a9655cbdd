package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/runinfo"
)

// reporter reports the run to the coordinator. It is the bench.Observer of the run.
type reporter struct {
	job        *job
	start      *protocol.Start
	counters   liveCounters
	counts     *countSender // nil: the coordinator shows none
	windows    *windows
	rec        *recorder
	observer   *observe.Observer
	wg         sync.WaitGroup
	end        chan struct{}
	progressed atomic.Uint64 // operations read again for the report, and parts of it that were encoded and sent

	endClock   *runinfo.Clock // this machine's, after the measurement; nil: not known
	correction protocol.Correction
	until      time.Time // only operations that began before are handed over; zero: all

	mu          sync.Mutex
	stage       bench.Stage
	points      rateSampler
	notices     int
	measured    *bench.Result
	failed      error // why it measured only a part of the benchmark
	summary     *observe.Summary
	handoverErr error
}

func newReporter(j *job, st *protocol.Start, w *windows) *reporter {
	r := &reporter{job: j, start: st, windows: w, end: make(chan struct{}), observer: observe.Start(observe.Options{}), correction: protocol.NewCorrection(st.Clock, nil)}
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
	tick := time.NewTicker(r.job.agent.opts.Timing.LiveInterval)
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
			r.counts.offer()
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
	r.counters.take(&l)
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
	if len(s.Streams) > 0 {
		r.counters.begin(s.Streams)
	}
	if r.counts != nil {
		r.counts.follow(s.Live)
	}
	r.job.agent.opts.Watcher.Stage(s)
	r.sendLive()
}

// Notice forwards a message for the user. It never waits: a benchmark is going on.
func (r *reporter) Notice(text string) {
	r.mu.Lock()
	r.notices++
	n := r.notices
	r.mu.Unlock()
	r.job.agent.opts.Logf("%s", text)
	r.job.agent.opts.Watcher.Notice(text)
	if n <= protocol.MaxNotices {
		_, _ = r.job.session.TrySend(protocol.MsgNotice, protocol.Notice{Text: transport.PeerText(text[:min(len(text), 2<<10)])})
	}
}

// report computes this client's statistics, and hands them over. failed is the error that ended the benchmark, if one did.
func (r *reporter) report(res *bench.Result, failed error) {
	r.observer.Stop()
	r.Stage(bench.Stage{Name: protocol.StageReport, Start: clock.Now(), Done: r.progressed.Load})
	r.mu.Lock()
	r.measured, r.failed = res, failed
	r.mu.Unlock()
	err := r.windows.send(context.Background(), clock.Now(), true)
	if err == nil && r.counts != nil {
		r.counts.finish(context.Background())
	}
	if err == nil {
		err = r.exchangeClock(context.Background())
	}
	r.rec.finish(r.ownEnd())
	if err == nil {
		err = r.handOver(context.Background())
	}
	r.mu.Lock()
	r.handoverErr = err
	r.mu.Unlock()
	if err != nil {
		r.job.agent.opts.Logf("Cannot hand over the results: %v. They are in %s.", err, r.rec.location())
	}
}

// exchangeClock reports the end of the measurement, and receives the offset of this machine's clock at that time.
func (r *reporter) exchangeClock(ctx context.Context) error {
	clock := r.job.expect(protocol.MsgEndClock)
	defer r.job.forget(protocol.MsgEndClock)
	if err := r.job.session.Send(ctx, protocol.MsgMeasured, struct{}{}); err != nil {
		return err
	}
	var p protocol.EndClock
	if err := r.job.await(ctx, clock, &p); err != nil {
		return err
	}
	r.endClock, r.correction = p.Clock, protocol.NewCorrection(r.start.Clock, p.Clock)
	return nil
}

// runEnd is how the benchmark went on this client.
func (r *reporter) runEnd() protocol.RunEnd {
	r.mu.Lock()
	defer r.mu.Unlock()
	connections := r.measured.Connections
	connections.TLS = nil
	end := protocol.RunEnd{Interrupted: r.measured.Interrupted, Stable: r.measured.Stable, Warnings: transport.TextsOf(r.measured.Warnings), Notes: transport.TextsOf(r.measured.Notes), Connections: connections, TLS: transport.TextsOf(r.measured.Connections.TLS), Engine: transport.PeerText(r.measured.Engine), Client: r.summary}
	for _, s := range r.measured.Schedules {
		end.Schedules = append(end.Schedules, protocol.Schedule{Stream: transport.PeerText(s.Stream), ScheduleStats: s})
	}
	for _, s := range r.measured.Contents {
		end.Contents = append(end.Contents, protocol.Contents{Set: transport.PeerText(s.Set), ContentStats: s})
	}
	for _, r := range r.measured.Replays {
		end.Replays = append(end.Replays, protocol.Replay{Stream: transport.PeerText(r.Stream), Replayed: r})
	}
	return end
}

// ownEnd is the end of the recording. An unfinished measurement is marked as interrupted.
func (r *reporter) ownEnd() *runinfo.End {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.measured == nil {
		return &runinfo.End{Interrupted: true, Client: r.observer.Samples()}
	}
	end := runinfo.EndOf(r.measured, r.observer.Samples(), nil)
	end.Interrupted = end.Interrupted || r.failed != nil
	end.Engine, end.ClockEnd = r.measured.Engine, r.endClock
	return end
}

// cutReason is why the recording has only a part of the benchmark; empty: it has all of it.
func (r *reporter) cutReason(recorded int64) transport.PeerText {
	r.mu.Lock()
	why, interrupted := []error{r.failed}, r.measured.Interrupted
	r.mu.Unlock()
	if stopped := r.job.stoppedBy(); interrupted && stopped != nil && stopped != errStopped {
		why = append(why, stopped)
	}
	if seen := r.rec.seen(); recorded < seen {
		why = append(why, fmt.Errorf("recorded %d of %d operations: %w", recorded, seen, r.rec.failed))
	}
	if err := errors.Join(why...); err != nil {
		return protocol.Short(err)
	}
	return ""
}

// warn adds a warning to the result of this client.
func (r *reporter) warn(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.measured.Warnings = append(r.measured.Warnings, fmt.Sprintf(format, args...))
}

// summarize sums up the client itself over the time of the benchmark.
func (r *reporter) summarize(s *aggregate.Snapshot) {
	from, to := s.Benchmark()
	if to.IsZero() {
		return
	}
	here := func(t time.Time) time.Time { return t.Add(r.correction.Offset) } // samples are of a second: its drift does not matter
	if sum := r.observer.Summary(here(from), here(to)); sum.Samples > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.summary = &sum
	}
}
