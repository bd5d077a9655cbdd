package agent

import (
	"errors"
	"sync"
	"time"

	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

var (
	errShutDown        = errors.New("the client is being shut down")
	errCoordinatorLost = errors.New("the coordinator is lost")
)

// connection carries a session over one network connection after the other.
type connection struct {
	session *transport.Session
	grace   time.Duration // how long the session waits for the next one
	logf    func(format string, args ...any)

	mu     sync.Mutex
	conn   *transport.Conn // nil: there is none
	timer  *time.Timer     // ends the session when the coordinator does not reconnect
	ending bool            // the agent is being shut down
}

func newConnection(s *transport.Session, grace time.Duration, logf func(string, ...any)) *connection {
	timer := time.AfterFunc(grace, func() { s.Close(errCoordinatorLost) })
	return &connection{session: s, grace: grace, logf: logf, timer: timer}
}

// attach carries the session over a connection, which replaces the one before, until it is lost.
func (c *connection) attach(conn *transport.Conn, received uint64) {
	c.mu.Lock()
	if c.conn != nil {
		_ = c.conn.Close() // the coordinator reconnected before the loss was noticed
	}
	c.conn = conn
	c.timer.Stop()
	c.mu.Unlock()
	err := conn.Send(protocol.MsgJoined, protocol.Joined{Received: c.session.Received()})
	if err == nil {
		err = c.session.Serve(conn, received)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != conn {
		return
	}
	c.conn = nil
	switch {
	case c.session.Err() != nil:
	case c.ending:
		c.session.Close(errShutDown) // there is no time to wait
	default:
		c.timer.Reset(c.grace)
		c.logf("Lost the connection to the coordinator (%v); the run goes on for %v in case it reconnects.", err, c.grace)
	}
}

// isLost reports whether there is no connection.
func (c *connection) isLost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn == nil
}

// shutDown ends the session as soon as there is no connection.
func (c *connection) shutDown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ending = true
	if c.conn == nil {
		c.session.Close(errShutDown)
	}
}

// end ends the session.
func (c *connection) end() {
	c.session.Close(transport.ErrEnded)
	c.timer.Stop()
}
