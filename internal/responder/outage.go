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

// SetOutage takes the server down, or up again on the same port.
func (s *Server) SetOutage(o Outage) error { return s.door.set(o) }

// HungUp is how many connections were accepted and closed.
func (s *Server) HungUp() uint64 { return s.door.hungUp.Load() }

// door is the listener of a server that can be taken down.
type door struct {
	address string
	hungUp  atomic.Uint64

	mu     sync.Mutex
	change *sync.Cond
	l      net.Listener // nil: nobody listens
	port   io.Closer    // keeps the port while nobody listens
	state  Outage
	closed bool
	conns  map[*guest]struct{}
}

func newDoor(l net.Listener) *door {
	d := &door{address: l.Addr().String(), l: l, conns: map[*guest]struct{}{}}
	d.change = sync.NewCond(&d.mu)
	return d
}

func (d *door) set(o Outage) (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = o
	if o != Up {
		for g := range d.conns {
			_ = g.Conn.Close() // its requests are lost, as is meant
		}
	}
	switch {
	case o == Refusing && d.l != nil:
		err, d.l = d.l.Close(), nil
		d.port = reservePort(d.address)
	case o != Refusing && d.l == nil:
		_ = d.port.Close()
		// Another program may have got the port as that of a connection of its own; it is soon free again.
		for range 100 {
			if d.l, err = net.Listen("tcp", d.address); err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	d.change.Broadcast()
	return err
}

// Accept waits for the next connection, through all outages.
func (d *door) Accept() (net.Conn, error) {
	for {
		l, err := d.listener()
		if err != nil {
			return nil, err
		}
		c, err := l.Accept()
		if err != nil {
			continue // closed: listener knows whether for good
		}
		if c = d.enter(c); c != nil {
			return c, nil
		}
	}
}

// listener waits until there is one.
func (d *door) listener() (net.Listener, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.l == nil && !d.closed {
		d.change.Wait()
	}
	if d.closed {
		return nil, net.ErrClosed
	}
	return d.l, nil
}

// enter lets a connection in; nil if the server is down.
func (d *door) enter(c net.Conn) net.Conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state != Up || d.closed {
		if d.state == HangingUp {
			d.hungUp.Add(1)
		}
		_ = c.Close()
		return nil
	}
	g := &guest{c, d}
	d.conns[g] = struct{}{}
	return g
}

// Addr is where the server is when it is up.
func (d *door) Addr() net.Addr {
	a, _ := net.ResolveTCPAddr("tcp", d.address) // it was the address of a listener
	return a
}

// Close ends Accept.
func (d *door) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.change.Broadcast()
	if d.l == nil {
		return d.port.Close()
	}
	if err := d.l.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// guest is a connection that the door can close.
type guest struct {
	net.Conn
	door *door
}

// Close closes the connection.
func (g *guest) Close() error {
	g.door.mu.Lock()
	defer g.door.mu.Unlock()
	delete(g.door.conns, g)
	return g.Conn.Close()
}
