package agent

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/search"
)

// searchPlan returns a plan that searches for the highest load of stat on a server whose requests take 2 ms.
func searchPlan(t *testing.T, control search.Control) (*bench.Plan, *responder.Server) {
	t.Helper()
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: 2 * time.Millisecond} }})
	list, err := search.ParseObjectives("p99<1h", "errors<50%")
	if err != nil {
		t.Fatal(err)
	}
	p := harness.Plan(t, "stat", server.Host(), 0, "-objects=10")
	p.Phases[0].Search = &bench.Search{Config: search.Config{Objectives: list, Control: control, Budget: time.Hour, Trial: 500 * time.Millisecond, Seed: 1}}
	return p, server
}

// searchClients starts clients that are never the bottleneck.
func searchClients(t *testing.T, n int) (all []*testClient, addrs []string) {
	t.Helper()
	for range n {
		c := startClient(t, func(o *Options) { o.limits = func(*observe.Summary, ...observe.Share) []observe.Limit { return nil } })
		all, addrs = append(all, c), append(addrs, c.addr)
	}
	return all, addrs
}

// trialWatcher calls a function after each trial.
type trialWatcher struct {
	watcher
	after func(number int, o *search.Observation)
}

func (w *trialWatcher) Trial(number int, o *search.Observation, _ search.Verdict) { w.after(number, o) }

// TestSearchOnSeveralClients has three clients take part in each trial, until the search is interrupted. The counts of a trial cover
// what all clients recorded.
func TestSearchOnSeveralClients(t *testing.T) {
	t.Parallel()
	for _, control := range []search.Control{search.Rate, search.Threads} {
		t.Run(string(control), func(t *testing.T) {
			t.Parallel()
			p, server := searchPlan(t, control)
			_, addrs := searchClients(t, 3)
			ctx, interrupt := context.WithCancel(context.Background())
			defer interrupt()
			o := testOptions(addrs...)
			o.Observer = &trialWatcher{after: func(number int, _ *search.Observation) {
				if number == 4 {
					interrupt()
				}
			}}
			r, rec, err := runAll(ctx, p, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.InResult != 3 || len(r.Searches) != 1 || r.Incomplete != "" {
				t.Fatalf("%d clients in the result, %d searches, incomplete: %q", r.InResult, len(r.Searches), r.Incomplete)
			}
			found := r.Searches[0]
			if next, more := found.Config.Next(found.Trials); more && !r.Interrupted {
				t.Errorf("the search ended before %s", next)
			}
			if n := len(found.Trials); n == 0 || n > 5 || found.Config.MaxInflight != 6 || found.Trials[0].Threads != 6 {
				t.Fatalf("%d trials, %d operations at a time", n, found.Config.MaxInflight)
			}
			harness.SameAsRecording(t, r.Snapshot, rec.Bytes())
			recorded, clients := map[string]int{}, map[string]map[string]bool{}
			for _, o := range harness.ReadOps(t, bytes.NewReader(rec.Bytes())) {
				if recorded[o.Phase]++; clients[o.Phase] == nil {
					clients[o.Phase] = map[string]bool{}
				}
				clients[o.Phase][o.Client] = true
			}
			for i := range found.Trials {
				o, name := &found.Trials[i], found.Phases[i]
				if got := found.Counted(i, 1); got != recorded[name] {
					t.Errorf("%s: %d operations were counted, %d recorded", name, got, recorded[name])
				}
				if all := control == search.Rate || o.Threads >= 3; all && len(clients[name]) != 3 && recorded[name] > 20 {
					t.Errorf("%s: operations of %d clients", name, len(clients[name]))
				}
			}
			if left := server.Keys("bench"); len(left) > 0 {
				t.Errorf("%d objects are left", len(left))
			}
		})
	}
}

// TestSearchFindsCapacity has three clients search for the boundary of a pool of servers with fixed service times, which is its capacity: they find
// it within 5 %.
func TestSearchFindsCapacity(t *testing.T) {
	testkit.Soak(t)
	const servers, service = 8, 20 * time.Millisecond
	server := harness.Server(t, responder.Options{Rule: responder.Queue(op.Stat, servers, responder.Always(service))})
	list, err := search.ParseObjectives("p99<500ms")
	if err != nil {
		t.Fatal(err)
	}
	p := harness.Plan(t, "stat", server.Host(), 0, "-objects=10")
	p.Phases[0].Concurrency = 20
	p.Phases[0].Search = &bench.Search{Config: search.Config{Objectives: list, Control: search.Rate, Budget: 10 * time.Minute, Trial: 2 * time.Second, Seed: 1}}
	_, addrs := searchClients(t, 3)
	o := testOptions(addrs...)
	o.Observer = &trialWatcher{after: func(n int, o *search.Observation) {
		t.Logf("%d %s: achieved %.0f/s, aborted %v", n, o.Trial, o.Achieved, o.Aborted)
	}}
	r, _, err := runAll(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Near(t, "held", r.Searches[0].Result().Boundary.Held, servers/service.Seconds(), 0.05)
}

// TestSearchLosesClient loses a client in a trial. The trials before count, and the search ends: the load of the lost client is missing.
func TestSearchLosesClient(t *testing.T) {
	t.Parallel()
	p, _ := searchPlan(t, search.Rate)
	_, addrs := searchClients(t, 2)
	lost, _ := searchClients(t, 1)
	proxy := harness.StartProxy(t, lost[0].addr)
	o := testOptions(append(addrs, proxy.Addr())...)
	o.Grace = 3 * time.Second
	trials := 0
	o.Observer = &trialWatcher{after: func(number int, _ *search.Observation) {
		trials = number
		proxy.Cut(true)
	}}
	r, _, err := runAll(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Searches) != 1 || len(r.Searches[0].Trials) != trials || trials < 1 || r.InResult != 2 {
		t.Errorf("%d trials, and the result of %d clients has %+v", trials, r.InResult, r.Searches)
	}
	if _, more := r.Searches[0].Config.Next(r.Searches[0].Trials); !more {
		t.Skip("the machine stood still in the first trial, which ended the search before the client was lost")
	}
	if want := fmt.Sprintf("in trial %02d-", trials+1); !slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.Contains(w, want) && strings.HasSuffix(w, "client "+proxy.Addr()+" was lost")
	}) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
}

