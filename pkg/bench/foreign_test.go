package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warp/internal/responder"
	"warp/internal/responder/azure"
	"warp/internal/responder/stores"
	"warp/pkg/bench"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// accounts are Azure accounts with settings that a clean-up must bear.
var accounts = map[string]azure.Options{
	"plain":       {},
	"empty pages": {EmptyPages: true},
	"versions":    {Versions: true},
	"soft delete": {SoftDelete: true},
	"directories": {Directories: true},
}

// account is a setup whose server plays an account that is given.
func account(engine string, a *azure.Store) setup {
	return setup{engine, &stores.Kind{Name: s3.StoreAzure, Dialect: func() responder.Dialect { return a }, Config: stores.Azure()}}
}

// eachAccount runs a test with a store of each kind of account.
func eachAccount(t *testing.T, test func(t *testing.T, a *azure.Store, s *oddStore)) {
	for name, o := range accounts {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) {
				a := azure.New(o)
				test(t, a, account(engine, a).oddly(t, responder.Options{}))
			})
		})
	}
}

// strew puts foreign blobs next to the run's, and elsewhere. Only what is elsewhere has directories of its own.
func strew(t *testing.T, a *azure.Store, s *oddStore) {
	t.Helper()
	if err := a.Strew(s.server.URL(), "bucket", "theirs/"); err != nil {
		t.Error(err)
	}
	for _, key := range s.left() {
		if dir, _, below := strings.Cut(key, "/"); below && dir != "theirs" {
			if err := azure.Ask(s.server.URL(), "PUT", "bucket/"+dir+"/letter.txt", "", "x", "X-Ms-Blob-Type", "BlockBlob"); err != nil {
				t.Error(err)
			}
			return
		}
	}
}

// foreigners are the lines about what a container holds of others.
func foreigners(a *azure.Store) []string {
	return slices.DeleteFunc(a.Holds("bucket"), func(line string) bool {
		return !strings.HasPrefix(line, "theirs") && !strings.Contains(line, "letter.txt")
	})
}

// ownOf are the lines about what a container holds of runs. What an account keeps of deleted blobs is no run's to remove; a directory that
// holds foreign blobs stays.
func ownOf(a *azure.Store) []string {
	foreign := foreigners(a)
	return slices.DeleteFunc(a.Holds("bucket"), func(line string) bool {
		key, what, _ := strings.Cut(line, ": ")
		holds := slices.ContainsFunc(foreign, func(f string) bool { return strings.HasPrefix(f, key+"/") })
		return slices.Contains(foreign, line) || strings.HasPrefix(what, "deleted") || strings.HasPrefix(what, "directory") && holds
	})
}

// TestForeignBlobsStay: whatever an account keeps, a run leaves nothing of its own, and all that is somebody else's.
func TestForeignBlobsStay(t *testing.T) {
	t.Parallel()
	eachAccount(t, func(t *testing.T, a *azure.Store, s *oddStore) {
		for _, workload := range []string{"put", "get", "multipart-put", "delete", "mixed", "copy", "append", "list", "contend"} {
			var before []string
			_, _, err := job{workload: workload, change: func(p *bench.Plan) { p.Target = s.cfg }, observe: watch{func(st bench.Stage) {
				if st.Name == bench.StageBenchmark {
					strew(t, a, s)
					before = foreigners(a)
				}
			}}}.run(context.Background(), t, s.Store)
			if own := ownOf(a); err != nil || len(own) > 0 {
				t.Errorf("%s: %v; left: %q", workload, err, own)
			}
			if after := foreigners(a); len(before) < 7 || !slices.Equal(before, after) {
				t.Errorf("%s: foreign were\n%s\nare\n%s", workload, strings.Join(before, "\n"), strings.Join(after, "\n"))
			}
		}
	})
}

// TestKilledRunOnAzure: what a killed run left is removed by its plan: blobs, and blocks that no blob was made of. A second run of its seed is
// refused before.
func TestKilledRunOnAzure(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	eachAccount(t, func(t *testing.T, a *azure.Store, s *oddStore) {
		j := parted(s, 20, func(p *bench.Plan) { p.KeepData, p.RunID = true, "run" })
		if _, _, err := j.run(ctx, t, s.Store); err != nil {
			t.Fatal(err)
		}
		mine := s.left()
		for _, key := range mine[:5] { // as if the run had not got so far
			s.remove(t, key)
			if _, err := ops.PutPart(ctx, s.Session(0), &s3.Call{Key: key, Body: strings.NewReader("x"), Size: 1}, "blocks", 1); err != nil {
				t.Fatal(err)
			}
		}
		strew(t, a, s)
		before := foreigners(a)
		if _, err := s.run(t, "put", nil); err == nil || !strings.Contains(err.Error(), "already holds objects") {
			t.Errorf("a second run with the seed: %v", err)
		}
		done, err := (&bench.Cleanup{Over: true, Plan: bench.Decoded(t, j.plan(t, s)), Target: s.cfg, Store: s, Threads: 2}).Run(ctx)
		if err != nil || done.Uploads != 5 || done.Objects < 15 {
			t.Errorf("%v, removed: %+v", err, done)
		}
		if own := ownOf(a); len(own) > 0 {
			t.Errorf("left: %q", own)
		}
		if after := foreigners(a); !slices.Equal(before, after) {
			t.Errorf("foreign were\n%s\nare\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	})
}

// TestContainerOfARun: a container that a run made goes with it, unless somebody else has put anything there meanwhile.
func TestContainerOfARun(t *testing.T) {
	t.Parallel()
	eachAccount(t, func(t *testing.T, a *azure.Store, s *oddStore) {
		for _, shared := range []bool{false, true} {
			cfg := s.cfg
			cfg.Bucket = "fresh"
			store, err := connect.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = job{workload: "mixed", change: func(p *bench.Plan) { p.Target = cfg }, observe: watch{func(st bench.Stage) {
				if st.Name == bench.StageBenchmark && shared {
					if err := a.Strew(s.server.URL(), "fresh", "theirs/"); err != nil {
						t.Error(err)
					}
				}
			}}}.run(context.Background(), t, store)
			store.Close()
			holds := a.Holds("fresh")
			if stays := slices.Contains(a.Buckets(), "fresh"); err != nil || stays != shared || shared && len(holds) < 6 {
				t.Errorf("%v; it holds foreign blobs: %v, it stays: %v, with %q", err, shared, stays, holds)
			}
		}
	})
}
