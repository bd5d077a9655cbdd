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
	"warp/pkg/bench/work"
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
	leaving     context.Context         // ends when the agent is shut down
	leave       context.CancelFunc      // ends leaving
	offset      atomic.Int64            // of this machine's clock from the coordinator's in ns, at the start
	ctx         context.Context         // of the benchmark
	stop        context.CancelCauseFunc // ends ctx; the first reason counts
	stableEnds  bench.PhaseEnds         // of phases whose throughput is stable
	cuts        bench.PhaseEnds         // of phases ended by an interrupt
	*inbox
	connection *connection
	wg         sync.WaitGroup

	mu         sync.Mutex
	waitReason string // why it still waits when all else is done
}

var errStopped = errors.New("the coordinator stopped the run")

func newJob(o *Options, self identity, id, coordinator string) *job {
	j := &job{
		opts:        o,
		self:        self,
		id:          id,
		coordinator: coordinator,
		since:       clock.Now(),
	}
	session := transport.NewSession(&protocol.Wire, o.Timing.Timing, protocol.Large, nil)
	j.inbox, j.connection = newInbox(session), newConnection(session, o.Grace, o.Logf)
	j.leaving, j.leave = context.WithCancel(context.Background())
	j.ctx, j.stop = context.WithCancelCause(context.Background()) // a shutdown leaves time to clean up
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
	case j.connection.isLost():
		text += "; its connection is lost; the run ends if it does not reconnect within " + j.opts.Grace.String()
	}
	return text
}

// shutDown stops the run because the agent ends. Without a connection it does not wait for the coordinator.
func (j *job) shutDown() {
	j.stop(errShutDown)
	j.leave()
	j.connection.shutDown()
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
	if err := work.Guard(func() error { report = j.opts.run(j.ctx, j, &st, &sec); return nil }); err != nil {
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
	j.connection.end()
	j.wg.Wait()
}

// awaitBye waits for the end of the run, when all clients are done; during a shutdown only for the grace period.
func (j *job) awaitBye(ctx context.Context, bye <-chan transport.Frame) error {
	select {
	case <-bye:
		return nil
	case <-j.session.Done():
		return j.session.Err()
	case <-j.leaving.Done():
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