// TestSearchEndsWithClient shuts a client down in a trial, which ends the search of all.
func TestSearchEndsWithClient(t *testing.T) {
	t.Parallel()
	p, server := searchPlan(t, search.Rate)
	clients, addrs := searchClients(t, 3)
	o := testOptions(addrs...)
	stopped := make(chan struct{})
	o.Observer = &trialWatcher{after: func(number int, _ *search.Observation) {
		if number == 1 {
			go func() { clients[1].stop(); close(stopped) }()
		}
	}}
	r, _, err := runAll(context.Background(), p, o)
	<-stopped
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Searches) != 1 || len(r.Searches[0].Trials) < 1 || !strings.Contains(strings.Join(r.Warnings, "\n"), "the search ended before its time: in trial ") {
		t.Errorf("searches %+v, warnings %q", r.Searches, r.Warnings)
	}
	if left := server.Keys("bench"); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
}

// TestSearchAgrees: what the coordinator decides reaches all clients alike.
func TestSearchAgrees(t *testing.T) {
	t.Parallel()
	plan, _ := searchPlan(t, search.Rate)
	steps := make([][]bench.TrialStep, 3)
	var addrs []string
	for range 3 {
		c := startClient(t, func(o *Options) {
			o.run = func(ctx context.Context, j *job, st *protocol.Start, _ *protocol.Secrets) (d protocol.Done) {
				steps[st.Share.Index], d.Err = followTrials(ctx, &group{job: j, share: st.Share}, int(st.Share.Index))
				return d
			}
		})
		addrs = append(addrs, c.addr)
	}
	_, _ = coordinator.Run(context.Background(), plan, harness.Credentials, testOptions(addrs...))
	if len(steps[0]) != 4 || steps[0][3].Next != nil {
		t.Fatalf("steps %+v", steps[0])
	}
	for i, s := range steps[0] {
		for _, other := range steps[1:] {
			if len(other) != len(steps[0]) || !reflect.DeepEqual(other[i].Done, s.Done) || !reflect.DeepEqual(other[i].Next, s.Next) {
				t.Fatalf("step %d: %+v, of another client %+v", i, s, other)
			}
		}
		if s.Done == nil {
			continue
		}
		if want := float64(6 * i); s.Done.Achieved != want || s.Done.Counts[0][0].Operations != 33 || s.Done.Spent != 3*time.Second {
			t.Errorf("step %d: %+v, want the sum of all clients", i, s.Done)
		}
	}
}

// followTrials reports three trials; the last ends early on one client.
func followTrials(ctx context.Context, g *group, client int) (steps []bench.TrialStep, failed transport.PeerText) {
	fail := func(err error) ([]bench.TrialStep, transport.PeerText) { return steps, protocol.Short(err) }
	if _, err := g.Barrier(ctx, bench.StageBenchmark, nil); err != nil {
		return fail(err)
	}
	var mine *bench.TrialPart
	for i := range 4 {
		step, err := g.NextTrial(ctx, mine)
		if err != nil {
			return fail(err)
		}
		steps = append(steps, *step)
		if step.Next == nil {
			break
		}
		if step.Start.Before(clock.Now().Add(-time.Minute)) {
			return fail(fmt.Errorf("trial %d began at %v", i+1, step.Start))
		}
		mine = &bench.TrialPart{Good: float64((client + 1) * (i + 1)), Spent: time.Duration(client+1) * time.Second}
		for range 2 {
			blocks := make([]search.Count, step.Next.Blocks)
			blocks[0].Operations = float64(10 + client)
			mine.Counts = append(mine.Counts, blocks)
		}
		if i == 2 && client == 1 {
			mine = &bench.TrialPart{Ended: "no object was left"}
		}
	}
	_, err := g.Barrier(context.WithoutCancel(ctx), bench.StageCleanup, nil)
	if err != nil {
		return fail(err)
	}
	return steps, ""
}
