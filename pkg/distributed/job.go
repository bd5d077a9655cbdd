package distributed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
	"warp/pkg/bench"
)

// job is a run that a client performs.
type job struct {
	client  *Client
	id      string
	by      string // the coordinator
	since   time.Time
	session *session
	leaving chan struct{} // closed when the client ends
	offset  time.Duration // of this machine's clock from the coordinator's, at the start

	mu       sync.Mutex
	conn     *websocket.Conn // that carries the session; nil: none does
	lost     *time.Timer     // ends the session if nobody comes back
	waiting  map[string]chan frame
	stop     context.CancelCauseFunc // of the benchmark
	stopped  error                   // it is to be stopped, or was
	ending   bool                    // so is the client
	waits    string                  // for what, when all else is done
	stable   map[int]chan struct{}   // closed when the throughput of all clients was stable in a phase
	settling map[int]bool            // phases that are to end so
}

var (
	errCoordinatorLost = errors.New("the coordinator is lost")
	errStopped         = errors.New("the coordinator stopped the run")
)

func newJob(c *Client, id, name, addr string) *job {
	j := &job{
		client: c, id: id, by: fmt.Sprintf("%.100q at %s", name, addr), since: clock.Now(), waiting: make(map[string]chan frame),
		leaving: make(chan struct{}), stable: make(map[int]chan struct{}), settling: make(map[int]bool),
		session: newSession(c.opts.timing, limits[msgStart], nil),
	}
	j.lost = time.AfterFunc(c.opts.Grace, j.giveUp)
	return j
}

// describe says what the client is busy with, for other coordinators.
func (j *job) describe() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	text := fmt.Sprintf("it is busy for the coordinator %s since %s", j.by, j.since.UTC().Format(time.RFC3339))
	switch {
	case j.waits != "":
		text += "; " + j.waits
	case j.conn == nil:
		text += "; that one has lost its connection, and is given up if it does not come back within " + j.client.opts.Grace.String()
	}
	return text
}

// attach has a connection carry the session, in place of the one before, until it is lost.
func (j *job) attach(ws *websocket.Conn, received uint64) {
	j.mu.Lock()
	if j.conn != nil {
		_ = j.conn.Close() // the coordinator has come back before its loss was noticed
	}
	j.conn = ws
	j.lost.Stop()
	j.mu.Unlock()
	err := say(ws, msgJoined, joined{j.session.received()}, j.client.opts.timing.write)
	if err == nil {
		err = j.session.serve(ws, received)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.conn != ws {
		return
	}
	j.conn = nil
	switch {
	case j.session.reason() != nil:
	case j.ending:
		j.session.close(errShutDown) // there is no time to wait
	default:
		j.lost.Reset(j.client.opts.Grace)
		j.client.opts.Logf("Lost the connection to the coordinator (%v); the run goes on for %v in case it comes back.", err, j.client.opts.Grace)
	}
}

func (j *job) giveUp() { j.session.close(errCoordinatorLost) }

// shutDown stops the run because the client ends. One whose coordinator is lost is not waited for.
func (j *job) shutDown() {
	j.halt(errShutDown)
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ending {
		close(j.leaving)
		j.ending = true
	}
	if j.conn == nil {
		j.session.close(errShutDown)
	}
}

// halt stops the benchmark before its time.
func (j *job) halt(why error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stopped == nil {
		j.stopped = why
	}
	if j.stop != nil {
		j.stop(why)
	}
}

// perform does what the coordinator asks for, from join to bye, and makes the client free again.
func (j *job) perform(ctx context.Context) {
	logf := j.client.opts.Logf
	logf("A run begins for the coordinator %s.", j.by)
	var wg sync.WaitGroup
	defer wg.Wait()
	keysOf, plan, bye := j.expect(msgSecrets), j.expect(msgStart), j.expect(msgBye)
	wg.Go(j.listen)
	err := j.converse(ctx, keysOf, plan, bye)
	// Who sees the connection end shall find the client free.
	j.client.free()
	j.session.close(errOver)
	j.lost.Stop()
	if err != nil {
		logf("The run for the coordinator %s is over: %s", j.by, oneLine(err))
		return
	}
	logf("The run for the coordinator %s is over.", j.by)
}

// converse is the client's side of a run.
func (j *job) converse(ctx context.Context, keysOf, plan, bye <-chan frame) error {
	ctx = context.WithoutCancel(ctx) // a shutdown comes as halt, and leaves time to clean up
	var sec secrets
	var st start
	greeting, cancel := context.WithTimeoutCause(ctx, j.client.opts.timing.greeting, errors.New("the coordinator does not say what to do"))
	defer cancel()
	err := j.await(greeting, keysOf, &sec)
	if err == nil {
		err = j.await(greeting, plan, &st)
	}
	if err != nil {
		j.session.close(err)
		return err
	}
	var report done
	// A panic ends this run alone: the client is ready for the next one.
	if err := bench.Guard(func() error { report = j.client.opts.run(ctx, j, &st, &sec); return nil }); err != nil {
		j.client.opts.Logf("%v", err)
		report = done{Err: short(err)}
	}
	sec = secrets{}
	if err := j.session.send(ctx, msgDone, report); err != nil {
		return errors.Join(err, asError(report.Err))
	}
	return errors.Join(j.part(ctx, bye), asError(report.Err))
}

// part waits until the coordinator takes leave, which it does when all clients are done. Only a client that is to end has
// not the time for that.
func (j *job) part(ctx context.Context, bye <-chan frame) error {
	select {
	case <-bye:
		return nil
	case <-j.session.done:
		return j.session.reason()
	case <-j.leaving:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.client.opts.Grace, errShutDown)
	defer cancel()
	return j.await(ctx, bye, nil)
}

func asError(text peerText) error {
	if text == "" {
		return nil
	}
	return errors.New(string(text))
}

// began gives the benchmark the function that stops it.
func (j *job) began(stop context.CancelCauseFunc) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stop = stop
	if j.stopped != nil {
		stop(j.stopped)
	}
}

// stoppedBy is why the benchmark was stopped before its time, nil if it was not.
func (j *job) stoppedBy() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stopped
}
