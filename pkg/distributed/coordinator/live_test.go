package coordinator

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/hist"
	"warp/pkg/op"
)

func testOptions(addrs ...string) Options {
	return Options{Clients: addrs, Token: harness.Token, Version: "test", Timing: harness.Timing}
}

// addMember adds a client without a connection.
func addMember(c *coordinator, addr, id string) *member {
	return c.addMember(newLink(&c.opts, nil, "", addr), id)
}

// BenchmarkLive is one live message at the coordinator.
func BenchmarkLive(b *testing.B) {
	p := harness.Plan(b, "mixed", "127.0.0.1:1", time.Second, "-objects=100")
	c, err := newCoordinator(p, testOptions("a"))
	if err != nil {
		b.Fatal(err)
	}
	m := addMember(c, "a", "id")
	defer m.cancel(nil)
	l := protocol.Live{Count: protocol.Count{Stage: bench.StageBenchmark}}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []op.Kind{op.Get, op.Put, op.Stat, op.Delete} {
		h := hist.New(hist.Live)
		for range 500 {
			h.Record(int64(30e6 * math.Exp(0.5*rng.NormFloat64())))
		}
		l.Kinds = append(l.Kinds, protocol.LiveKind{Kind: kind, Ops: 500, Bytes: 500 << 20, Objects: 500, Latency: h})
	}
	body, err := json.Marshal(l)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		inbox{c, m}.live(transport.Frame{Kind: protocol.MsgLive, Body: body})
	}
}

