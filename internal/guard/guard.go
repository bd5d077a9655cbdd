// Package guard limits what the connections of strangers can cost a server whose users share a token.
//
// A connection is unproved until its side shows the token. Unproved connections are few, in total and for each source; once proved, a
// connection takes no room from them. Wrong tokens use up an allowance of their source, and one of all sources, which come back with time.
// Sources that showed the token within the last hour have room of their own, and the failures of others do not count against them.
package guard

import (
	"hash/maphash"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"warp/internal/clock"
)

// Limits of unproved connections and wrong tokens.
const (
	Unproved       = 64 // connections at a time
	UnprovedSource = 16 // of one source
	Kept           = 16 // more than Unproved, for sources that showed the token
	FailuresSource = 10 // wrong tokens of one source
	FailuresAll    = 200
	SourceRefill   = 6 * time.Second
	AllRefill      = 100 * time.Millisecond

	slots     = 1024
	knownTime = time.Hour
)

// Guard counts the connections of a server. Its memory is constant: sources share slots by a secret hash.
type Guard struct {
	now    func() time.Time
	proved int // most connections that have shown the token; 0: no limit

	mu       sync.Mutex
	seed     maphash.Seed
	unproved []*Visit // in the order of their arrival
	inside   int      // proved
	all      bucket
	source   [slots]slot
}

// slot is what is known of a source.
type slot struct {
	unproved int
	spent    bucket
	known    time.Time // until when it counts as one that showed the token
}

// bucket is an allowance that refills by one at an interval.
type bucket struct {
	spent float64
	at    time.Time
}

// left returns what remains of the allowance at the time now.
func (b *bucket) left(now time.Time, limit int, refill time.Duration) float64 {
	b.spent = max(0, b.spent-now.Sub(b.at).Seconds()/refill.Seconds())
	b.at = now
	return float64(limit) - b.spent
}

// New makes a guard that keeps at most this number of proved connections (0: any number). A nil now stands for clock.Now.
func New(proved int, now func() time.Time) *Guard {
	if now == nil {
		now = clock.Now
	}
	return &Guard{now: now, proved: proved, seed: maphash.MakeSeed()}
}

// Unproved returns the number of unproved connections.
func (g *Guard) Unproved() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.unproved)
}

// slot returns the state of a source: an IPv4 address, or the /64 network of an IPv6 address.
func (g *Guard) slot(addr netip.Addr) *slot {
	ip := addr.Unmap().WithZone("")
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			ip = p.Addr()
		}
	}
	return &g.source[maphash.Comparable(g.seed, ip)%slots]
}

// state of a visit.
type state int

const (
	unproved state = iota
	inside
	gone
)

// Visit is one connection. Its methods may be called concurrently.
type Visit struct {
	guard *Guard
	slot  *slot
	evict func()
	state state
}

// Enter counts a connection; nil: there is no room. A visit must be left.
//
// Where evict is given, a new connection always has room, at the cost of the oldest unproved one of the source with most of them: evict
// closes that. It suits servers whose connections are worth nothing until their first request has come.
func (g *Guard) Enter(from net.Addr, evict func()) *Visit {
	g.mu.Lock()
	v := &Visit{guard: g, slot: g.slot(addressOf(from)), evict: evict}
	var out *Visit
	full := v.slot.unproved >= UnprovedSource
	crowded := len(g.unproved) >= Unproved && (!v.slot.isKnown(g.now()) || len(g.unproved) >= Unproved+Kept)
	if full || crowded {
		if out = g.oldest(v.slot, full); out == nil {
			g.mu.Unlock()
			return nil
		}
		g.drop(out)
	}
	g.unproved = append(g.unproved, v)
	v.slot.unproved++
	g.mu.Unlock()
	if out != nil {
		out.evict()
	}
	return v
}

// oldest returns the oldest visit of a source, or else of the source with most visits, among those that can be evicted; nil: there is none.
func (g *Guard) oldest(own *slot, ofOwn bool) (found *Visit) {
	for _, v := range g.unproved {
		if v.evict == nil || ofOwn && v.slot != own {
			continue
		}
		if found == nil || v.slot.unproved > found.slot.unproved {
			found = v
		}
	}
	return found
}

// drop ends an unproved visit.
func (g *Guard) drop(v *Visit) {
	g.unproved = slices.DeleteFunc(g.unproved, func(u *Visit) bool { return u == v })
	v.slot.unproved--
	v.state = gone
}

func (s *slot) isKnown(now time.Time) bool { return now.Before(s.known) }

// MayTry reports whether the source of a visit may show a token: it has not sent too many wrong ones.
func (v *Visit) MayTry() bool {
	g := v.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	return v.slot.spent.left(now, FailuresSource, SourceRefill) >= 1 && (v.slot.isKnown(now) || g.all.left(now, FailuresAll, AllRefill) >= 1)
}

// Failed counts a wrong token.
func (v *Visit) Failed() {
	g := v.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.now()
	v.slot.spent.left(now, FailuresSource, SourceRefill)
	v.slot.spent.spent++
	g.all.left(now, FailuresAll, AllRefill)
	g.all.spent++
}

// Prove notes that the connection has shown the token. It reports false if there are too many such connections.
func (v *Visit) Prove() bool {
	g := v.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	v.slot.known = g.now().Add(knownTime)
	switch {
	case v.state == inside:
		return true
	case v.state == gone || g.proved > 0 && g.inside >= g.proved:
		return false
	}
	g.drop(v)
	v.state = inside
	g.inside++
	return true
}

// Leave ends the visit. It may be called again, and without a visit.
func (v *Visit) Leave() {
	if v == nil {
		return
	}
	g := v.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	switch v.state {
	case unproved:
		g.drop(v)
	case inside:
		g.inside--
		v.state = gone
	}
}

// addressOf returns the address of the other side without its port.
func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	p, _ := netip.ParseAddrPort(a.String()) // else all such addresses are one source
	return p.Addr()
}
