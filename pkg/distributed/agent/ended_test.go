package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/internal/harness/runs"
	"warp/pkg/op"
)

// TestEndedClient ends one of two clients in each phase of runs of several phases. The other goes on, the result covers each phase by those who
// finished it, says who did not, and equals the recordings of those who did.
func TestEndedClient(t *testing.T) {
	t.Parallel()
	for name, phases := range map[string]func(*testing.T, string) *bench.Plan{"scenario": runs.Scenario, "sweep": runs.Sweep, "search": runs.Search} {
		for phase := range 3 {
			for _, how := range []runs.Way{runs.ByRequest, runs.ByKill} {
				t.Run(fmt.Sprintf("%s, phase %d, %s", name, phase+1, how), func(t *testing.T) {
					t.Parallel()
					endClient(t, phases, phase, how)
				})
			}
		}
	}
}

func endClient(t *testing.T, plan func(*testing.T, string) *bench.Plan, phase int, way runs.Way) {
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: 2 * time.Millisecond} }})
	near, _ := searchClients(t, 1)
	far := startClient(t, func(o *Options) {
		if way == runs.ByKill {
			o.Grace = 300 * time.Millisecond
		}
	})
	proxy := harness.StartProxy(t, far.addr)
	r := &runs.Ended{Plan: plan(t, server.Host()), Phase: phase, Way: way, Why: errShutDown.Error(), Over: t.Context()}
	o := testOptions(near[0].addr, proxy.Addr())
	r.End, r.Ended = func() { go far.stop() }, func() bool { return strings.Contains(far.logged(), "The client ends when the run") }
	if way == runs.ByKill {
		o.Grace = 300 * time.Millisecond
		r.End, r.Ended = func() { proxy.Cut(true) }, func() bool { return strings.Contains(r.Text(), "Lost the connection to client") }
	}
	r.Observe(&o)
	result, rec, err := runAll(context.Background(), r.Plan, o)
	if err != nil {
		t.Fatal(err)
	}
	harness.Until(t, "the ended client is free", func() bool { return far.busy() == "" })
	r.Check(t, result, rec.Bytes(), near[0].opts.Dir, far.opts.Dir)
	for _, log := range []string{near[0].logged(), far.logged(), strings.Join(result.Warnings, "\n"), r.Text()} {
		if strings.Contains(log, "before the benchmark began") || strings.Contains(log, "cancelled") {
			t.Errorf("a text that is not true: %s", log)
		}
	}
}

// TestEndedInPreparation: without one of its clients a benchmark does not begin, and the error says which one, and why.
func TestEndedInPreparation(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: 5 * time.Millisecond} }})
	near, far := startClient(t, nil), startClient(t, nil)
	o := testOptions(near.addr, far.addr)
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		if s.Name == bench.StagePrepare {
			go far.stop()
		}
	}}
	_, _, err := runAll(context.Background(), harness.Plan(t, "get", server.Host(), time.Second, "-objects=100000"), o)
	if want := fmt.Sprintf("client %s: %s", far.addr, errShutDown); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	harness.Until(t, "the other client is free", func() bool { return near.busy() == "" })
	if left := server.Keys("bench"); len(left) > 0 {
		t.Errorf("%d objects are left", len(left))
	}
}

// TestEndedReplay: what a client performed of its part counts as sent if it is in the result, and as not sent otherwise.
func TestEndedReplay(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	p := runs.Player(t, 2000, 200)
	near, far := startClient(t, nil), startClient(t, nil)
	plan, divided := runs.Replay(t, server.Host(), p, 2)
	o := testOptions(near.addr, far.addr)
	o.Traces = []coordinator.Trace{divided}
	o.Observer = &watcher{onStage: inBenchmark(t, func() { go far.stop() })}
	r, rec, err := runAll(context.Background(), plan, o)
	if err != nil {
		t.Fatal(err)
	}
	runs.CheckReplay(t, r, rec.Bytes(), p.Operations)
}
