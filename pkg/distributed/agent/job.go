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
	client      *Agent
	id          string
	coordinator string // the coordinator
	since       time.Time
	session     *transport.Session
	leaving     chan struct{} // closed when the client ends
	offset      time.Duration // of this machine's clock from the coordinator's, at the start

	mu             sync.Mutex
	conn           *transport.Conn // that carries the session; nil: none does
	reconnectTimer *time.Timer     // ends the session if nobody comes back
	waiting        map[string]chan transport.Frame
	cancel         context.CancelCauseFunc // of the benchmark
	stopCause      error                   // it is to be stopped, or was
	ending         bool                    // so is the client
	waitReason     string                  // for what, when all else is done
	phaseEnds      map[int]chan struct{}   // closed when the throughput of all clients was stable in a phase
	endingPhases   map[int]bool            // phases that are to end so
}

var (
	errCoordinatorLost = errors.New("the coordinator is lost")
	errStopped         = errors.New("the coordinator stopped the run")
)

func newJob(c *Agent, id, name, addr string) *job {
	j := &job{
		client: c, id: id, coordinator: fmt.Sprintf("%.100q at %s", name, addr), since: clock.Now(), waiting: make(map[string]chan transport.Frame),
		leaving: make(chan struct{}), phaseEnds: make(map[int]chan struct{}), endingPhases: make(map[int]bool),
		session: transport.NewSession(&protocol.Wire, c.opts.Timing.Timing, protocol.Large, nil),
	}
	j.reconnectTimer = time.AfterFunc(c.opts.Grace, j.coordinatorLost)
	return j
}

// describe says what the client is busy with, for other coordinators.
func (j *job) describe() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := fmt.Sprintf("it is busy for the coordinator %s since %s", j.coordinator, j.since.UTC().Format(time.RFC3339))
	switch {
	case j.waitReason != "":
		text += "; " + j.waitReason
	case j.conn == nil:
		text += "; that one has lost its connection, and is given up if it does not come back within " + j.client.opts.Grace.String()
	}
	return text
}

// attach has a connection carry the session, in place of the one before, until it is lost.
func (j *job) attach(ws *transport.Conn, received uint64) {
	j.mu.Lock()
	if j.conn != nil {
		_ = j.conn.Close() // the coordinator has come back before its loss was noticed
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
		j.reconnectTimer.Reset(j.client.opts.Grace)
		j.client.opts.Logf("Lost the connection to the coordinator (%v); the run goes on for %v in case it comes back.", err, j.client.opts.Grace)
	}
}

func (j *job) coordinatorLost() { j.session.Close(errCoordinatorLost) }

// shutDown stops the run because the client ends. One whose coordinator is lost is not waited for.
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

// halt stops the benchmark before its time.
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

// perform does what the coordinator asks for, from join to bye, and makes the client free again.
func (j *job) perform(ctx context.Context) {
	logf := j.client.opts.Logf
	logf("A run begins for the coordinator %s.", j.coordinator)
	var wg sync.WaitGroup
	defer wg.Wait()
	keysOf, plan, bye := j.expect(protocol.MsgSecrets), j.expect(protocol.MsgStart), j.expect(protocol.MsgBye)
	wg.Go(j.receive)
	err := j.serve(ctx, keysOf, plan, bye)
	// Who sees the connection end shall find the client free.
	j.client.release()
	j.session.Close(transport.ErrEnded)
	j.reconnectTimer.Stop()
	if err != nil {
		logf("The run for the coordinator %s is over: %s", j.coordinator, protocol.OneLine(err))
		return
	}
	logf("The run for the coordinator %s is over.", j.coordinator)
}

// converse is the client's side of a run.
func (j *job) serve(ctx context.Context, keysOf, plan, bye <-chan transport.Frame) error {
	ctx = context.WithoutCancel(ctx) // a shutdown comes as halt, and leaves time to clean up
	var sec protocol.Secrets
	var st protocol.Start
	greeting, cancel := context.WithTimeoutCause(ctx, j.client.opts.Timing.Greeting, errors.New("the coordinator does not say what to do"))
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
	// A panic ends this run alone: the client is ready for the next one.
	if err := bench.Guard(func() error { report = j.client.opts.run(ctx, j, &st, &sec); return nil }); err != nil {
		j.client.opts.Logf("%v", err)
		report = protocol.Done{Err: protocol.Short(err)}
	}
	sec = protocol.Secrets{}
	if err := j.session.Send(ctx, protocol.MsgDone, report); err != nil {
		return errors.Join(err, asError(report.Err))
	}
	return errors.Join(j.awaitBye(ctx, bye), asError(report.Err))
}

// part waits until the coordinator takes leave, which it does when all clients are done. Only a client that is to end has
// not the time for that.
func (j *job) awaitBye(ctx context.Context, bye <-chan transport.Frame) error {
	select {
	case <-bye:
		return nil
	case <-j.session.Done():
		return j.session.Err()
	case <-j.leaving:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.client.opts.Grace, errShutDown)
	defer cancel()
	return j.await(ctx, bye, nil)
}

func asError(text transport.PeerText) error {
	if text == "" {
		return nil
	}
	return errors.New(string(text))
}

// began gives the benchmark the function that stops it.
func (j *job) setCancel(stop context.CancelCauseFunc) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cancel = stop
	if j.stopCause != nil {
		stop(j.stopCause)
	}
}

// stoppedBy is why the benchmark was stopped before its time, nil if it was not.
func (j *job) stoppedBy() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stopCause
}
