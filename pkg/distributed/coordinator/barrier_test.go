package coordinator

import (
	"errors"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
)

// TestBarrierStates: a barrier waits for all clients that take part, and fails if one cannot go on.
func TestBarrierStates(t *testing.T) {
	c, err := newCoordinator(harness.Plan(t, "put", "127.0.0.1:1", time.Second), testOptions("a", "b", "c"))
	if err != nil {
		t.Fatal(err)
	}
	one, two, three := addMember(c, "a", "a"), addMember(c, "b", "b"), addMember(c, "c", "c")
	arrive := func(m *member, k protocol.Arrival) *barrier {
		t.Helper()
		if err := (inbox{c, m}).arrival(&k); err != nil {
			t.Fatal(err)
		}
		return c.barriers.list[len(c.barriers.list)-1]
	}
	begin := protocol.Arrival{Stage: bench.StageBenchmark}
	arrive(one, begin)
	arrive(two, begin)
	if g := arrive(three, begin); g.state != released || !c.phases.begun {
		t.Fatalf("all have arrived, and the barrier has state %d", g.state)
	}
	g := arrive(one, begin)
	arrive(two, begin)
	if g.state != waiting {
		t.Fatalf("a client is missing, and the barrier has state %d", g.state)
	}
	c.drop(three, errors.New("lost"))
	if g.state != released {
		t.Errorf("the missing client was lost, and the barrier has state %d", g.state)
	}
	arrive(one, protocol.Arrival{Stage: bench.StageCleanup})
	if g := arrive(two, protocol.Arrival{Stage: bench.StageCleanup}); g.state != waiting {
		t.Error("clients clean up before their results are safe")
	}
}

// TestBarrierFails: no benchmark begins if a client cannot take part.
func TestBarrierFails(t *testing.T) {
	c, err := newCoordinator(harness.Plan(t, "put", "127.0.0.1:1", time.Second), testOptions("a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	one, two := addMember(c, "a", "a"), addMember(c, "b", "b")
	for _, m := range []*member{one, two} {
		k := protocol.Arrival{Stage: bench.StageBenchmark}
		if m == two {
			k.Err = "no room"
		}
		if err := (inbox{c, m}).arrival(&k); err != nil {
			t.Fatal(err)
		}
	}
	if g := c.barriers.list[0]; g.state != failed || g.err != "client b: no room" || c.phases.begun || !c.phases.stopping {
		t.Errorf("the barrier has state %d, error %q; begun %v, stopping %v", g.state, g.err, c.phases.begun, c.phases.stopping)
	}
	if c.results.aborted == nil {
		t.Error("the benchmark has not been given up")
	}
}
