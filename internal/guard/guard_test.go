package guard

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

// virtual is a guard whose time stands still until it is moved.
type virtual struct {
	*Guard
	at time.Time
}

func newVirtual(proved int) *virtual {
	v := &virtual{at: time.Unix(1, 0)}
	v.Guard = New(proved, func() time.Time { return v.at })
	return v
}

func addr(ip string) net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(ip), 1))
}

// another returns an address whose slot is not that of others.
func (v *virtual) another(others ...net.Addr) net.Addr {
	for i := range 256 {
		a := addr(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}).String())
		shared := false
		for _, o := range others {
			shared = shared || v.slot(addressOf(a)) == v.slot(addressOf(o))
		}
		if !shared {
			return a
		}
	}
	panic("all addresses share a slot")
}

// fill has a source enter until it is refused.
func (v *virtual) fill(a net.Addr, evict func()) (visits []*Visit) {
	for {
		visit := v.Enter(a, evict)
		if visit == nil {
			return visits
		}
		visits = append(visits, visit)
	}
}

func TestSources(t *testing.T) {
	g := newVirtual(0)
	a, b, same := addr("192.0.2.1"), addr("2001:db8::1"), addr("2001:db8::ffff")
	if g.slot(addressOf(b)) != g.slot(addressOf(same)) {
		t.Error("addresses of one IPv6 network are counted apart")
	}
	if g.slot(addressOf(a)) != g.slot(addressOf(addr("::ffff:192.0.2.1"))) {
		t.Error("one IPv4 address in two forms is counted apart")
	}
	visits := g.fill(a, nil)
	if len(visits) != UnprovedSource {
		t.Errorf("one source has %d connections, want %d", len(visits), UnprovedSource)
	}
	other := g.another(a)
	if v := g.Enter(other, nil); v == nil {
		t.Error("a full source keeps others out")
	} else {
		v.Leave()
		v.Leave()
	}
	visits[0].Leave()
	visits[1].Prove()
	if n := len(g.fill(a, nil)); n != 2 {
		t.Errorf("there is room for %d, want 2: for one that left and one that showed the token", n)
	}
	if n := g.Guard.Unproved(); n != UnprovedSource {
		t.Errorf("%d unproved connections", n)
	}
}

// TestFloodOfSources: many sources fill what is for strangers, and not what is kept for those who have shown the token.
func TestFloodOfSources(t *testing.T) {
	g := newVirtual(0)
	friend := addr("192.0.2.1")
	v := g.Enter(friend, nil)
	v.Prove()
	v.Leave()
	for i := range 200 {
		a := addr(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String())
		if g.slot(addressOf(a)) != g.slot(addressOf(friend)) {
			g.Enter(a, nil)
		}
	}
	if n := g.Guard.Unproved(); n != Unproved {
		t.Fatalf("%d strangers, want %d", n, Unproved)
	}
	for i := range FailuresAll {
		g.unproved[i%Unproved].Failed()
	}
	if g.unproved[0].MayTry() {
		t.Error("all sources together may fail without end")
	}
	if v = g.Enter(friend, nil); v == nil || !v.MayTry() {
		t.Fatal("who has shown the token is kept out by strangers")
	}
	if n := len(g.fill(friend, nil)); n != Kept-1 {
		t.Errorf("room for %d more, want %d", n, Kept-1)
	}
	g.at = g.at.Add(knownTime)
	v.Leave()
	if g.Enter(friend, nil) != nil {
		t.Error("a source is known for longer than it should be")
	}
}

func TestWrongTokens(t *testing.T) {
	g := newVirtual(0)
	a := addr("192.0.2.1")
	v := g.Enter(a, nil)
	for i := range FailuresSource {
		if !v.MayTry() {
			t.Fatalf("attempt %d is refused", i)
		}
		v.Failed()
	}
	if v.MayTry() || g.Enter(a, nil).MayTry() {
		t.Error("one attempt too many is allowed")
	}
	if !g.Enter(g.another(a), nil).MayTry() {
		t.Error("another source may not try")
	}
	g.at = g.at.Add(SourceRefill)
	if !v.MayTry() {
		t.Error("the allowance does not come back")
	}
	v.Failed()
	if v.MayTry() {
		t.Error("more than one attempt came back")
	}
}

// TestOldestMakesRoom: where connections can be evicted, nobody is refused, and a crowd makes room, not a single stranger.
func TestOldestMakesRoom(t *testing.T) {
	g := newVirtual(0)
	quiet := addr("192.0.2.1")
	evicted := map[int]bool{}
	single := g.Enter(quiet, func() { t.Error("a single stranger is evicted") })
	crowd := g.another(quiet)
	for i := range 10 * UnprovedSource {
		if g.Enter(crowd, func() { evicted[i] = true }) == nil {
			t.Fatalf("connection %d is refused", i)
		}
	}
	for i := range 10 * UnprovedSource {
		if want := i < 9*UnprovedSource; evicted[i] != want {
			t.Errorf("connection %d: evicted %v, want %v", i, evicted[i], want)
		}
	}
	for i := range Unproved - UnprovedSource { // then the crowd is small, and the single one the oldest of all
		a := addr(netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String())
		if g.slot(addressOf(a)) != g.slot(addressOf(quiet)) && g.Enter(a, func() {}) == nil {
			t.Fatal("refused")
		}
		if n := g.Guard.Unproved(); n > Unproved {
			t.Fatalf("%d strangers at a time", n)
		}
	}
	if !single.Prove() {
		t.Error("the single stranger has no place")
	}
}

func TestProved(t *testing.T) {
	g := newVirtual(2)
	a := addr("192.0.2.1")
	one, two, three := g.Enter(a, nil), g.Enter(a, nil), g.Enter(a, nil)
	for _, v := range []*Visit{one, one, two} {
		if !v.Prove() {
			t.Error("no place for who shows the token")
		}
	}
	if three.Prove() {
		t.Error("a third place of two")
	}
	one.Leave()
	one.Leave()
	if !three.Prove() {
		t.Error("no place although one has left")
	}
	if one.Prove() {
		t.Error("a connection that has left has a place")
	}
}
