package transport

import (
	"errors"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"warp/internal/clock"
)

// Limits for connections that have not proved the token.
const (
	maxUnproved       = 64  // at a time
	maxUnprovedSource = 16  // of one source
	failuresSource    = 10  // failed attempts of one source in a row
	failuresAll       = 200 // and of all sources
	sourceRefill      = 6 * time.Second
	allRefill         = 100 * time.Millisecond
	sourceSlots       = 1024
)

var errTooMany = errors.New("too many connections or failed attempts; try again later")

// guard limits what connections without proof can cost. Its memory is constant: sources share slots by a secret hash.
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

// left returns what remains of the allowance at the time now.
func (b *bucket) left(now time.Time, most int, refill time.Duration) float64 {
	b.spent = max(0, b.spent-now.Sub(b.at).Seconds()/refill.Seconds())
	b.at = now
	return float64(most) - b.spent
}

func newGuard() *guard { return &guard{seed: maphash.MakeSeed()} }

// slot returns the counters of a source: an IPv4 address, or the /64 network of an IPv6 address.
func (g *guard) slot(addr netip.AddrPort) *sourceSlot {
	ip := addr.Addr().Unmap().WithZone("")
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			ip = p.Addr()
		}
	}
	return &g.source[maphash.Comparable(g.seed, ip)%sourceSlots]
}

// admit counts a new connection, or refuses it. Each admitted one must be released.
func (g *guard) admit(addr netip.AddrPort) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, now := g.slot(addr), clock.Now()
	if g.open >= maxUnproved || s.open >= maxUnprovedSource ||
		s.allowed.left(now, failuresSource, sourceRefill) < 1 || g.all.left(now, failuresAll, allRefill) < 1 {
		return errTooMany
	}
	g.open++
	s.open++
	return nil
}

// release ends the count of an admitted connection, which has proved the token or is closed. failed: it tried and could not
// prove the token.
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
