package s3

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// pool chooses the host of the next operation. Every take must be followed by one done. It is safe for concurrent use.
type pool interface {
	take() (host int)
	done(host int)
}

// newPool makes a pool over n hosts: "roundrobin", or by load ("weighed", the default).
func newPool(selection string, n int) pool {
	switch {
	case n == 1:
		return single{}
	case selection == "roundrobin":
		p := &roundRobin{hosts: uint64(n)}
		p.next.Store(rand.Uint64N(uint64(n)))
		return p
	}
	return newWeighed(n)
}

type single struct{}

func (single) take() int { return 0 }
func (single) done(int)  {}

// roundRobin takes hosts in turn. Where it begins is random, so that many clients do not all begin with the same host.
type roundRobin struct {
	hosts uint64
	next  atomic.Uint64
}

func (p *roundRobin) take() int { return int((p.next.Add(1) - 1) % p.hosts) }
func (p *roundRobin) done(int)  {}

// weighed takes the host with the fewest operations in flight; among equals the one that has been without a finished
// operation for longest. At the start, when none has finished, the order is random.
//
// A host is one word: operations in flight above, the turn of its last finished operation below. So a choice is a look
// at one word for each host, in a few cache lines, and no lock. Among very many hosts not all are looked at.
type weighed struct {
	turn  atomic.Uint64 // counts finished operations
	start atomic.Uint64 // where to begin looking, if not all are looked at
	loads []atomic.Uint64
}

const (
	turnBits    = 44 // enough for a month at a million operations per second
	oneInFlight = 1 << turnBits
	turnMask    = oneInFlight - 1
	maxLooks    = 256
)

func newWeighed(n int) *weighed {
	p := &weighed{loads: make([]atomic.Uint64, n)}
	p.turn.Store(uint64(n))
	for host, rank := range rand.Perm(n) {
		p.loads[host].Store(uint64(rank))
	}
	return p
}

func (p *weighed) take() int {
	for {
		host, load := p.best()
		if p.loads[host].CompareAndSwap(load, load+oneInFlight) {
			return host
		}
	}
}

// best is the host to take, and its load.
func (p *weighed) best() (host int, load uint64) {
	looks, at := len(p.loads), 0
	if looks > maxLooks {
		looks, at = maxLooks, int(p.start.Add(maxLooks)%uint64(len(p.loads)))
	}
	load = math.MaxUint64
	for range looks {
		if l := p.loads[at].Load(); l < load {
			host, load = at, l
		}
		if at++; at == len(p.loads) {
			at = 0
		}
	}
	return host, load
}

func (p *weighed) done(host int) {
	turn := p.turn.Add(1) & turnMask
	for {
		load := p.loads[host].Load()
		if p.loads[host].CompareAndSwap(load, (load-oneInFlight)&^turnMask|turn) {
			return
		}
	}
}
