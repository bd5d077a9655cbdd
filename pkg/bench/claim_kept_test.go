package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

// overwriting returns a change of a plan: it uploads n objects with names that prove nothing, and may overwrite kept ones.
func overwriting(n uint64, keep bool) func(*bench.Plan) {
	return func(p *bench.Plan) {
		p.Data.Keys, p.Data.OverwriteKept, p.KeepData, p.Phases[0].Ops = "o{i}", true, keep, n
	}
}

// count returns how many objects and claims are in the bucket.
func (s *oddStore) count() string {
	claims := 0
	left := s.left()
	for _, key := range left {
		if strings.HasPrefix(key, "claim.") {
			claims++
		}
	}
	return fmt.Sprintf("%d objects, %d claims", len(left)-claims, claims)
}

// claimKey returns the key of the only claim in the bucket.
func (s *oddStore) claimKey(t *testing.T) string {
	t.Helper()
	left := slices.DeleteFunc(s.left(), func(key string) bool { return !strings.HasPrefix(key, "claim.") })
	if len(left) != 1 {
		t.Fatalf("claims: %q", left)
	}
	return left[0]
}

// rewrite replaces an object.
func (s *oddStore) rewrite(t *testing.T, key, text string) {
	t.Helper()
	if err := ops.Put(context.Background(), s.Session(0), &s3.Call{Key: key, Body: strings.NewReader(text), Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
}

// TestOverwriteKept: objects that earlier runs kept are overwritten as often as one likes, and stay if a run uploads fewer; an object that no
// run made keeps runs out.
func TestOverwriteKept(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{})
		for _, step := range []struct {
			n           uint64
			keep, plain bool
			foreign     string
			left, want  string
		}{
			{n: 100, keep: true, left: "100 objects, 1 claims"},
			{n: 10, plain: true, left: "100 objects, 1 claims", want: "holds the claim of an earlier run"},
			{n: 40, keep: true, left: "100 objects, 1 claims"},
			{n: 30, left: "70 objects, 1 claims"},
			{n: 120, keep: true, left: "120 objects, 1 claims"},
			{n: 10, keep: true, foreign: "o120", left: "121 objects, 1 claims", want: `"o120" is in use: an object, version or upload`},
			{n: 120, left: "0 objects, 0 claims"},
			{n: 5, left: "0 objects, 0 claims"},
		} {
			if step.foreign != "" {
				s.put(t, step.foreign)
			}
			_, err := s.run(t, "put", func(p *bench.Plan) {
				overwriting(step.n, step.keep)(p)
				p.Data.OverwriteKept = !step.plain
			})
			if (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
				t.Errorf("%+v: %v", step, err)
			}
			if got := s.count(); got != step.left {
				t.Errorf("%+v: left %s", step, got)
			}
			if step.foreign != "" {
				s.remove(t, step.foreign)
			}
		}
	})
}

// TestOverwriteKeptVersions: where versions stay, the clean-up removes the versions of overwritten objects too, and nothing else.
func TestOverwriteKeptVersions(t *testing.T) {
	s := oddly(t, "", responder.Options{Versions: responder.VersionsSuspended})
	for _, step := range []struct {
		n    uint64
		keep bool
		left string
	}{{20, true, "20 objects, 1 claims"}, {5, false, "15 objects, 1 claims"}, {20, false, "0 objects, 0 claims"}} {
		if _, err := s.run(t, "put", overwriting(step.n, step.keep)); err != nil {
			t.Error(err)
		}
		if got := s.count(); got != step.left {
			t.Errorf("%+v: left %s: %q", step, got, s.left())
		}
	}
}

