package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
	"warp/pkg/s3/preflight"
)

// withSteps has a plan read data set a between steps, and look at b once.
func withSteps(t *testing.T, store s3.Store) func(p *bench.Plan) {
	return func(p *bench.Plan) {
		steps := func(list ...bench.Step) bench.Phase { return bench.Phase{Steps: list} }
		read := func(name string) bench.Phase {
			return bench.Phase{Stream: stream(t, store, name, "get", "a", "-objects=40", "-verify")}
		}
		p.Sets = map[string]generator.Spec{"a": p.Data, "b": p.Data}
		first := read("first")
		first.Parallel = []bench.Stream{stream(t, store, "look", "stat", "b", "-objects=30")}
		p.Phases = []bench.Phase{
			steps(bench.Step{Prepare: "a"}, bench.Step{Prepare: "b"}), first, steps(bench.Step{Wait: time.Millisecond}, bench.Step{Verify: "a"}),
			steps(bench.Step{Clean: "a"}), steps(bench.Step{Prepare: "a"}), read("second"),
		}
	}
}

// Steps come in their order between the phases, on one client or several: what is prepared is there, what is cleaned is gone.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, clients := range []int{1, 2} {
		store := open(t, newBucket())
		for i, c := range newCompany(clients).runAll(t, job{workload: "get", change: withSteps(t, store)}, store, nil) {
			if c.err != nil || c.failed() != "" {
				t.Fatalf("client %d of %d: %v; failed: %s", i, clients, c.err, c.failed())
			}
			slices.SortFunc(c.ops, func(a, b op.Op) int { return a.Start.Compare(b.Start) })
			var begun []string
			keys := map[string]map[string]bool{}
			for _, o := range c.ops {
				phase := o.Phase
				switch {
				case o.Kind == op.Delete:
					phase = "cleaned"
				case phase == op.PhasePrepare && len(keys["first"]) > 0:
					phase = "again"
				}
				if keys[phase] == nil {
					begun, keys[phase] = append(begun, phase), map[string]bool{}
				}
				keys[phase][o.Key] = true
			}
			if len(keys[op.PhasePrepare]) != 70 || len(keys["again"]) != 40 || begun[0] != op.PhasePrepare || begun[len(begun)-1] != "second" {
				t.Errorf("phases %q; %d objects were prepared, and %d again", begun, len(keys[op.PhasePrepare]), len(keys["again"]))
			}
			if n := len(keys["cleaned"]); n != 40 {
				t.Errorf("%d objects are recorded as deleted, want 40, all of data set a", n)
			}
			for of, where := range map[string]string{"first": op.PhasePrepare, "look": op.PhasePrepare, "cleaned": op.PhasePrepare, "second": "again"} {
				for key := range keys[of] {
					if !keys[where][key] {
						t.Fatalf("%s used %q, which was not uploaded before", of, key)
					}
				}
			}
		}
		if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
			t.Errorf("the bucket that the run made is still there (%v)", err)
		}
	}
}

// A step names itself, ends with the run, and reports objects that are not as they were uploaded.
func TestStepsAreWatched(t *testing.T) {
	t.Parallel()
	store := open(t, newBucket())
	ctx, interrupt := context.WithCancel(context.Background())
	defer interrupt()
	var names []string
	run := func(phases func(p *bench.Plan) []bench.Phase, at string, do func()) error {
		j := job{workload: "get", change: func(p *bench.Plan) { withSteps(t, store)(p); p.Phases = phases(p) }}
		j.observe = watch{stage: func(s bench.Stage) {
			if s.Step {
				names = append(names, s.Workload)
			}
			if s.Workload == at {
				do()
			}
		}}
		_, _, err := j.run(ctx, t, store)
		return err
	}
	err := run(func(p *bench.Plan) []bench.Phase { return p.Phases[:3] }, "wait 1ms + verify a", func() { spoil(t, store) })
	if err == nil || !strings.Contains(err.Error(), "verify a: 40 objects not as uploaded: 0 missing, 40 wrong, 0 unreadable") {
		t.Errorf("the verification of what changed: %v", err)
	}
	if want := []string{"prepare a + prepare b", "wait 1ms + verify a"}; !slices.Equal(names, want) {
		t.Errorf("steps %q, want %q", names, want)
	}
	err = run(func(p *bench.Plan) []bench.Phase {
		return append([]bench.Phase{p.Phases[0], {Steps: []bench.Step{{Wait: time.Hour}}}}, p.Phases[1])
	}, "wait 1h0m0s", interrupt)
	if !errors.Is(err, bench.ErrInterrupted) {
		t.Errorf("an interrupted step: %v", err)
	}
	if there, err := preflight.Open(store).Exists(context.Background()); there || err != nil {
		t.Errorf("the bucket that the run made is still there (%v)", err)
	}
}

