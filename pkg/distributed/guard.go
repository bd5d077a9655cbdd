package distributed

import (
	"errors"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"warp/internal/clock"
)

// What strangers may do at the port of a client.
const (
	maxStrangers       = 64  // connections that have not proved the token, at a time
	maxStrangersSource = 16  // of one source
	failuresSource     = 10  // failed attempts that one source may make in a row
	failuresAll        = 200 // and all together
	sourceRefill       = 6 * time.Second
	allRefill          = 100 * time.Millisecond
	sourceSlots        = 1024
)

var errCrowded = errors.New("too many connections or failed attempts; try again later")

// guard limits what strangers can cost. Its memory is constant: sources share slots by a hash that they cannot know.
type guard struct {
	mu     sync.Mutex
	seed   maphash.Seed
	open   int
	all    bucket
	source [sourceSlots]sourceSlot
}

type sourceSlot struct {
	open    int
	allowed bucket
}

// bucket is an allowance that refills by one at an interval.
type bucket struct {
	spent float64
	at    time.Time
}

// left is what remains of most at the time now.
func (b *bucket) left(now time.Time, most int, refill time.Duration) float64 {
	b.spent = max(0, b.spent-now.Sub(b.at).Seconds()/refill.Seconds())
	b.at = now
	return float64(most) - b.spent
}

func newGuard() *guard { return &guard{seed: maphash.MakeSeed()} }

// slot is where a source is counted: an IPv4 address, or the /64 network of an IPv6 address.
func (g *guard) slot(addr netip.AddrPort) *sourceSlot {
	ip := addr.Addr().Unmap().WithZone("")
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			ip = p.Addr()
		}
	}
	return &g.source[maphash.Comparable(g.seed, ip)%sourceSlots]
}

// admit lets a stranger in, or not. Whoever was admitted leaves by release.
func (g *guard) admit(addr netip.AddrPort) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, now := g.slot(addr), clock.Now()
	if g.open >= maxStrangers || s.open >= maxStrangersSource ||
		s.allowed.left(now, failuresSource, sourceRefill) < 1 || g.all.left(now, failuresAll, allRefill) < 1 {
		return errCrowded
	}
	g.open++
	s.open++
	return nil
}

// release takes one who was admitted off the count: it is no stranger any more, or it is gone. failed: it tried and
// could not prove the token.
func (g *guard) release(addr netip.AddrPort, failed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, now := g.slot(addr), clock.Now()
	g.open--
	s.open--
	if failed {
		s.allowed.left(now, failuresSource, sourceRefill)
		s.allowed.spent++
		g.all.left(now, failuresAll, allRefill)
		g.all.spent++
	}
}
