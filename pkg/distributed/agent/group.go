package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/load"
)

// group is the bench.Group of a run by several clients, whose barriers are at the coordinator.
type group struct {
	job      *job
	share    load.Share
	progress func() protocol.Count // how far this client has come; may be nil
	cleanup  cleanupDelay
	barriers int // so far
	phases   int // barriers before benchmarks among them
	orphans  []uint64
}

// Orphans are the lost clients whose part of the shared data this one deletes with its own.
func (g *group) Orphans() []uint64 { return g.orphans }

// Settled is closed when the throughput of all clients together is stable in this phase.
func (g *group) Settled() <-chan struct{} { return g.job.stableEnds.Ended(g.phases - 1) }

// Ended is closed when a phase is ended by an interrupt.
func (g *group) Ended(phase int) <-chan struct{} { return g.job.cuts.Ended(phase) }

// Share is this client's part of the load.
func (g *group) Share() load.Share { return g.share }

// Once has one client make the bytes for all; the coordinator chooses it.
func (g *group) Once(ctx context.Context, key string, make func(context.Context) ([]byte, error)) ([]byte, error) {
	j := g.job
	turn, value := j.expect(protocol.MsgCreate+" "+key), j.expect(protocol.MsgValue+" "+key)
	defer j.forget(protocol.MsgCreate+" "+key, protocol.MsgValue+" "+key)
	if err := j.session.Send(ctx, protocol.MsgRunOnce, protocol.SharedValue{Key: key}); err != nil {
		return nil, err
	}
	select {
	case <-turn:
		b, err := make(ctx)
		made := protocol.SharedValue{Key: key, Bytes: b}
		if err != nil {
			made.Err = protocol.Short(err)
		}
		return b, errors.Join(err, j.session.Send(ctx, protocol.MsgCreated, made))
	case f := <-value:
		var o protocol.SharedValue
		if err := f.Open(&o); err != nil {
			return nil, err
		}
		if o.Err != "" {
			return nil, fmt.Errorf("the client that does this for all failed: %s", o.Err)
		}
		return o.Bytes, nil
	case <-j.session.Done():
		return nil, j.session.Err()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Barrier waits until all clients have reached a stage. The start is on this machine's clock.
func (g *group) Barrier(ctx context.Context, stage string, mine error) (time.Time, error) {
	j := g.job
	m := protocol.Arrival{Stage: stage}
	if stage == bench.StageBenchmark {
		g.phases++
		if mine == nil {
			g.cleanup.ready()
		}
	}
	if mine != nil {
		why := j.stoppedBy()
		m.Err, m.Stopped = reportedError(mine, why)
		m.Leaving = errors.Is(why, errShutDown)
	}
	b, err := g.reachBarrier(ctx, m)
	if err != nil {
		return time.Time{}, errors.Join(mine, g.lost(stage, err))
	}
	if mine == nil && b.Err != "" {
		mine = fmt.Errorf("%w: %s", bench.ErrCancelled, b.Err)
	}
	if stage == bench.StageBenchmark {
		g.cleanup.started(j.toLocal(b.Start), mine)
	}
	g.orphans = b.Orphans
	return j.toLocal(b.Start), mine
}

// NextTrial reports this client's part of a trial, and waits for the decision that follows the parts of all clients.
func (g *group) NextTrial(ctx context.Context, mine *bench.TrialPart) (*bench.TrialStep, error) {
	m := protocol.Arrival{Stage: bench.StageTrial}
	if mine != nil {
		m.Part = &protocol.TrialPart{TrialPart: *mine, Limit: transport.PeerText(mine.Limit), Ended: transport.PeerText(mine.Ended)}
	}
	b, err := g.reachBarrier(ctx, m)
	if err == nil && b.Trial != nil {
		err = b.Trial.Check()
	}
	return &bench.TrialStep{Done: b.Done, Next: b.Trial, Start: g.job.toLocal(b.Start)}, err
}

// reachBarrier reports the arrival at a barrier, and waits until it is released.
func (g *group) reachBarrier(ctx context.Context, m protocol.Arrival) (b protocol.Release, err error) {
	j := g.job
	m.N = g.barriers
	g.barriers++
	if g.progress != nil {
		m.Before = g.progress()
	}
	key := fmt.Sprintf("%s %d", protocol.MsgRelease, m.N)
	released := j.expect(key)
	defer j.forget(key)
	// The others need the message of a stopped client too.
	if err := j.session.Send(context.WithoutCancel(ctx), protocol.MsgBarrierReached, m); err != nil {
		return b, err
	}
	if ctx.Err() != nil {
		return b, context.Cause(ctx)
	}
	err = j.await(ctx, released, &b)
	return b, err
}

// lost returns err when this client may go on without its coordinator.
func (g *group) lost(stage string, err error) error {
	if stage == bench.StageCleanup && errors.Is(err, errCoordinatorLost) && g.job.stoppedBy() != errStopped {
		g.cleanup.wait(g.job)
	}
	return err
}

// reportedError is the text of an error for the coordinator, when the benchmark was stopped because of why; stopped: the
// coordinator caused it.
func reportedError(err, why error) (text transport.PeerText, stopped bool) {
	if why != nil && why != errStopped && !errors.Is(err, why) {
		err = errors.Join(why, err)
	}
	return protocol.Short(err), why == errStopped
}

// cleanupDelay is how long an orphaned client waits before deleting shared data. It cannot know whether the others have lost
// the coordinator as well, or still read the data; so it waits until they must be done.
type cleanupDelay struct {
	shared    bool          // the data are shared
	duration  time.Duration // of the benchmark
	notBefore time.Time     // the benchmark does not begin before this
	until     time.Time     // zero: the benchmark has not begun
}

// readGrace is how long others may still read after the end of the benchmark.
const readGrace = time.Minute

func newCleanupDelay(st *protocol.Start, here func(int64) time.Time) cleanupDelay {
	return cleanupDelay{shared: st.Plan.SharedData, notBefore: here(st.StartAt), duration: st.Plan.PlannedLength()}
}

// ready is called when this client is ready for the benchmark: from now on the others may begin it.
func (p *cleanupDelay) ready() { p.countFrom(clock.Now()) }

// started is called with the start of the benchmark, or the error that prevents it.
func (p *cleanupDelay) started(start time.Time, err error) {
	if err != nil {
		p.until = time.Time{}
		return
	}
	p.countFrom(start)
}

func (p *cleanupDelay) countFrom(t time.Time) {
	if t.Before(p.notBefore) {
		t = p.notBefore
	}
	p.until = t.Add(p.duration + readGrace)
}

// wait waits until the others must be done, or the agent is shut down.
func (p *cleanupDelay) wait(j *job) {
	left := p.until.Sub(clock.Now())
	if !p.shared || p.until.IsZero() || left <= 0 {
		return
	}
	text := "waiting to delete shared data until " + p.until.UTC().Format(time.RFC3339) + ", because other clients may be reading it"
	j.opts.Logf("The coordinator is lost: %s.", text)
	j.setWaitReason(text)
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-t.C:
	case <-j.leaving.Done():
	}
}