// Steps in parallel with a stream run while it is measured, on one client or several; their objects exist afterwards.
func TestStepsBesideStreams(t *testing.T) {
	t.Parallel()
	for _, clients := range []int{1, 2} {
		store := open(t, newBucket())
		change := func(p *bench.Plan) {
			withSteps(t, store)(p)
			look := stream(t, store, "look", "stat", "b", "-objects=30")
			p.Phases = []bench.Phase{p.Phases[1], {Stream: look}}
			p.Phases[0].Parallel, p.Phases[0].Steps = nil, []bench.Step{{Prepare: "b", Threads: 2}, {Wait: time.Millisecond}}
		}
		for i, c := range newCompany(clients).runAll(t, job{workload: "get", change: change}, store, nil) {
			if c.err != nil || c.failed() != "" {
				t.Fatalf("client %d of %d: %v; failed: %s", i, clients, c.err, c.failed())
			}
			counts := map[string]int{}
			for _, o := range c.ops {
				counts[o.Phase]++
			}
			if counts[op.PhasePrepare] != 70 || counts["first"] == 0 || counts["look"] == 0 {
				t.Errorf("client %d of %d: operations %v, want 70 uploads", i, clients, counts)
			}
		}
	}
}

// A failing step ends the parallel stream.
func TestFailingStepBesideStream(t *testing.T) {
	store := open(t, newBucket())
	p := job{workload: "get", change: func(p *bench.Plan) {
		p.Phases[0].Duration, p.Phases[0].Steps = time.Hour, []bench.Step{{Exec: []string{"x"}}}
	}}.plan(t, store)
	failure := errors.New("exit status 3")
	_, err := bench.Perform(context.Background(), p, bench.Env{Store: store, Client: "test", Exec: func(context.Context, *bench.Step) error { return failure }})
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
}

// A plan that may come over the network runs no programs, wherever it says so.
func TestProgramsAreRefused(t *testing.T) {
	store := open(t, newBucket())
	j := job{workload: "get", change: func(p *bench.Plan) {
		withSteps(t, store)(p)
		p.Phases = append(p.Phases[:2], bench.Phase{Steps: []bench.Step{{Wait: 1}, {Exec: []string{"touch", "/tmp/x"}}}})
	}}
	if m, _, err := j.run(context.Background(), t, store); err == nil || !strings.Contains(err.Error(), "the plan runs programs, which is not allowed here") || len(m.ops) > 0 {
		t.Errorf("got %v after %d operations", err, len(m.ops))
	}
}

