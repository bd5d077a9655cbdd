package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// What a run left is removed by its plan: each client's share alone, or all, and nothing of others.
func TestCleanupByPlan(t *testing.T) {
	ctx := context.Background()
	eachEngine(t, func(t *testing.T, engine string) {
		for _, shared := range []bool{false, true} {
			for _, versions := range []responder.Versions{responder.VersionsNone, responder.VersionsSuspended, responder.VersionsMadeUp} {
				s := oddly(t, engine, responder.Options{Versions: versions})
				put := func(key, text string) {
					if err := ops.Put(ctx, s.Session(0), &s3.Call{Key: key, Body: strings.NewReader(text), Size: int64(len(text))}); err != nil {
						t.Fatal(err)
					}
				}
				j := job{workload: "stat", change: func(p *bench.Plan) {
					p.Target, p.KeepData, p.SharedData, p.RunID = s.cfg, true, shared, "run"
				}}
				for i, c := range newCompany(2).runAll(t, j, s, nil) {
					if c.err != nil {
						t.Fatalf("client %d: %v", i, c.err)
					}
				}
				put("mine/letter.txt", "x")
				put("0.aaaaaaaaaaaaaaaa.rnd", "x")
				plan := j.plan(t, s)
				all := uint64(80)
				if shared {
					all = 40
				}
				before, first := s.left(), uint64(0)
				clean := func(change func(*bench.Cleanup)) *bench.Cleaned {
					t.Helper()
					c := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, plan), Target: s.cfg, Store: s, Threads: 3, Clients: 2}
					change(c)
					done, err := c.Run(ctx)
					if err != nil {
						t.Fatal(err)
					}
					return done
				}
				shown := uint64(0)
				if done := clean(func(c *bench.Cleanup) { c.Show = func(bench.Leftover) { shown++ } }); done.Objects != all || shown < all || !slices.Equal(s.left(), before) {
					t.Errorf("%d objects would be removed, %d were shown; want %d", done.Objects, shown, all)
				}
				if done := clean(func(c *bench.Cleanup) { c.Client = &first }); done.Objects != all/2 {
					t.Errorf("%d objects of the first client were removed, want %d", done.Objects, all/2)
				}
				if done := clean(func(*bench.Cleanup) {}); done.Objects != all/2 || done.Bucket {
					t.Errorf("%+v were removed, want %d objects", done, all/2)
				}
				if left := s.left(); !slices.Equal(left, []string{"0.aaaaaaaaaaaaaaaa.rnd", "mine/letter.txt"}) {
					t.Errorf("left: %q", left)
				}
			}
		}
	})
}

// TestCleanupOfARunUnderWay: the objects of a run whose claim is younger than what it planned stay, unless it is known to be over.
func TestCleanupOfARunUnderWay(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	change := func(p *bench.Plan) { p.Target, p.RunID = s.cfg, "live" }
	_, _, err := job{workload: "put", change: change, place: "here", observe: watch{func(st bench.Stage) {
		if st.Name != bench.StageCleanup {
			return
		}
		plan := job{workload: "put", change: change}.plan(t, s)
		for _, c := range []struct {
			name    string
			cleanup bench.Cleanup
			removed bool
		}{
			{"external", bench.Cleanup{}, false},
			{"with a copy", bench.Cleanup{Place: "there"}, false},
			{"only shown", bench.Cleanup{Show: func(bench.Leftover) {}}, false},
			{"its recording is free", bench.Cleanup{Place: "here"}, true},
		} {
			c.cleanup.Plan, c.cleanup.Target, c.cleanup.Store = bench.Decoded(t, plan), s.cfg, s
			_, err := c.cleanup.Run(context.Background())
			if refused := err != nil && strings.Contains(err.Error(), "under way on another machine"); refused == (c.removed || c.cleanup.Show != nil) {
				t.Errorf("%s: %v", c.name, err)
			}
			if left := s.left(); c.removed == (len(left) > 0) {
				t.Errorf("%s: left %q", c.name, left)
			}
		}
	}}}.run(context.Background(), t, s.Store)
	if err != nil {
		t.Error(err)
	}
}

// A claim of another run with the seed says that its objects have the same names.
func TestCleanupBesideAnotherRun(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	var plan *bench.Plan
	var refused, forced error
	_, _, err := job{workload: "put", change: func(p *bench.Plan) { p.Target, p.RunID = s.cfg, "live" }, observe: watch{func(st bench.Stage) {
		if st.Name != bench.StageCleanup {
			return
		}
		plan = job{workload: "put", change: func(p *bench.Plan) { p.Target, p.RunID = s.cfg, "killed" }}.plan(t, s)
		n := len(s.left())
		_, refused = (&bench.Cleanup{Plan: bench.Decoded(t, plan), Target: s.cfg, Store: s}).Run(context.Background())
		if len(s.left()) != n {
			t.Error("objects of a run under way were removed")
		}
		_, forced = (&bench.Cleanup{Plan: bench.Decoded(t, plan), Target: s.cfg, Store: s, Force: true}).Run(context.Background())
		if left := s.left(); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}}}.run(context.Background(), t, s.Store)
	if err != nil || forced != nil || refused == nil || !strings.Contains(refused.Error(), "claim of another run") {
		t.Errorf("run: %v; clean-up: %v; with force: %v", err, refused, forced)
	}
}
