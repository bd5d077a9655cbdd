package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// job is a run that a client performs.
type job struct {
	opts        *Options
	self        identity
	id          string
	coordinator string // its name and address
	since       time.Time
	leaving     chan struct{}           // closed when the agent is shut down
	offset      atomic.Int64            // of this machine's clock from the coordinator's in ns, at the start
	ctx         context.Context         // of the benchmark
	stop        context.CancelCauseFunc // ends ctx; the first reason counts
	stableEnds  bench.PhaseEnds         // of phases whose throughput is stable
	cuts        bench.PhaseEnds         // of phases ended by an interrupt
	*inbox
	wg sync.WaitGroup

	mu             sync.Mutex
	conn           *transport.Conn // carries the session; nil: none
	reconnectTimer *time.Timer     // ends the session when the coordinator does not reconnect
	ending         bool            // the agent is being shut down
	waitReason     string          // why it still waits when all else is done
}

var (
	errShutDown        = errors.New("the client is being shut down")
	errCoordinatorLost = errors.New("the coordinator is lost")
	errStopped         = errors.New("the coordinator stopped the run")
)

func newJob(o *Options, self identity, id, coordinator string) *job {
	j := &job{
		opts:        o,
		self:        self,
		id:          id,
		coordinator: coordinator,
		since:       clock.Now(),
		leaving:     make(chan struct{}),
		inbox:       newInbox(transport.NewSession(&protocol.Wire, o.Timing.Timing, protocol.Large, nil)),
	}
	j.ctx, j.stop = context.WithCancelCause(context.Background()) // a shutdown leaves time to clean up
	j.reconnectTimer = time.AfterFunc(o.Grace, func() { j.session.Close(errCoordinatorLost) })
	return j
}

// describe describes the run for other coordinators.
func (j *job) describe() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := fmt.Sprintf("busy with the coordinator %s since %s", j.coordinator, j.since.UTC().Format(time.RFC3339))
	switch {
	case j.waitReason != "":
		text += "; " + j.waitReason
	case j.conn == nil:
		text += "; its connection is lost; the run ends if it does not reconnect within " + j.opts.Grace.String()
	}
	return text
}

// attach carries the session over a connection, which replaces the one before, until it is lost.
func (j *job) attach(conn *transport.Conn, received uint64) {
	j.mu.Lock()
	if j.conn != nil {
		_ = j.conn.Close() // the coordinator reconnected before the loss was noticed
	}
	j.conn = conn
	j.reconnectTimer.Stop()
	j.mu.Unlock()
	err := conn.Send(protocol.MsgJoined, protocol.Joined{Received: j.session.Received()})
	if err == nil {
		err = j.session.Serve(conn, received)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.conn != conn {
		return
	}
	j.conn = nil
	switch {
	case j.session.Err() != nil:
	case j.ending:
		j.session.Close(errShutDown) // there is no time to wait
	default:
		j.reconnectTimer.Reset(j.opts.Grace)
		j.opts.Logf("Lost the connection to the coordinator (%v); the run goes on for %v in case it reconnects.", err, j.opts.Grace)
	}
}

// shutDown stops the run because the agent ends. Without a connection it does not wait for the coordinator.
func (j *job) shutDown() {
	j.stop(errShutDown)
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ending {
		close(j.leaving)
		j.ending = true
	}
	if j.conn == nil {
		j.session.Close(errShutDown)
	}
}

// perform is the client's side of a run, from join to bye.
func (j *job) perform() error {
	secrets, plan, bye := j.expect(protocol.MsgSecrets), j.expect(protocol.MsgStart), j.expect(protocol.MsgBye)
	j.wg.Go(j.receive)
	ctx := context.Background() // it ends with the session
	var sec protocol.Secrets
	var st protocol.Start
	greeting, cancel := context.WithTimeoutCause(ctx, j.opts.Timing.Greeting, errors.New("the coordinator sent no plan in time"))
	defer cancel()
	err := j.await(greeting, secrets, &sec)
	if err == nil {
		err = j.await(greeting, plan, &st)
	}
	if err != nil {
		j.session.Close(err)
		return err
	}
	var report protocol.Done
	// A panic ends only this run: the agent is ready for the next one.
	if err := bench.Guard(func() error { report = j.opts.run(j.ctx, j, &st, &sec); return nil }); err != nil {
		j.opts.Logf("%v", err)
		report = protocol.Done{Err: protocol.Short(err)}
	}
	j.stop(nil) // ends what a panic has left running
	sec = protocol.Secrets{}
	if err := j.session.Send(ctx, protocol.MsgDone, report); err != nil {
		return errors.Join(err, asError(report.Err))
	}
	return errors.Join(j.awaitBye(ctx, bye), asError(report.Err))
}

// end ends the session.
func (j *job) end() {
	j.session.Close(transport.ErrEnded)
	j.reconnectTimer.Stop()
	j.wg.Wait()
}

// awaitBye waits for the end of the run, when all clients are done; during a shutdown only for the grace period.
func (j *job) awaitBye(ctx context.Context, bye <-chan transport.Frame) error {
	select {
	case <-bye:
		return nil
	case <-j.session.Done():
		return j.session.Err()
	case <-j.leaving:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.opts.Grace, errShutDown)
	defer cancel()
	return j.await(ctx, bye, nil)
}

func asError(text transport.PeerText) error {
	if text == "" {
		return nil
	}
	return errors.New(string(text))
}

// receive handles the messages of the coordinator, until the session is over.
func (j *job) receive() {
	for {
		f, err := j.session.Receive(context.Background())
		if err != nil {
			j.stop(err)
			return
		}
		if f.Kind == protocol.MsgStop {
			err = j.handleStop(&f)
		} else {
			err = j.deliver(f)
		}
		if err != nil {
			j.session.Close(err)
		}
	}
}

// handleStop ends the benchmark, or one phase at the instant that the coordinator has chosen.
func (j *job) handleStop(f *transport.Frame) error {
	var s protocol.Stop
	err := f.Open(&s)
	switch {
	case err != nil:
		return err
	case !s.Stable:
		j.stop(errStopped)
		return nil
	}
	return j.endPhase(s)
}

func (j *job) endPhase(s protocol.Stop) error {
	if s.Phase < 0 || s.Phase >= bench.MaxPhases {
		return transport.Violationf("invalid phase %d", s.Phase)
	}
	ends := &j.stableEnds
	if s.Cut {
		ends = &j.cuts
	}
	time.AfterFunc(j.toLocal(s.At).Sub(clock.Now()), func() { ends.End(s.Phase) })
	return nil
}

// stoppedBy is why the benchmark was stopped before its time; nil if it was not.
func (j *job) stoppedBy() error { return context.Cause(j.ctx) }

// setWaitReason sets what other coordinators learn about why the client is busy.
func (j *job) setWaitReason(text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waitReason = text
}

// toLocal converts a time of the coordinator's clock to this machine's.
func (j *job) toLocal(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return protocol.LocalTime(time.Unix(0, ns+j.offset.Load()))
}

// toCoordinator converts a time of this machine's clock to the coordinator's.
func (j *job) toCoordinator(t time.Time) int64 { return t.UnixNano() - j.offset.Load() }