func TestStepsThatCannotBe(t *testing.T) {
	aboutS3(t)
	store := open(t, newBucket())
	step := func(s bench.Step) func(p *bench.Plan) {
		return func(p *bench.Plan) { p.Phases[3].Steps[0] = s }
	}
	for name, c := range map[string]struct {
		change func(p *bench.Plan)
		want   string // part of the error; empty: the plan is good
	}{
		"all":         {func(*bench.Plan) {}, ""},
		"no action":   {step(bench.Step{}), "phase 4: 0 actions in a step"},
		"two actions": {step(bench.Step{Clean: "a", Wait: 1}), "2 actions"},
		"no set":      {step(bench.Step{Clean: "x"}), "clean x: no stream works on this data set"},
		"sample":      {step(bench.Step{Clean: "a", Sample: 0.1}), "--sample: invalid value 0.1"},
		"too large":   {step(bench.Step{Verify: "a", Sample: 2}), "--sample: invalid value 2"},
		"backwards":   {step(bench.Step{Wait: -1}), "--wait: invalid value"},
		"a program":   {step(bench.Step{Exec: []string{"true"}}), ""},
		"and more":    {step(bench.Step{Exec: []string{"true"}, Threads: 2}), "--threads: invalid value 2"},
		"at once":     {func(p *bench.Plan) { p.Phases[0].Steps[1].Prepare = "a" }, `two steps on data set "a"`},
		"a stream":    {func(p *bench.Plan) { p.Phases[0].Stream = p.Phases[1].Stream; p.Phases[0].Name = "parallel" }, "phase 1: prepare a: stream \"parallel\" works on this data set at the same time"},
		"no stream":   {func(p *bench.Plan) { p.Phases[0].Parallel = []bench.Stream{p.Phases[1].Stream} }, "phase 1: parallel streams without a main one"},
		"only steps":  {func(p *bench.Plan) { p.Phases, p.Sets = p.Phases[:1], nil; p.Phases[0].Steps = []bench.Step{{Wait: 1}} }, "only steps"},
		"shared":      {func(p *bench.Plan) { sharing(p) }, "--shared-data"},
		"mixed":       {func(p *bench.Plan) { p.Phases[5].Stream = stream(t, store, "second", "mixed", "a") }, ""},
		"versioned":   {func(p *bench.Plan) { p.Phases[5].Stream = stream(t, store, "second", "versioned", "a") }, "versioned cannot work on a data set"},
		"overwritten": {func(p *bench.Plan) { p.Phases[5].Stream = stream(t, store, "second", "put", "a", "-objects=40") }, "leave out verify"},
	} {
		p := job{workload: "get", change: describePair(withSteps(t, store), c.change)}.plan(t, store)
		_, err := bench.Compile(p)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		text, err := json.Marshal(p)
		var back bench.Plan
		if err != nil || json.Unmarshal(text, &back) != nil {
			t.Errorf("%s: %v", name, err)
		} else if again, _ := json.Marshal(&back); string(again) != string(text) {
			t.Errorf("%s became %s", text, again)
		}
	}
}

// Deletions by a step are recorded with the host that performed them.
func TestStepsNameTheirHosts(t *testing.T) {
	t.Parallel()
	s := oddly(t, "lean", responder.Options{})
	_, port, err := net.SplitHostPort(s.cfg.Hosts[0])
	if err != nil {
		t.Fatal(err)
	}
	s.cfg.Hosts, s.cfg.HostSelect = append(s.cfg.Hosts, "localhost:"+port), "roundrobin"
	store, err := connect.New(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	m, _, err := job{workload: "stat", change: func(p *bench.Plan) {
		p.Target, p.Data.Sizes.Max = s.cfg, 1
		p.Sets = map[string]generator.Spec{"a": p.Data}
		read := bench.Phase{Stream: stream(t, store, "read", "stat", "a", fmt.Sprintf("-objects=%d", 2*ops.MaxEntries))}
		p.Phases = []bench.Phase{read, {Steps: []bench.Step{{Clean: "a", Threads: 1}}}}
	}}.run(t.Context(), t, store)
	hosts := map[string]bool{}
	for _, o := range m.ops {
		if o.Kind == op.Delete {
			hosts[o.Endpoint] = true
		}
	}
	if err != nil || len(hosts) != 2 {
		t.Errorf("%v; two requests in turn, to %v", err, hosts)
	}
}
