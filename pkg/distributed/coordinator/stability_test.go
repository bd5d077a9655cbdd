package coordinator

import (
	"fmt"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/bench"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
)

// manyClients is a benchmark with autoterm under way.
func manyClients(t testing.TB, n int) *coordinator {
	p := harness.Plan(t, "put", "127.0.0.1:1", time.Hour)
	p.Phases[0].Autoterm = &bench.Autoterm{MinDuration: time.Second, Percent: 10}
	c, err := newCoordinator(p, testOptions("a"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		m := newMember(c, i, fmt.Sprint("client", i), fmt.Sprint(i))
		t.Cleanup(func() { m.cancel(nil) })
		c.members = append(c.members, m)
	}
	c.begin(0)
	return c
}

// pointsOf is the points of a second, all of the same throughput.
func pointsOf(second int, each float64) []protocol.Rates {
	p := protocol.Rates{Second: second}
	for range aggregate.StableLast {
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
	one, two, three := c.members[0], c.members[1], c.members[2]
	uneven := pointsOf(10, 1)
	uneven[0].Objects[3] = 5
	c.hears(t, one, uneven)
	c.hears(t, three, pointsOf(10, 1))
	c.hears(t, three, pointsOf(10, 100)) // would drown what is uneven
	c.hears(t, two, pointsOf(10, 1))
	if c.stability.checked != 10 || c.endedPhases != 0 {
		t.Fatalf("looked at up to second %d, settled %d: the first client is not even", c.stability.checked, c.endedPhases)
	}
	c.hears(t, three, pointsOf(12, 1))
	c.hears(t, one, pointsOf(12, 1))
	if c.stability.checked != 10 {
		t.Fatal("a client was not waited for")
	}
	two.connected = false
	c.hears(t, one, pointsOf(13, 1))
	c.hears(t, three, pointsOf(13, 1))
	if c.stability.checked != 13 || c.endedPhases != 1 || len(c.stability.rates) != 0 {
		t.Errorf("looked at up to second %d, settled %d, %d seconds are kept", c.stability.checked, c.endedPhases, len(c.stability.rates))
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
				c.hears(b, c.members[i%n], list)
			}
		})
	}
}
