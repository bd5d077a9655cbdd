package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/replay"
)

// TestRoomIsRespected: no workload stores more than there is room for. A run that would ends early, or is refused.
func TestRoomIsRespected(t *testing.T) {
	t.Parallel()
	eachRow(t, func(t *testing.T, j job) {
		s, change := inNewBucket(t, responder.Options{}), j.change
		j.change = func(p *bench.Plan) {
			p.Target, p.KeepData, p.RunID, p.Phases[0].Ops = s.cfg, true, "run", 100
			if change != nil {
				change(p)
			}
		}
		all, err := bench.Estimates(bench.Decoded(t, j.plan(t, s)))
		if err != nil {
			t.Fatal(err)
		}
		for _, room := range []int64{all[0].Stored / 2, all[0].Stored + all[1].Stored/2} {
			if room == 0 {
				continue
			}
			s := inNewBucket(t, responder.Options{})
			if _, err := bench.Compile(j.plan(t, s)); err != nil {
				t.Fatal(err)
			}
			limited := j
			limited.change = func(p *bench.Plan) { j.change(p); p.Target, p.Room = s.cfg, room }
			_, r, err := limited.run(context.Background(), t, s)
			if stored := s.server.Stored(s.cfg.Bucket); stored > room+claimSize {
				t.Errorf("%d bytes were stored, with room for %d", stored, room)
			}
			if room < all[0].Stored && err == nil {
				t.Error("the preparation needs twice the room, and was not refused")
			}
			if full := err == nil && slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "the store is full") }); room >= all[0].Stored && all[1].Stored > 0 && !full && !mayFit(j) {
				t.Errorf("%v, and no warning that the store is full", err)
			}
		}
	})
}

// claimSize is more than the claims of a run take.
const claimSize = 4096

// mayFit reports whether a job deletes what it stores.
func mayFit(j job) bool { return j.workload == "mixed" || j.workload == "versioned" }

// TestRoomOfAReplay: a trace says how large objects are, and replaces them. Parts and copies take room too.
func TestRoomOfAReplay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		full bool
	}{
		"more and more":    {"100 REST.PUT.OBJECT a 3000\n200 REST.PUT.OBJECT b 3000\n300 REST.PUT.OBJECT c 3000\n", true},
		"the same again":   {"100 REST.PUT.OBJECT a 3000\n200 REST.PUT.OBJECT a 4000\n300 REST.PUT.OBJECT a 2000\n400 REST.PUT.OBJECT b 3000\n", false},
		"grows":            {"100 REST.PUT.OBJECT a 3000\n200 REST.PUT.OBJECT b 1000\n300 REST.PUT.OBJECT a 4500\n", true},
		"deleted":          {"100 REST.PUT.OBJECT a 3000\n200 REST.DELETE.OBJECT a\n300 REST.PUT.OBJECT b 3000\n400 REST.DELETE.OBJECT b\n500 REST.PUT.OBJECT c 4000\n", false},
		"read first":       {"100 REST.GET.OBJECT a 3000\n200 REST.PUT.OBJECT b 3000\n", true},
		"read, then again": {"100 REST.GET.OBJECT a 3000\n200 REST.PUT.OBJECT a 5000\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := inNewBucket(t, responder.Options{})
			_, r, err := replayOf(t, s, playerOf(t, []byte(c.text)), func(p *bench.Plan, _ *replay.Replay) {
				p.Target, p.KeepData, p.RunID, p.Room = s.cfg, true, "run", 5000
				p.Phases[0].Concurrency = 1
			})
			if err != nil {
				t.Fatal(err)
			}
			if stored := s.server.Stored(s.cfg.Bucket); stored > 5000+claimSize {
				t.Errorf("%d bytes were stored, with room for 5000", stored)
			}
			if full := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "the store is full") }); full != c.full {
				t.Errorf("the store is full: %v, want %v (%q)", full, c.full, r.Warnings)
			}
		})
	}
}
