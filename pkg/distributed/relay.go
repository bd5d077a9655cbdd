package distributed

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/observe"
)

// stageReport is the stage in which a client computes its figures and hands them over.
const stageReport = "report"

// maxNotices is how many notices of a run are passed on to the coordinator; a person could not read more.
const maxNotices = 100

// relay tells the coordinator how the run goes on. It is the bench.Observer of the run.
type relay struct {
	job   *job
	start *start
	pulse pulse
	rec   *recorder
	self  *observe.Observer
	wg    sync.WaitGroup
	end   chan struct{}
	work  atomic.Uint64 // operations that were read again for the report, and pieces of it that were encoded and sent

	parting *Clock // this machine's, when all was measured; nil: not known
	correct correction

	mu       sync.Mutex
	stage    bench.Stage
	points   pointer
	notices  int
	measured *bench.Result
	summary  *observe.Summary
	handErr  error
}

func newRelay(j *job, st *start) *relay {
	r := &relay{job: j, start: st, end: make(chan struct{}), self: observe.Start(observe.Options{}), correct: newCorrection(st.Clock, nil)}
	r.wg.Go(r.loop)
	return r
}

// close ends the live messages.
func (r *relay) close() {
	close(r.end)
	r.self.Stop()
	r.wg.Wait()
}

func (r *relay) loop() {
	tick := time.NewTicker(r.job.client.opts.timing.report)
	defer tick.Stop()
	for {
		select {
		case <-r.end:
			return
		case <-tick.C:
			r.tell()
		}
	}
}

// tell sends a live message.
func (r *relay) tell() {
	now := clock.Now()
	l := live{count: r.progress()}
	r.mu.Lock()
	s := r.stage
	if s.Name == bench.StageBenchmark && r.start.Points {
		l.Points = r.points.upTo(s, now)
	}
	r.mu.Unlock()
	r.pulse.take(&l)
	if l.First != 0 {
		l.First -= int64(r.job.offset)
	}
	r.job.session.post(msgLive, l)
}

// progress is how far the run has come.
func (r *relay) progress() count {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := count{At: r.job.there(clock.Now())}
	if s := r.stage; s.Name != "" {
		k.Stage, k.Done, k.Total = s.Name, s.Done(), s.Total
	}
	return k
}

// Stage tells that a stage begins.
func (r *relay) Stage(s bench.Stage) {
	r.mu.Lock()
	r.stage, r.points = s, pointer{}
	r.mu.Unlock()
	r.tell()
}

// Notice passes on what a person should know. It never waits: a benchmark is going on.
func (r *relay) Notice(text string) {
	r.mu.Lock()
	r.notices++
	n := r.notices
	r.mu.Unlock()
	r.job.client.opts.Logf("%s", text)
	if n <= maxNotices {
		r.job.session.try(msgNotice, notice{peerText(text[:min(len(text), 2<<10)])})
	}
}

// report computes this client's figures, and hands them over.
func (r *relay) report(res *bench.Result) {
	r.self.Stop()
	r.Stage(bench.Stage{Name: stageReport, Start: clock.Now(), Done: r.work.Load})
	r.mu.Lock()
	r.measured = res
	r.mu.Unlock()
	err := r.askClock(context.Background())
	r.rec.finish(r.ownEnd())
	if err == nil {
		err = r.handOver(context.Background())
	}
	r.mu.Lock()
	r.handErr = err
	r.mu.Unlock()
	if err != nil {
		r.job.client.opts.Logf("The results could not be handed over: %v. They are in %s.", err, r.rec.left())
	}
}

// askClock tells the coordinator that all is measured, and learns how this machine's clock has gone meanwhile.
func (r *relay) askClock(ctx context.Context) error {
	answer := r.job.expect(msgParting)
	defer r.job.forget(msgParting)
	if err := r.job.session.send(ctx, msgMeasured, struct{}{}); err != nil {
		return err
	}
	var p parting
	if err := r.job.await(ctx, answer, &p); err != nil {
		return err
	}
	r.parting, r.correct = p.Clock, newCorrection(r.start.Clock, p.Clock)
	return nil
}