// TestMakerLeaves has another client make what one did not finish.
func TestMakerLeaves(t *testing.T) {
	c, err := newCoordinator(harness.Plan(t, "put", "127.0.0.1:1", time.Second), testOptions("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	c.phases.begun = true
	for i := range 2 {
		m := addMember(c, fmt.Sprint(i), fmt.Sprint(i))
		if err := c.onces.handle(m, protocol.MsgRunOnce, &protocol.SharedValue{Key: "k"}); err != nil {
			t.Fatal(err)
		}
	}
	c.drop(c.members.all[0], errors.New("lost"))
	if m := c.onces.values["k"].maker; m != c.members.all[1] {
		t.Errorf("the second client is not asked, but %v", m)
	}
	if err := c.onces.handle(c.members.all[0], protocol.MsgCreated, &protocol.SharedValue{Key: "k"}); err == nil {
		t.Error("a client made what it was no longer to make")
	}
	c.members.all[1].cancel(nil)
}

// TestWaitingIsNoStall drops a client that cleans up without progress, but not the one that waits for it to remove the bucket.
func TestWaitingIsNoStall(t *testing.T) {
	c, err := newCoordinator(harness.Plan(t, "put", "127.0.0.1:1", time.Second), testOptions("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	waiting, working := addMember(c, "a", "a"), addMember(c, "b", "b")
	defer waiting.cancel(nil)
	for _, a := range []struct {
		m     *member
		stage string
	}{{working, bench.StageCleanup}, {waiting, bench.StageCleanup}, {waiting, bench.StageRemove}} {
		if err := (inbox{c, a.m}).arrival(&protocol.Arrival{Stage: a.stage}); err != nil {
			t.Fatal(err)
		}
	}
	at := clock.Now()
	if c.dropStalled(at.Add(time.Second)); waiting.err != nil || working.err != nil {
		t.Fatalf("dropped after a second: %v, %v", waiting.err, working.err)
	}
	if c.dropStalled(at.Add(time.Hour)); waiting.err != nil || working.err == nil {
		t.Errorf("after an hour the waiting client has error %v, the stalled one %v", waiting.err, working.err)
	}
}

// FuzzLive feeds live messages to a coordinator.
func FuzzLive(f *testing.F) {
	f.Add([]byte(`{"at":5,"stage":"benchmark","done":3,"kinds":[{"op":"GET","ops":3,"latency":"BQAODg5ASIAAAAAAAAcB"}]}`))
	f.Add([]byte(`{"at":-5,"kinds":[{},{},{"ops":-9223372036854775808}],"points":[{"second":1,"bytes":[1,1,1,1,1,1,1],"objects":[1,1,1,1,1,1,1]}]}`))
	f.Add([]byte(`{"points":[{"second":0,"bytes":[],"objects":[]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		o := testOptions("a", "b")
		c, err := newCoordinator(harness.Plan(t, "put", "127.0.0.1:1", time.Second), o)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			addMember(c, "x", "id")
		}
		c.beginPhase(0)
		for _, m := range c.members.all {
			inbox{c, m}.live(transport.Frame{Kind: protocol.MsgLive, Body: body})
			inbox{c, m}.live(transport.Frame{Kind: protocol.MsgLive, Body: body})
			m.cancel(nil)
		}
		c.figures.recent(c.members.all, time.Now())
		c.members.progress("benchmark")
	})
}

// manyClients is a benchmark with autoterm under way.
func manyClients(t testing.TB, n int) *coordinator {
	p := harness.Plan(t, "put", "127.0.0.1:1", time.Hour)
	p.Phases[0].Autoterm = &bench.Autoterm{MinDuration: time.Second, Percent: 10}
	c, err := newCoordinator(p, testOptions("a"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		m := addMember(c, fmt.Sprint("client", i), fmt.Sprint(i))
		t.Cleanup(func() { m.cancel(nil) })
	}
	c.beginPhase(0)
	return c
}

// pointsOf is the points of a second, all of the same throughput.
func pointsOf(second int, each float64) []protocol.Rates {
	p := protocol.Rates{Second: second}
	for range live.StableKept {
		p.Bytes, p.Objects = append(p.Bytes, 0), append(p.Objects, each)
	}
	return []protocol.Rates{p}
}

// hears has the coordinator hear the points of a client.
func (c *coordinator) hears(t testing.TB, m *member, list []protocol.Rates) {
	t.Helper()
	if err := c.stability.add(m, list); err != nil {
		t.Fatal(err)
	}
	c.checkStability(list)
}

// TestStableOfAll waits for all clients that can tell, whatever their order, and counts none twice.
func TestStableOfAll(t *testing.T) {
	c := manyClients(t, 3)
	one, two, three := c.members.all[0], c.members.all[1], c.members.all[2]
	uneven := pointsOf(10, 1)
	uneven[0].Objects[3] = 5
	c.hears(t, one, uneven)
	c.hears(t, three, pointsOf(10, 1))
	c.hears(t, three, pointsOf(10, 100)) // would drown what is uneven
	c.hears(t, two, pointsOf(10, 1))
	if c.stability.checked != 10 || c.phases.ended != 0 {
		t.Fatalf("looked at up to second %d, settled %d: the first client is not even", c.stability.checked, c.phases.ended)
	}
	c.hears(t, three, pointsOf(12, 1))
	c.hears(t, one, pointsOf(12, 1))
	if c.stability.checked != 10 {
		t.Fatal("a client was not waited for")
	}
	two.connected = false
	c.hears(t, one, pointsOf(13, 1))
	c.hears(t, three, pointsOf(13, 1))
	if c.stability.checked != 13 || c.phases.ended != 1 || len(c.stability.rates) != 0 {
		t.Errorf("looked at up to second %d, settled %d, %d seconds are kept", c.stability.checked, c.phases.ended, len(c.stability.rates))
	}
	if want := "no drift beyond its error: +0.0% a minute"; len(c.results.notes) != 1 || !strings.Contains(c.results.notes[0], want) {
		t.Errorf("notes %q, want %q", c.results.notes, want)
	}
}

// BenchmarkAutoterm is what the points of a client cost, which must not depend on how many others there are.
func BenchmarkAutoterm(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := manyClients(b, n)
			list := pointsOf(0, 1)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				list[0].Second = i/n + 1
				list[0].Objects[0] = float64(1 + i%n%2*9) // never stable
				c.hears(b, c.members.all[i%n], list)
			}
		})
	}
}

// TestStatisticsOfAllClientsAreLimited before a client is asked for anything.
func TestStatisticsOfAllClientsAreLimited(t *testing.T) {
	p := harness.Plan(t, "mixed", "127.0.0.1:1", time.Second, "-objects=100")
	first := p.Phases[0]
	p.Phases = nil
	for i := range bench.MaxPhases {
		first.Name = fmt.Sprint("p", i)
		p.Phases = append(p.Phases, first)
	}
	clients := make([]string, 1000)
	if _, err := newCoordinator(p, testOptions(clients[:10]...)); err != nil {
		t.Error(err)
	}
	if _, err := newCoordinator(p, testOptions(clients...)); err == nil || !strings.Contains(err.Error(), "statistics of 404 pairs of phase and kind of operation") {
		t.Errorf("error is %v", err)
	}
}
