package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// job is a run that a client performs.
type job struct {
	agent       *Agent
	id          string
	coordinator string // its name and address
	since       time.Time
	session     *transport.Session
	leaving     chan struct{} // closed when the agent is shut down
	offset      time.Duration // of this machine's clock from the coordinator's, at the start

	mu             sync.Mutex
	conn           *transport.Conn // carries the session; nil: none
	reconnectTimer *time.Timer     // ends the session when the coordinator does not reconnect
	waiting        map[string]chan transport.Frame
	cancel         context.CancelCauseFunc // of the benchmark
	stopCause      error                   // why it is stopped
	ending         bool                    // the agent is being shut down
	waitReason     string                  // why it still waits when all else is done
	phaseEnds      map[int]chan struct{}   // closed when the throughput of all clients was stable in a phase
	endingPhases   map[int]bool            // phases whose end is scheduled
}

var (
	errCoordinatorLost = errors.New("the coordinator is lost")
	errStopped         = errors.New("the coordinator stopped the run")
)

func newJob(a *Agent, id, name, addr string) *job {
	j := &job{
		agent: a, id: id, coordinator: fmt.Sprintf("%.100q at %s", name, addr), since: clock.Now(), waiting: make(map[string]chan transport.Frame),
		leaving: make(chan struct{}), phaseEnds: make(map[int]chan struct{}), endingPhases: make(map[int]bool),
		session: transport.NewSession(&protocol.Wire, a.opts.Timing.Timing, protocol.Large, nil),
	}
	j.reconnectTimer = time.AfterFunc(a.opts.Grace, j.coordinatorLost)
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
		text += "; its connection is lost; the run ends if it does not reconnect within " + j.agent.opts.Grace.String()
	}
	return text
}

// attach carries the session over a connection, which replaces the one before, until it is lost.
func (j *job) attach(ws *transport.Conn, received uint64) {
	j.mu.Lock()
	if j.conn != nil {
		_ = j.conn.Close() // the coordinator reconnected before the loss was noticed
	}
	j.conn = ws
	j.reconnectTimer.Stop()
	j.mu.Unlock()
	err := ws.Send(protocol.MsgJoined, protocol.Joined{Received: j.session.Received()})
	if err == nil {
		err = j.session.Serve(ws, received)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.conn != ws {
		return
	}
	j.conn = nil
	switch {
	case j.session.Err() != nil:
	case j.ending:
		j.session.Close(errShutDown) // there is no time to wait
	default:
		j.reconnectTimer.Reset(j.agent.opts.Grace)
		j.agent.opts.Logf("Lost the connection to the coordinator (%v); the run goes on for %v in case it reconnects.", err, j.agent.opts.Grace)
	}
}

func (j *job) coordinatorLost() { j.session.Close(errCoordinatorLost) }

// shutDown stops the run because the agent ends. Without a connection it does not wait for the coordinator.
func (j *job) shutDown() {
	j.stopRun(errShutDown)
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

// stopRun stops the benchmark before its time.
func (j *job) stopRun(why error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopCause == nil {
		j.stopCause = why
	}
	if j.cancel != nil {
		j.cancel(why)
	}
}

// perform performs the run from join to bye, and makes the agent free again.
func (j *job) perform(ctx context.Context) {
	logf := j.agent.opts.Logf
	logf("A run begins for the coordinator %s.", j.coordinator)
	var wg sync.WaitGroup
	defer wg.Wait()
	keysOf, plan, bye := j.expect(protocol.MsgSecrets), j.expect(protocol.MsgStart), j.expect(protocol.MsgBye)
	wg.Go(j.receive)
	err := j.serve(ctx, keysOf, plan, bye)
	// Whenever the connection has ended, the agent is free.
	j.agent.release()
	j.session.Close(transport.ErrEnded)
	j.reconnectTimer.Stop()
	if err != nil {
		logf("The run for the coordinator %s is over: %s", j.coordinator, protocol.OneLine(err))
		return
	}
	logf("The run for the coordinator %s is over.", j.coordinator)
}

// serve is the client's side of a run.
func (j *job) serve(ctx context.Context, keysOf, plan, bye <-chan transport.Frame) error {
	ctx = context.WithoutCancel(ctx) // a shutdown calls stopRun, and leaves time to clean up
	var sec protocol.Secrets
	var st protocol.Start
	greeting, cancel := context.WithTimeoutCause(ctx, j.agent.opts.Timing.Greeting, errors.New("the coordinator sent no plan in time"))
	defer cancel()
	err := j.await(greeting, keysOf, &sec)
	if err == nil {
		err = j.await(greeting, plan, &st)
	}
	if err != nil {
		j.session.Close(err)
		return err
	}
	var report protocol.Done
	// A panic ends only this run: the agent is ready for the next one.
	if err := bench.Guard(func() error { report = j.agent.opts.run(ctx, j, &st, &sec); return nil }); err != nil {
		j.agent.opts.Logf("%v", err)
		report = protocol.Done{Err: protocol.Short(err)}
	}
	sec = protocol.Secrets{}
	if err := j.session.Send(ctx, protocol.MsgDone, report); err != nil {
		return errors.Join(err, asError(report.Err))
	}
	return errors.Join(j.awaitBye(ctx, bye), asError(report.Err))
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
	ctx, cancel := context.WithTimeoutCause(ctx, j.agent.opts.Grace, errShutDown)
	defer cancel()
	return j.await(ctx, bye, nil)
}

func asError(text transport.PeerText) error {
	if text == "" {
		return nil
	}
	return errors.New(string(text))
}

// setCancel sets the function that stops the benchmark.
func (j *job) setCancel(stop context.CancelCauseFunc) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cancel = stop
	if j.stopCause != nil {
		stop(j.stopCause)
	}
}

// stoppedBy is why the benchmark was stopped before its time; nil if it was not.
func (j *job) stoppedBy() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stopCause
}
