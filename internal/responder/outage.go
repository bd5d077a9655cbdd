package responder

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Outage is how a server that is down looks from outside.
type Outage int

// The ways to be down. With either, connections that clients have are closed at once.
const (
	Up        Outage = iota
	Refusing         // nobody listens on the port
	HangingUp        // connections are accepted and closed, as by a proxy without a server behind it
)

// switchListener is the listener of a server that can be taken down.
type switchListener struct {
	address string
	hungUp  atomic.Uint64

	mu     sync.Mutex
	change *sync.Cond
	l      net.Listener // nil: nobody listens
	port   io.Closer    // keeps the port while nobody listens
	state  Outage
	closed bool
	conns  map[*trackedConn]struct{}
}

func newSwitchListener(l net.Listener) *switchListener {
	s := &switchListener{address: l.Addr().String(), l: l, conns: map[*trackedConn]struct{}{}}
	s.change = sync.NewCond(&s.mu)
	return s
}

func (s *switchListener) set(o Outage) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = o
	if o != Up {
		for g := range s.conns {
			_ = g.Conn.Close() // its requests are lost, as is meant
		}
	}
	switch {
	case o == Refusing && s.l != nil:
		err, s.l = s.l.Close(), nil
		s.port = reservePort(s.address)
	case o != Refusing && s.l == nil:
		_ = s.port.Close()
		// Another program may have got the port as that of a connection of its own; it is soon free again.
		for range 100 {
			if s.l, err = net.Listen("tcp", s.address); err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	s.change.Broadcast()
	return err
}

// Accept waits for the next connection, through all outages.
func (s *switchListener) Accept() (net.Conn, error) {
	for {
		l, err := s.listener()
		if err != nil {
			return nil, err
		}
		c, err := l.Accept()
		if err != nil {
			continue // closed: listener knows whether for good
		}
		if c = s.track(c); c != nil {
			return c, nil
		}
	}
}

// listener waits until there is one.
func (s *switchListener) listener() (net.Listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.l == nil && !s.closed {
		s.change.Wait()
	}
	if s.closed {
		return nil, net.ErrClosed
	}
	return s.l, nil
}

// track lets a connection in; nil if the server is down.
func (s *switchListener) track(c net.Conn) net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != Up || s.closed {
		if s.state == HangingUp {
			s.hungUp.Add(1)
		}
		_ = c.Close()
		return nil
	}
	g := &trackedConn{c, s}
	s.conns[g] = struct{}{}
	return g
}

// Addr is where the server is when it is up.
func (s *switchListener) Addr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", s.address) // it was the address of a listener
	return a
}

// Close ends Accept.
func (s *switchListener) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.change.Broadcast()
	if s.l == nil {
		return s.port.Close()
	}
	if err := s.l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// trackedConn is a connection that the listener can close.
type trackedConn struct {
	net.Conn
	listener *switchListener
}

// Close closes the connection.
func (g *trackedConn) Close() error {
	g.listener.mu.Lock()
	defer g.listener.mu.Unlock()
	delete(g.listener.conns, g)
	return g.Conn.Close()
}
