package lean

import (
	"sync"
	"sync/atomic"
)

// Pool is the connections that no client is using. Each client keeps the one that it used last, and gives it back when it
// turns to another target. So there are about as many connections as requests in flight, and not one for each client and
// target; and a client that stays with its target touches nothing that it shares. It is safe for concurrent use.
type Pool struct {
	most   int64        // connections to keep; 0: any number
	open   atomic.Int64 // connections there are, those in use too
	closed atomic.Bool
	idle   []idleConns // by target
}

// idleConns is the connections to one target, the one used last at the end.
type idleConns struct {
	mu    sync.Mutex
	conns []*conn
	_     [64]byte // so that targets share no cache line
}

// NewPool makes a pool for so many targets. When there are more than most connections, an idle one is closed for each new
// one; 0: none is.
func NewPool(targets, most int) *Pool {
	return &Pool{most: int64(most), idle: make([]idleConns, targets)}
}

// take gives a connection to the target, nil if none is idle.
func (p *Pool) take(target int) *conn {
	i := &p.idle[target]
	i.mu.Lock()
	defer i.mu.Unlock()
	n := len(i.conns)
	if n == 0 {
		return nil
	}
	c := i.conns[n-1]
	i.conns[n-1], i.conns = nil, i.conns[:n-1]
	return c
}

// put keeps a connection that nobody uses.
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

// making counts a connection that is about to be made, and makes room for it.
func (p *Pool) making() {
	if p.open.Add(1) > p.most && p.most > 0 {
		p.closeOldest()
	}
}

// close closes a connection that was in use.
func (p *Pool) close(c *conn) {
	_ = c.Close() // nothing that matters is on its way
	p.open.Add(-1)
}

// closeOldest closes the connection that was not used for longest, to the target with the most of them.
func (p *Pool) closeOldest() {
	most, at := 0, 0
	for t := range p.idle {
		i := &p.idle[t]
		i.mu.Lock()
		if n := len(i.conns); n > most {
			most, at = n, t
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

// Close closes the idle connections. Those that come back later are closed too.
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
