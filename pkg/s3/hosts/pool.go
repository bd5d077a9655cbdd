// Package hosts knows the hosts of a store: where the bucket is on each of them, which of them serves the next operation, and to which
// others a request may be redirected.
package hosts

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// Pool chooses the host of the next operation. Each Take must be followed by one Done, with the error of the operation. It is safe for
// concurrent use.
type Pool interface {
	Take() (host int)
	Done(host int, err error)
}

// NewPool makes a pool over n hosts: "roundrobin", or by load ("weighed", the default).
func NewPool(selection string, n int) Pool {
	switch {
	case n == 1:
		return Single(0)
	case selection == "roundrobin":
		p := &roundRobin{hosts: uint64(n)}
		p.next.Store(rand.Uint64N(uint64(n)))
		return p
	}
	return newWeighed(n)
}

// Single is a pool that always takes the same host.
type Single int

// Take takes the host.
func (s Single) Take() int { return int(s) }

// Done does nothing.
func (Single) Done(int, error) {}

// roundRobin takes hosts in turn. Where it begins is random, so that many clients do not all begin with the same host.
type roundRobin struct {
	hosts uint64
	next  atomic.Uint64
}

// Take takes the next host.
func (p *roundRobin) Take() int { return int((p.next.Add(1) - 1) % p.hosts) }

// Done does nothing.
func (p *roundRobin) Done(int, error) {}

// weighed takes the host with the fewest operations in flight; among equals the one that has been without a finished
// operation for longest. At the start, when none has finished, the order is random.
//
// A host that does not respond is over with its operations at once, so that it would get most of them. It is avoided for a
// while, longer after each failure in a row, unless all are down.
//
// A host is one word: operations in flight above, the turn of its last finished operation below. So a choice is a look
// at one word for each host, in a few cache lines, and no lock. Among very many hosts not all are looked at.
type weighed struct {
	loads  []atomic.Uint64
	silent []silence
	down   atomic.Int32 // hosts whose last operation was not responded
	_      [64]byte     // what follows changes all the time

	turn  atomic.Uint64 // counts finished operations
	start atomic.Uint64 // where to begin looking, if not all are looked at
}

// silence is how long a host has not responded.
type silence struct {
	failed atomic.Uint32 // operations in a row
	until  atomic.Int64  // avoid it until then, in Unix nanoseconds
}

// A host that does not respond is avoided for this long at first, and at most. The first failure is forgiven: a server may
// close a connection now and then.
const (
	firstAvoid = time.Millisecond
	maxAvoid   = 100 * time.Millisecond
)

const (
	turnBits    = 44 // enough for a month at a million operations per second
	oneInFlight = 1 << turnBits
	turnMask    = oneInFlight - 1
	maxLooks    = 256
)

func newWeighed(n int) *weighed {
	p := &weighed{loads: make([]atomic.Uint64, n), silent: make([]silence, n)}
	p.turn.Store(uint64(n))
	for host, rank := range rand.Perm(n) {
		p.loads[host].Store(uint64(rank))
	}
	return p
}

// Take takes the host with the least load.
func (p *weighed) Take() int {
	for {
		host, load := p.best(0)
		if p.down.Load() > 0 {
			if up, l := p.best(clock.Now().UnixNano()); l != math.MaxUint64 {
				host, load = up, l
			}
		}
		if p.loads[host].CompareAndSwap(load, load+oneInFlight) {
			return host
		}
	}
}

// best is the host to take, and its load. If now is not 0, hosts that are to be avoided then are left out; the load is
// math.MaxUint64 if that leaves none.
func (p *weighed) best(now int64) (host int, load uint64) {
	looks, at := len(p.loads), 0
	if looks > maxLooks {
		looks, at = maxLooks, int(p.start.Add(maxLooks)%uint64(len(p.loads)))
	}
	load = math.MaxUint64
	for range looks {
		if l := p.loads[at].Load(); l < load && (now == 0 || p.silent[at].until.Load() <= now) {
			host, load = at, l
		}
		if at++; at == len(p.loads) {
			at = 0
		}
	}
	return host, load
}

// Done notes the end of an operation.
func (p *weighed) Done(host int, err error) {
	if s3.NoResponse(err) {
		p.fail(host)
	} else if s3.HasResponse(err) && p.down.Load() > 0 && p.silent[host].failed.Swap(0) > 0 {
		p.silent[host].until.Store(0)
		p.down.Add(-1)
	}
	turn := p.turn.Add(1) & turnMask
	for {
		load := p.loads[host].Load()
		if p.loads[host].CompareAndSwap(load, (load-oneInFlight)&^turnMask|turn) {
			return
		}
	}
}

// fail notes that a host did not respond.
func (p *weighed) fail(host int) {
	s := &p.silent[host]
	n := s.failed.Add(1)
	if n == 1 {
		p.down.Add(1)
		return
	}
	s.until.Store(clock.Now().Add(min(maxAvoid, firstAvoid<<min(n-2, 10))).UnixNano())
}
