package bench_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

func (s *oddStore) put(t *testing.T, key string) {
	t.Helper()
	if err := ops.Put(context.Background(), s.Session(0), &s3.Call{Key: key, Body: strings.NewReader("{}"), Size: 2}); err != nil {
		t.Fatal(err)
	}
}

func keyed(keys string) func(*bench.Plan) {
	return func(p *bench.Plan) { p.Data.Keys = keys }
}

// TestTemplatesLeaveTheBucketAsItWas: objects of others whose names are like a template's keep a run out, the others stay.
func TestTemplatesLeaveTheBucketAsItWas(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		for _, workload := range []string{"put", "get", "delete", "list", "mixed", "multipart-put", "copy", "append"} {
			s := oddly(t, engine, responder.Options{})
			s.put(t, "data/7.bin")
			s.put(t, "data/07.bin")
			s.put(t, "data/x/7.txt")
			before := s.left()
			for keys, free := range map[string]bool{
				"data/{i}.bin": false, "data/{i:01}.bin": false, "{hash:3}/{i}.bin": true, "data/{i:03}.bin": true, "data/{shard:4}/{i}": true, "data/{i}.{uuid}.bin": true, "data/x/{i}.txt": false,
			} {
				_, err := s.run(t, workload, keyed(keys))
				if (err == nil) != free || !free && !strings.Contains(err.Error(), "whose name --keys can make") {
					t.Errorf("%s, %s: %v", workload, keys, err)
				}
				if left := s.left(); !slices.Equal(left, before) {
					t.Errorf("%s, %s: left %q", workload, keys, left)
				}
			}
		}
	})
}

// TestTemplatesKeepVersions: also a version that is not the current one keeps a run out, which would delete it.
func TestTemplatesKeepVersions(t *testing.T) {
	s := oddly(t, "", responder.Options{Versions: responder.VersionsSuspended})
	s.put(t, "7")
	s.remove(t, "7")
	before := s.left()
	if _, err := s.run(t, "put", keyed("{i}")); err == nil || !strings.Contains(err.Error(), `"7"`) {
		t.Errorf("%v", err)
	}
	if _, err := s.run(t, "put", keyed("o{i}")); err != nil {
		t.Error(err)
	}
	if left := s.left(); !slices.Equal(left, before) {
		t.Errorf("left %q, before %q", left, before)
	}
}

// TestTemplateClaims: a killed run, or one that kept its data, keeps its names until its objects are removed, whatever the seed of others, and
// in whatever place their keys begin.
func TestTemplateClaims(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	kept := func(p *bench.Plan) {
		p.Target, p.KeepData, p.RunID, p.Data.Keys = s.cfg, true, "first", "a/{shard:9}/{i:04}"
	}
	if _, err := s.run(t, "stat", kept); err != nil {
		t.Fatal(err)
	}
	before := s.left()
	if !slices.ContainsFunc(before, func(key string) bool { return strings.HasPrefix(key, "a/claim.template") }) {
		t.Errorf("no claim in %q", before)
	}
	s.remove(t, slices.DeleteFunc(slices.Clone(before), func(key string) bool { return strings.Contains(key, "claim") })[0])
	before = s.left()
	for keys, free := range map[string]bool{"a/{shard:9}/{i:04}": false, "{hash:1}/{i}/{counter}": false, "a/8/{i}": false, "a/10/{i}": true, "a/8/{i:03}x": true} {
		_, err := s.run(t, "put", func(p *bench.Plan) { p.Seed, p.Data.Keys = 43, keys })
		if (err == nil) != free || !free && !strings.Contains(err.Error(), "claim of") {
			t.Errorf("%s next to them: %v", keys, err)
		}
		if !slices.Equal(s.left(), before) {
			t.Fatalf("%s: left %q", keys, s.left())
		}
	}
	plan := job{workload: "stat", change: kept}.plan(t, s)
	cleanup := &bench.Cleanup{Over: true, Plan: bench.Decoded(t, plan), Target: s.cfg, Store: s, Threads: 3}
	if done, err := cleanup.Run(context.Background()); err != nil || done.Claims != 1 || len(s.left()) > 0 {
		t.Errorf("%+v, %v; left %q", done, err, s.left())
	}
	// Without the claim, an object of that name is somebody else's.
	if _, err := cleanup.Run(context.Background()); err != nil {
		t.Errorf("once more: %v", err)
	}
	key := bench.KeyOf(t, plan, 3)
	s.put(t, key)
	if _, err := cleanup.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "no claim of this run") || len(s.left()) != 1 {
		t.Errorf("an object of the same name: %v; left %q", err, s.left())
	}
	cleanup.Force = true
	if _, err := cleanup.Run(context.Background()); err != nil || len(s.left()) > 0 {
		t.Errorf("with --force: %v; left %q", err, s.left())
	}
}

// TestTemplateUploads leaves the unfinished uploads of others alone.
func TestTemplateUploads(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	c := s3.Call{Key: "7", Size: -1}
	if _, err := ops.CreateUpload(context.Background(), s.Session(0), &c); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run(t, "multipart-put", keyed("{i}")); err == nil || !strings.Contains(err.Error(), "upload whose name --keys can make") {
		t.Errorf("%v", err)
	}
}

// TestTemplateClients: clients have keys of their own, or share objects.
func TestTemplateClients(t *testing.T) {
	for keys, shared := range map[string]bool{"{client}/{i}": false, "{i}": true} {
		s := oddly(t, "", responder.Options{})
		j := job{workload: "get", args: []string{"-verify"}, change: func(p *bench.Plan) {
			p.Target, p.SharedData, p.RunID, p.Data.Keys = s.cfg, shared, "run", keys
		}}
		for i, c := range newCompany(2).runAll(t, j, s, nil) {
			if c.err != nil {
				t.Errorf("%s: client %d: %v", keys, i, c.err)
			}
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("%s: left %q", keys, left)
		}
	}
	s := oddly(t, "", responder.Options{})
	j := job{workload: "put", change: func(p *bench.Plan) { p.Target, p.Data.Keys, p.RunID = s.cfg, "{i}", "run" }}
	for i, c := range newCompany(2).runAll(t, j, s, nil) {
		if want := "--keys: clients would have the same keys: add {client}, here or in --bucket, or use --shared-data"; c.err == nil || !strings.Contains(c.err.Error(), want) {
			t.Errorf("client %d: %v, want %s", i, c.err, want)
		}
	}
}

// TestSetsWithTheSameKeys: two data sets of a plan must not have a key in common.
func TestSetsWithTheSameKeys(t *testing.T) {
	for two, free := range map[string]bool{"a/{i:06}": false, "a/{i:06}.json": true} {
		p := job{workload: "get"}.plan(t, open(t, newBucket()))
		p.Sets = map[string]generator.Spec{}
		first := p.Phases[0]
		p.Phases = nil
		for k, keys := range []string{"a/{i}", two} {
			spec := p.Data
			name := fmt.Sprintf("set%d", k)
			spec.Keys = keys
			p.Sets[name] = spec
			ph := first
			ph.Name, ph.Set = name, name
			p.Phases = append(p.Phases, ph)
		}
		if _, err := bench.Compile(p); (err == nil) != free || !free && !strings.Contains(err.Error(), "could have the same keys") {
			t.Errorf("%s: %v", two, err)
		}
	}
}
