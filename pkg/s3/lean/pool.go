package lean

import (
	"slices"
	"sync"
	"sync/atomic"

	"warp/pkg/load/loop"
)

// Pool holds the connections that no client is using. A client keeps the one that it used last, and puts it back when it goes
// to another target. So there are about as many connections as requests in flight, not one per client and target; and a
// client that stays with its target touches nothing shared. It is safe for concurrent use.
type Pool struct {
	limit  int64        // of open; 0: none
	open   atomic.Int64 // connections, those in use included
	closed atomic.Bool
	idle   []idleConns // by target
}

// idleConns are the connections to one target, the one used last at the end.
type idleConns struct {
	mu    sync.Mutex
	conns []*conn
	_     [64]byte // targets share no cache line
}

// NewPool returns a pool for a number of targets. Beyond limit connections, an idle one is closed for each new one; 0: no limit.
func NewPool(targets, limit int) *Pool {
	return &Pool{limit: int64(limit), idle: make([]idleConns, targets)}
}

// take returns an idle connection to the target, for a task or, if t is nil, for a goroutine; nil if there is none.
func (p *Pool) take(target int, t *loop.Task) *conn {
	i := &p.idle[target]
	i.mu.Lock()
	defer i.mu.Unlock()
	for n := len(i.conns) - 1; n >= 0; n-- {
		if c := i.conns[n]; c.serves(t) {
			i.conns = slices.Delete(i.conns, n, n+1)
			return c
		}
	}
	return nil
}

// put adds an idle connection.
func (p *Pool) put(target int, c *conn) {
	i := &p.idle[target]
	i.mu.Lock()
	defer i.mu.Unlock()
	if p.closed.Load() {
		p.close(c)
		return
	}
	i.conns = append(i.conns, c)
}

// reserve counts a connection that is about to be opened, and closes an idle one if there are too many.
func (p *Pool) reserve() {
	if p.open.Add(1) > p.limit && p.limit > 0 {
		p.closeOldest()
	}
}

// close closes a connection that was in use.
func (p *Pool) close(c *conn) {
	_ = c.Close() // nothing that matters is on its way
	p.open.Add(-1)
}

// closeOldest closes the connection that was idle for longest, to the target with the most idle ones.
func (p *Pool) closeOldest() {
	highest, at := 0, 0
	for t := range p.idle {
		i := &p.idle[t]
		i.mu.Lock()
		if n := len(i.conns); n > highest {
			highest, at = n, t
		}
		i.mu.Unlock()
	}
	i := &p.idle[at]
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.conns) > 0 {
		p.close(i.conns[0])
		i.conns = append(i.conns[:0], i.conns[1:]...)
	}
}

// Close closes the idle connections, and those that are put back later.
func (p *Pool) Close() {
	p.closed.Store(true)
	for t := range p.idle {
		i := &p.idle[t]
		i.mu.Lock()
		for _, c := range i.conns {
			p.close(c)
		}
		i.conns = nil
		i.mu.Unlock()
	}
}
