package agent

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/op"
)

// TestCounts: what the views of a coordinator get only grows, and in the end it is what the report says.
func TestCounts(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
		if kind == op.Get && n%10 == 3 {
			return responder.Fault{Status: 503, Delay: time.Millisecond}
		}
		return responder.Fault{Delay: time.Millisecond}
	}})
	_, addrs := startClients(t, 2)
	var mu sync.Mutex
	var counts func() []live.Count
	w := &watcher{onStage: func(s coordinator.Stage) {
		mu.Lock()
		defer mu.Unlock()
		counts = s.Counts
	}}
	o := testOptions(addrs...)
	over, enough := make(chan struct{}), make(chan int, 1)
	o.Observer, o.Counts, o.EndPhase = w, true, enough
	var watching sync.WaitGroup
	watching.Go(func() {
		var before []live.Count
		for {
			select {
			case <-over:
				return
			case <-time.After(20 * time.Millisecond):
			}
			mu.Lock()
			f := counts
			mu.Unlock()
			if f == nil {
				continue
			}
			now := f()
			checkGrowth(t, before, now)
			before = now
			if len(now) == 5 && !slices.ContainsFunc(now, func(c live.Count) bool { return len(c.Clients) < 2 }) { // preparation and four kinds, by both
				select {
				case enough <- 0:
				default:
				}
			}
		}
	})
	r, _, err := runAll(context.Background(), harness.Plan(t, "mixed", server.Host(), time.Hour, "-objects=20"), o)
	close(over)
	watching.Wait()
	if err != nil {
		t.Fatal(err)
	}
	got := counts()
	for _, g := range r.Snapshot.Groups {
		i := slices.IndexFunc(got, func(c live.Count) bool { return c.Phase == g.Phase && c.Kind == g.Kind })
		if i < 0 {
			t.Errorf("no counts of %s %s", g.Phase, g.Kind)
			continue
		}
		checkCount(t, &got[i], g)
	}
	if len(got) != len(r.Snapshot.Groups) {
		t.Errorf("%d counts, want %d", len(got), len(r.Snapshot.Groups))
	}
}

// checkGrowth checks that counts only grow.
func checkGrowth(t *testing.T, before, now []live.Count) {
	for _, b := range before {
		if !slices.ContainsFunc(now, func(n live.Count) bool {
			return n.Phase == b.Phase && n.Kind == b.Kind && n.Requests >= b.Requests && n.Latency.Count() >= b.Latency.Count()
		}) {
			t.Errorf("%s %s: %d requests, later fewer: %v", b.Phase, b.Kind, b.Requests, now)
		}
	}
}

// checkCount compares the last counts of two clients with the report.
func checkCount(t *testing.T, c *live.Count, g *aggregate.Group) {
	t.Helper()
	sum := live.SumResponses(c.Responses...)
	if c.Requests != g.Requests || c.Errors != g.Errors || c.Ops != g.Requests-g.Errors || c.Latency.Count() != c.Ops || sum.Ops != c.Requests || sum.Errors != c.Errors || sum.Bytes != c.Bytes {
		t.Errorf("%s %s: %d requests, %d errors, want %d and %d; %d latencies; by response %+v", g.Phase, g.Kind, c.Requests, c.Errors, g.Requests, g.Errors, c.Latency.Count(), sum)
	}
	if len(c.Clients) != 2 || c.Threads != g.Threads || c.Busy <= 0 || len(c.Hosts) != 1 {
		t.Errorf("%s %s: clients %v, %d threads (want %d), busy for %v, hosts %v", g.Phase, g.Kind, c.Clients, c.Threads, g.Threads, c.Busy, c.Hosts)
	}
	if c.First.After(g.Last) || c.Last.Before(g.First) {
		t.Errorf("%s %s: from %v to %v, the report has %v to %v", g.Phase, g.Kind, c.First, c.Last, g.First, g.Last)
	}
	if g.Errors > 0 && (len(c.ErrorsByClass) == 0 || len(c.FirstErrors) == 0) {
		t.Errorf("%s: errors by class %v, first ones %v", g.Kind, c.ErrorsByClass, c.FirstErrors)
	}
}

// TestCountsThatCannotBeSent: a kind whose counts cannot be sent holds up no other, and is sent again.
func TestCountsThatCannotBeSent(t *testing.T) {
	live := live.New(aggregate.Options{})
	s := &countSender{job: &job{}, sent: make(map[countKey]int64)}
	s.follow(live)
	begin := time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)
	var ops []op.Op
	for _, kind := range []op.Kind{op.Get, op.Put, op.Stat} {
		ops = append(ops, op.Op{Kind: kind, Start: begin, End: begin.Add(time.Millisecond), Objects: 1, Endpoint: "http://h:1", Status: 200})
	}
	_ = live.Write(ops)
	sent := func(fails op.Kind) (kinds []string) {
		s.sendChanged(func(k *protocol.KindCount) bool {
			if k.Kind != fails {
				kinds = append(kinds, string(k.Kind))
			}
			return k.Kind != fails
		})
		slices.Sort(kinds)
		return kinds
	}
	for i, step := range []struct {
		fails op.Kind
		want  []string
	}{{op.Put, []string{"GET", "STAT"}}, {op.Put, nil}, {"", []string{"PUT"}}, {"", nil}} {
		if got := sent(step.fails); !slices.Equal(got, step.want) {
			t.Errorf("step %d: sent %v, want %v", i, got, step.want)
		}
	}
}