// TestStatesOfClaims: a refusal says what became of the other run, as far as its claim says it; only what an ended run kept is overwritten.
func TestStatesOfClaims(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	if _, err := s.run(t, "put", overwriting(10, true)); err != nil {
		t.Fatal(err)
	}
	key := s.claimKey(t)
	now := time.Now()
	begun := func(ago time.Duration) string { return now.Add(-ago).UTC().Format(time.RFC3339) }
	planned := func(d time.Duration) string { return fmt.Sprint(int64(d)) }
	for _, c := range []struct{ content, want, not string }{
		{
			`{"keys":"o{i}","state":"running","begun":"` + begun(time.Minute) + `","planned_ns":` + planned(time.Hour) + `}`,
			"another run (%s): it began at " + begun(time.Minute) + " and is under way until " + begun(-69*time.Minute) + " at the latest, or was killed; wait, use other keys", "--seed",
		},
		{`{"keys":"o{i}","state":"running","begun":"` + begun(-time.Hour) + `","planned_ns":1}`, "another run (%s): it begins at this moment too, or was killed; wait, ", "--seed"},
		{`{"keys":"o{i}","state":"running","begun":"` + begun(time.Hour) + `","planned_ns":1}`, "another run (%s): it was killed; use other keys or another prefix, remove what it left", "wait"},
		{`{"keys":"o{i}","begun":"` + begun(time.Hour) + `","planned_ns":1}`, "another run (%s): it was killed, or kept its objects; ", "wait"},
		{`no claim`, "another run (%s): it is under way, begins at this moment too, was killed, or kept its objects; ", "--seed"},
	} {
		s.rewrite(t, key, c.content)
		before := s.left()
		for _, overwrite := range []bool{true, false} {
			_, err := s.run(t, "put", func(p *bench.Plan) { overwriting(10, true)(p); p.Data.OverwriteKept = overwrite })
			if want := fmt.Sprintf(c.want, fmt.Sprintf("%q", key)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), c.not) {
				t.Errorf("%s: %v; want %s", c.content, err, want)
			}
			if !slices.Equal(s.left(), before) {
				t.Errorf("%s: left %q", c.content, s.left())
			}
		}
	}
	if _, err := s.run(t, "put", func(p *bench.Plan) { overwriting(10, true)(p); p.Force = true }); err != nil {
		t.Errorf("with --force: %v", err)
	}
	if _, err := s.run(t, "put", overwriting(10, false)); err != nil || s.count() != "0 objects, 0 claims" {
		t.Errorf("after --force: %v; left %s", err, s.count())
	}
}

// TestKilledWhileOverwriting: a run that was killed while it overwrote what another one kept leaves the claim of a run under way, and
// nothing else stands for the objects; its clean-up removes all of them.
func TestKilledWhileOverwriting(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	if _, err := s.run(t, "put", overwriting(10, true)); err != nil {
		t.Fatal(err)
	}
	first := s.claimKey(t)
	change := func(p *bench.Plan) { overwriting(10, true)(p); p.Target, p.RunID = s.cfg, "second" }
	var claim, content string
	_, _, err := job{workload: "put", change: change, observe: watch{func(st bench.Stage) {
		if st.Name != bench.StageBenchmark || claim != "" {
			return
		}
		claim = s.claimKey(t)
		content = s.read(t, claim)
		if _, err := s.run(t, "put", overwriting(10, true)); err == nil || !strings.Contains(err.Error(), "is under way until") {
			t.Errorf("during the run: %v", err)
		}
	}}}.run(context.Background(), t, s.Store)
	if err != nil || claim == first || !strings.Contains(claim, ".second.") {
		t.Fatalf("%v; claim %q", err, claim)
	}
	var facts struct{ State string }
	if err := json.Unmarshal([]byte(content), &facts); err != nil || facts.State != "running" {
		t.Errorf("the claim of a run under way: %s", content)
	}
	s.rewrite(t, claim, content) // as if it had been killed
	if _, err := s.run(t, "put", overwriting(10, true)); err == nil || !strings.Contains(err.Error(), "holds the claim of another run") {
		t.Errorf("after the kill: %v", err)
	}
	plan := job{workload: "put", change: change}.plan(t, s)
	cleanup := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, plan), Target: s.cfg, Store: s, Threads: 3}
	if done, err := cleanup.Run(context.Background()); err != nil || done.Objects != 10 || len(s.left()) > 0 {
		t.Errorf("%+v, %v; left %q", done, err, s.left())
	}
}

