package agent

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// Where a faultyStore panics.
const (
	nowhere = iota
	inTheRun
	inAWorker
)

type faultyStore struct {
	s3.Store
	where *atomic.Int32
}

type faultySession struct {
	s3.Session
	where *atomic.Int32
}

// Session panics in the goroutine of the run, if it is to.
func (s faultyStore) Session(worker int) s3.Session {
	if s.where.Load() == inTheRun {
		panic("out of its depth")
	}
	return faultySession{s.Store.Session(worker), s.where}
}

// Do panics in the goroutine of a worker, if it is to.
func (s faultySession) Do(ctx context.Context, c *s3.Call) error {
	if s.where.Load() == inAWorker {
		panic("out of its depth")
	}
	return s.Session.Do(ctx, c)
}

// TestPanicEndsTheRun has a client panic in a run: that run ends, in words that both sides hear, and the client performs the
// next one.
func TestPanicEndsTheRun(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	var where atomic.Int32
	bad := startClient(t, func(o *Options) {
		o.OpenStore = func(c s3.Config) (s3.Store, error) {
			store, err := connect.New(c)
			return faultyStore{store, &where}, err
		}
	})
	for name, at := range map[string]int32{"in the run": inTheRun, "in a worker": inAWorker} {
		t.Run(name, func(t *testing.T) {
			where.Store(at)
			_, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Minute), testOptions(bad.addr))
			if err == nil || !strings.Contains(err.Error(), "client "+bad.addr+": ") || !strings.Contains(err.Error(), "a fault of warp itself, please report it: out of its depth") {
				t.Errorf("the coordinator is told %v", err)
			}
			harness.Until(t, "the client is free", func() bool { return bad.busy() == "" })
			if log := bad.logged(); !strings.Contains(log, "out of its depth") || !strings.Contains(log, "panic_test.go:") {
				t.Errorf("the log has no stack: %s", log)
			}
			where.Store(nowhere)
			if r, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 100*time.Millisecond), testOptions(bad.addr)); err != nil || r.InResult != 1 {
				t.Errorf("the next run: %v", err)
			}
		})
	}
}

// TestBadPlans are refused in words, whatever they hold; the client performs the next run.
func TestBadPlans(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	c := startClient(t, nil)
	for name, tt := range map[string]struct {
		change func(*protocol.Start)
		want   string
	}{
		"no plan":           {func(st *protocol.Start) { st.Plan = nil }, "sent no plan"},
		"no share":          {func(st *protocol.Start) { st.Share.Total = 0 }, "invalid share: 0 of 0"},
		"another's share":   {func(st *protocol.Start) { st.Share.Index = 1 }, "invalid share: 1 of 1"},
		"an enormous share": {func(st *protocol.Start) { st.Share.Total = 1 << 62 }, "4611686018427387904"},
		"a path for a name": {func(st *protocol.Start) { st.ID = "../../x" }, "invalid id"},
		"no name":           {func(st *protocol.Start) { st.ID = "" }, "invalid id"},
		"too many phases": {func(st *protocol.Start) {
			for range bench.MaxPhases {
				st.Plan.Phases = append(st.Plan.Phases, st.Plan.Phases[0])
			}
		}, "phases"},
		"an unknown workload": {func(st *protocol.Start) { st.Plan.Phases[0].Workload = "sing" }, `unknown workload "sing"`},
	} {
		st := &protocol.Start{Plan: harness.Plan(t, "put", server.Host(), time.Second), ID: "abcd"}
		st.Share.Total = 1
		tt.change(st)
		j := newJob(&c.opts, identity{}, "run", "tester")
		if report := performPlan(context.Background(), j, st, &protocol.Secrets{}); !strings.Contains(string(report.Err), tt.want) {
			t.Errorf("%s: %q", name, report.Err)
		}
		j.connection.end()
	}
	if _, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 50*time.Millisecond), testOptions(c.addr)); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

// TestStopsWithoutEnd: what a coordinator says of the end of a phase again and again, or of invalid phases, is kept once
// or not at all.
func TestStopsWithoutEnd(t *testing.T) {
	t.Parallel()
	c := startClient(t, nil)
	j := newJob(&c.opts, identity{}, "run", "tester")
	defer j.connection.end()
	for _, phase := range []int{-1, bench.MaxPhases} {
		if err := j.endPhase(protocol.Stop{Stable: true, Phase: phase}); err == nil {
			t.Errorf("phase %d was ended", phase)
		}
	}
	for range 1000 {
		if err := j.endPhase(protocol.Stop{Stable: true, Phase: 3, At: time.Now().UnixNano()}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.endPhase(protocol.Stop{Stable: true, Cut: true, Phase: 4, At: time.Now().UnixNano()}); err != nil {
		t.Fatal(err)
	}
	<-j.stableEnds.Ended(3)
	<-j.cuts.Ended(4)
}
