package coordinator

import (
	"errors"
	"fmt"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/runinfo"
)

// member is a client of a run. The coordinator's lock guards it; link and handover synchronize themselves.
type member struct {
	*link
	handover handover
	index    int
	id       string // in recordings

	presence
	progress     progress
	figures      memberFigures
	counts       memberCounts
	notices      int     // that it has sent
	stepsUpTo    []int64 // by watch: before that time, all its operations were sent
	contribution contribution
	successor    *member // deletes its part of shared data, if it is lost
}

func newMember(l *link, index int, id string, o *Options) *member {
	return &member{
		link:      l,
		handover:  newHandover(o),
		index:     index,
		id:        id,
		presence:  presence{connected: true},
		progress:  newProgress(clock.Now()),
		stepsUpTo: make([]int64, len(o.Watches)),
	}
}

// active reports whether the client takes part, and has not finished.
func (m *member) active() bool { return m.err == nil && m.progress.done == nil }

// drop goes on without the client. It reports whether that changes anything: the client may be done, or was dropped before.
func (m *member) drop(why error) bool {
	if m.leaving || !m.active() {
		return false
	}
	m.presence.drop(why, clock.Now())
	m.session.Close(why)
	m.cancel(why)
	m.handover.end()
	return true
}

// send sends a message. There are so few that a full window means a client that does not read.
func (m *member) send(kind string, body any) error {
	ok, err := m.session.TrySend(kind, body)
	if err == nil && !ok {
		err = errors.New("too many unread messages")
	}
	return err
}

// grace is how much longer than others a client may make no progress: without a connection it has time to reconnect. That
// does not add up if the connection comes and goes.
func (m *member) grace() time.Duration {
	if m.connected {
		return 0
	}
	return m.opts.Grace
}

// stalled reports whether the client makes no progress in its handover since a time, and for longer than it may.
func (m *member) stalled(since time.Time) bool {
	if m.progress.Stage != protocol.StageReport {
		return false // the watchdog covers the other stages
	}
	if m.progress.movedAt.After(since) {
		since = m.progress.movedAt
	}
	return clock.Now().Sub(since) > m.opts.Timing.Stall+m.grace()
}

// whyNot returns why the client cannot begin a phase; empty: it can. stopped means that the coordinator caused that. k is the client's
// arrival at the barrier, if any. needed means that without the client the data set is incomplete.
func (m *member) whyNot(k *protocol.Arrival, needed bool) (why string, stopped bool) {
	p := &m.progress
	switch {
	case k.Err != "":
		return string(k.Err), k.Stopped
	case m.err != nil && needed:
		return fmt.Sprintf("%v; without its part the shared data set is incomplete", m.err), false
	case m.err != nil:
		return m.err.Error(), false
	case p.firstFailure.Err != "":
		return string(p.firstFailure.Err), p.firstFailure.Stopped
	case p.done != nil:
		return string(p.done.Err), p.done.Stopped
	}
	return "", false
}

// report describes the client and its part in the result.
func (m *member) report() runinfo.ClientReport {
	c := &m.contribution
	p := runinfo.ClientReport{
		Addr:        m.addr,
		ID:          m.id,
		Host:        string(m.greeting.Host),
		Version:     string(m.greeting.Version),
		Clock:       m.clock,
		ClockEnd:    c.endClock,
		First:       c.first,
		Operations:  c.requests,
		InResult:    c.inResult,
		Cut:         c.cut,
		Outages:     m.outages,
		Connections: c.end.Connections,
		Engine:      string(c.end.Engine),
		Self:        c.end.Client,
	}
	p.Connections.TLS = nil
	for _, text := range c.end.TLS {
		p.Connections.TLS = append(p.Connections.TLS, string(text))
	}
	if done := m.progress.done; done != nil {
		p.Recording, p.Err = string(done.Recording), string(done.Err)
	}
	if m.err != nil {
		p.Err = m.err.Error()
	}
	return p
}
