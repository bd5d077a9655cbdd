package agent

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/generator"
	"warp/pkg/op"
)

// The coordinator runs the programs of steps, once each, while all clients wait: what came before has ended, and what follows has not
// begun. One that fails ends the run, which is cleaned up; the result has what was measured before.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errors.New("exit status 3")} {
		server := harness.Server(t, responder.Options{})
		p := harness.Plan(t, "get", server.Host(), 0, "-objects=20")
		one := p.Phases[0].Stream
		one.Name, one.Set, one.Ops = "one", "a", 60
		two := harness.Plan(t, "stat", server.Host(), 0, "-objects=20").Phases[0].Stream
		two.Name, two.Set, two.Ops = "two", "a", 60
		p.Sets = map[string]generator.Spec{"a": p.Data}
		p.Phases = []bench.Phase{{Stream: one}, {Steps: []bench.Step{{Exec: []string{"true", "x"}}}}, {Stream: two}}
		_, addrs := startClients(t, 2)
		o := testOptions(addrs...)
		var runs atomic.Int64
		o.Exec = func(_ context.Context, s *bench.Step) error {
			runs.Add(1)
			if gets, stats := server.Requests(op.Get), server.Requests(op.Stat); gets < 60 || stats > 0 || strings.Join(s.Exec, " ") != "true x" {
				t.Errorf("%q ran after %d GET and %d STAT, want all of the first phase and none of the last", s.Exec, gets, stats)
			}
			return failure
		}
		r, _, err := runAll(context.Background(), p, o)
		if !errors.Is(err, failure) || failure == nil && err != nil {
			t.Errorf("the run ended with %v, want %v", err, failure)
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("the program ran %d times", n)
		}
		if failure == nil && (r == nil || r.InResult != 2 || r.Incomplete != "") {
			t.Errorf("the result is %+v", r)
		}
		if failure != nil {
			const says = "the run ended after phase 2 of 3: exit status 3"
			if r == nil || r.InResult != 2 || !r.Interrupted || r.Operations != 100 || !strings.Contains(strings.Join(r.Warnings, "\n"), says) {
				t.Errorf("the result is %+v, want 40 uploads, 60 reads and %q", r, says)
			}
		}
		if stats := server.Requests(op.Stat); failure != nil && stats > 0 {
			t.Errorf("%d STAT after a program that failed", stats)
		}
		if left := server.Keys("bench"); len(left) > 0 {
			t.Errorf("%d objects are left: %q", len(left), left)
		}
	}
}

// Without a function that runs programs a plan that has some is refused.
func TestProgramsAreRefused(t *testing.T) {
	p := harness.Plan(t, "get", "127.0.0.1:1", 0)
	p.Phases = append(p.Phases, bench.Phase{Steps: []bench.Step{{Exec: []string{"true"}}}})
	if _, _, err := runAll(context.Background(), p, testOptions("127.0.0.1:1")); !errors.Is(err, bench.ErrExec) {
		t.Errorf("got %v", err)
	}
}