// read returns the contents of an object.
func (s *oddStore) read(t *testing.T, key string) string {
	t.Helper()
	var text strings.Builder
	if err := ops.Get(context.Background(), s.Session(0), &s3.Call{Size: -1, Key: key, Into: &text}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestKeptIsNotStated: if a run cannot state that it kept its objects, it says so, and they are not overwritten.
func TestKeptIsNotStated(t *testing.T) {
	s := oddly(t, "", responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
		if k == op.Put && n == 12 { // after the preflight's, the claim and 10 objects
			return responder.Fault{Status: 403}
		}
		return responder.Fault{}
	}})
	_, err := s.run(t, "put", overwriting(10, true))
	if want := "it could not be stated that objects are kept"; err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := s.run(t, "put", overwriting(10, true)); err == nil || !strings.Contains(err.Error(), "or was killed") || s.count() != "10 objects, 1 claims" {
		t.Errorf("%v; left %s", err, s.count())
	}
}

// TestOverwriteKeptOfSeed: names of a seed prove that a run made the objects, and without a claim it has ended.
func TestOverwriteKeptOfSeed(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	change := func(overwrite bool) func(*bench.Plan) {
		return func(p *bench.Plan) { p.KeepData, p.Data.OverwriteKept = true, overwrite }
	}
	for range 2 {
		if _, err := s.run(t, "get", change(true)); err != nil || s.count() != "40 objects, 0 claims" {
			t.Errorf("%v; left %s", err, s.count())
		}
	}
	want := "already holds objects of a run with seed 42, which kept its data; use another --seed or prefix, remove them (warp clean RECORDING), or use --overwrite-kept"
	if _, err := s.run(t, "get", change(false)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// TestCleanupOfKept: what a run kept can be removed at once, unless another one has overwritten it since.
func TestCleanupOfKept(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	clean := func(run string) error {
		plan := job{workload: "put", change: func(p *bench.Plan) { overwriting(10, true)(p); p.Target, p.RunID = s.cfg, run }}.plan(t, s)
		_, err := (&bench.Cleanup{Plan: bench.Decoded(t, plan), Target: s.cfg, Store: s, Threads: 3}).Run(context.Background())
		return err
	}
	for _, run := range []string{"first", "second"} {
		if _, err := s.run(t, "put", func(p *bench.Plan) { overwriting(10, true)(p); p.RunID = run }); err != nil {
			t.Fatal(err)
		}
	}
	if err := clean("first"); err == nil || !strings.Contains(err.Error(), "whose objects have the same names: it kept its objects") || s.count() != "10 objects, 1 claims" {
		t.Errorf("%v; left %s", err, s.count())
	}
	if err := clean("second"); err != nil || len(s.left()) > 0 {
		t.Errorf("%v; left %q", err, s.left())
	}
}

// TestOverwriteKeptOfClients: each client overwrites what its predecessor kept, or all of them what was shared, also if there are more of
// them than before.
func TestOverwriteKeptOfClients(t *testing.T) {
	for keys, shared := range map[string]bool{"{client}/{i}": false, "{i}": true} {
		s := oddly(t, "", responder.Options{})
		run := func(clients int, id string) {
			t.Helper()
			j := job{workload: "stat", change: func(p *bench.Plan) {
				p.Target, p.SharedData, p.KeepData, p.Data.Keys, p.Data.OverwriteKept = s.cfg, shared, true, keys, true
			}}
			named := func(_ int, _ *client, _ *bench.Env, p *bench.Plan) { p.RunID = id }
			for i, c := range newCompany(clients).runAll(t, j, s, named) {
				if c.err != nil {
					t.Errorf("%s, run %s: client %d: %v", keys, id, i, c.err)
				}
			}
		}
		run(2, "first")
		before := s.left()
		run(2, "second")
		if left := s.left(); len(left) != len(before) {
			t.Errorf("%s: left %q, before %q", keys, left, before)
		}
		run(3, "third")
	}
}
