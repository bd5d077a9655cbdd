package bench_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/internal/responder/stores"
	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/preflight"
)

// eachEngine runs a test with both engines, at the same time. Runs share nothing with an engine but its sessions, and the tests of pkg/s3
// look for races in both, so that a short test takes the one that all others take.
func eachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	engines := []string{"lean", "std"}
	if testing.Short() {
		engines = engines[:1]
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

// setup is an engine, and a kind of store that it talks to.
type setup struct {
	engine string
	*stores.Kind
}

// s3Setup is one of S3; without an engine it takes the usual one.
func s3Setup(engine string) setup { return setup{engine, &stores.Kinds[0]} }

// eachSetup runs a test with both engines and all kinds of stores, at the same time; a short one with the engine that all others take.
func eachSetup(t *testing.T, test func(t *testing.T, c setup)) {
	for i := range stores.Kinds {
		t.Run(stores.Kinds[i].Name, func(t *testing.T) {
			eachEngine(t, func(t *testing.T, engine string) { test(t, setup{engine, &stores.Kinds[i]}) })
		})
	}
}

// oddStore is a store of a responder with a bucket.
type oddStore struct {
	s3.Store
	cfg    s3.Config
	server *responder.Server
}

// oddly is a store of S3.
func oddly(t *testing.T, engine string, opts responder.Options) *oddStore {
	t.Helper()
	return s3Setup(engine).oddly(t, opts)
}

func (c setup) oddly(t *testing.T, opts responder.Options) *oddStore {
	t.Helper()
	ownServer(t)
	opts.Buckets, opts.Keep = append(opts.Buckets, "bucket"), true
	r, cfg, err := c.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Bucket, cfg.Concurrency, cfg.Engine = "bucket", 8, c.engine
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		store.Close()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return &oddStore{store, cfg, r}
}

// run runs a job on it.
func (s *oddStore) run(t *testing.T, workload string, change func(*bench.Plan)) (*memory, error) {
	t.Helper()
	m, _, err := job{workload: workload, change: func(p *bench.Plan) {
		p.Target = s.cfg
		if change != nil {
			change(p)
		}
	}}.run(context.Background(), t, s.Store)
	return m, err
}

// left is all that is in the bucket: keys, keys of delete markers in brackets.
func (s *oddStore) left() []string { return s.server.Keys("bucket") }

// A store may answer uploads with a version id although it keeps no versions, or have kept some once. Neither leaves anything.
func TestCleanupWhateverVersionsAre(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		for name, versions := range map[string]responder.Versions{"made up": responder.VersionsMadeUp, "suspended": responder.VersionsSuspended} {
			t.Run(name, func(t *testing.T) {
				every(t, func(t *testing.T, workload string) {
					if bench.NeedsFeatures(t, workload) {
						t.Skip("it is refused: see TestVersionsRefused")
					}
					for _, keep := range []bool{false, true} {
						s := oddly(t, engine, responder.Options{Versions: versions})
						m, err := s.run(t, workload, func(p *bench.Plan) { p.KeepData = keep })
						if err != nil || m.failed() != "" {
							t.Errorf("%v; failed: %s", err, m.failed())
						}
						for _, key := range s.left() {
							if !keep || strings.Contains(key, "claim") {
								t.Errorf("%q is left", key)
							}
						}
					}
				})
			})
		}
	})
}

// One request of a hundred fails, of those that list and of those that delete. Nothing is left.
func TestCleanupThoughRequestsFail(t *testing.T) {
	bench.ShortenCleanup(t, time.Millisecond)
	eachEngine(t, func(t *testing.T, engine string) {
		every(t, func(t *testing.T, workload string) {
			for _, versions := range []responder.Versions{responder.VersionsNone, responder.VersionsSuspended} {
				var failed atomic.Int64
				s := oddly(t, engine, responder.Options{Versions: versions, Rule: func(k op.Kind, n uint64) responder.Fault {
					// Few requests clean up, so the first ones fail, too.
					if (k == op.Delete || k == op.List) && (n%100 == 37 || n > 1 && n < 4) {
						failed.Add(1)
						return responder.Fault{Status: 503}
					}
					return responder.Fault{}
				}})
				if bench.NeedsFeatures(t, workload) {
					if versions == responder.VersionsSuspended {
						continue // it is refused
					}
					if err := preflight.Open(s).Remove(t.Context()); err != nil { // so that the run makes it as it needs it
						t.Fatal(err)
					}
				}
				if _, err := s.run(t, workload, nil); err != nil {
					t.Error(err)
				}
				if left := s.left(); len(left) > 0 || failed.Load() == 0 {
					t.Errorf("%d requests failed; left: %q", failed.Load(), left)
				}
			}
		})
	})
}

// A server may answer questions about versions and uploads with whatever it has: nothing but objects is needed to clean up.
func TestCleanupWithoutAnswers(t *testing.T) {
	bench.ShortenCleanup(t, time.Microsecond)
	eachEngine(t, func(t *testing.T, engine string) {
		r, err := responder.NewRaw("127.0.0.1:0", 4096, 64)
		if err != nil {
			t.Fatal(err)
		}
		cfg := s3.Config{Hosts: []string{r.Host()}, Bucket: "bucket", Region: "us-east-1", Engine: engine}
		store, err := connect.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := job{workload: "put", change: func(p *bench.Plan) { p.Target, p.Data.Sizes = cfg, generator.Sizes{Min: 4096, Max: 4096} }}.run(context.Background(), t, store)
		store.Close()
		if err != nil || len(m.ops) == 0 {
			t.Errorf("%d operations, error: %v", len(m.ops), err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A server may fail a listing because of an object that another client deletes meanwhile. The others are still there.
func TestCleanupThoughObjectsVanish(t *testing.T) {
	bench.ShortenCleanup(t, time.Millisecond)
	eachEngine(t, func(t *testing.T, engine string) {
		var failing atomic.Int64
		s := oddly(t, engine, responder.Options{Versions: responder.VersionsSuspended, Rule: func(k op.Kind, _ uint64) responder.Fault {
			if k == op.List && failing.Add(-1) >= 0 {
				return responder.Fault{Status: 404, Code: "NoSuchKey"}
			}
			return responder.Fault{}
		}})
		_, _, err := job{workload: "stat", change: func(p *bench.Plan) { p.Target = s.cfg }, observe: watch{func(st bench.Stage) {
			if st.Name == bench.StageCleanup {
				failing.Store(7)
			}
		}}}.run(context.Background(), t, s.Store)
		if left := s.left(); err != nil || failing.Load() >= 0 || len(left) > 0 {
			t.Errorf("error: %v; left: %q", err, left)
		}
	})
}

// A server that is gone when the run cleans up is not asked for ever, and the error counts objects.
func TestCleanupGivesUp(t *testing.T) {
	bench.ShortenCleanup(t, time.Microsecond)
	eachSetup(t, func(t *testing.T, c setup) {
		var down atomic.Bool
		s := c.oddly(t, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
			if down.Load() && k != op.Put {
				return responder.Fault{Status: 503}
			}
			return responder.Fault{}
		}})
		m, _, err := job{
			workload: "stat", args: []string{"-objects=40"}, change: func(p *bench.Plan) { p.Target = s.cfg },
			observe: watch{func(st bench.Stage) { down.Store(down.Load() || st.Name == bench.StageCleanup) }},
		}.run(context.Background(), t, s.Store)
		var left *bench.CleanupError
		if !errors.As(err, &left) || !strings.Contains(err.Error(), "41 objects could not be removed") || !strings.Contains(err.Error(), "503") {
			t.Errorf("error: %v", err)
		}
		if n := s.server.Responses(op.Delete, 503); n != 10 {
			t.Errorf("%d deletions were tried", n)
		}
		if m.failed() != "" {
			t.Error("the run itself failed:", m.failed())
		}
	})
}

// Objects that may not be deleted are asked for once, and counted as what they are.
func TestCleanupRefused(t *testing.T) {
	eachSetup(t, func(t *testing.T, c setup) {
		var refuse atomic.Bool
		s := c.oddly(t, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
			if refuse.Load() && k == op.Delete {
				return responder.Fault{Status: 403}
			}
			return responder.Fault{}
		}})
		_, _, err := job{
			workload: "stat", change: func(p *bench.Plan) { p.Target = s.cfg },
			observe: watch{func(st bench.Stage) { refuse.Store(refuse.Load() || st.Name == bench.StageCleanup) }},
		}.run(context.Background(), t, s.Store)
		if err == nil || !strings.Contains(err.Error(), "41 objects could not be removed, below") {
			t.Errorf("error: %v", err)
		}
		if n := s.server.Responses(op.Delete, 403); n != 2 { // the objects, and the claim
			t.Errorf("%d deletions were tried", n)
		}
	})
}

// A bucket that somebody removed meanwhile holds nothing of the run.
func TestCleanupWithoutBucket(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		var gone atomic.Bool
		s := oddly(t, engine, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
			if gone.Load() {
				return responder.Fault{Status: 404, Code: "NoSuchBucket"}
			}
			return responder.Fault{}
		}})
		_, _, err := job{
			workload: "stat", args: []string{"-objects=2500"}, change: func(p *bench.Plan) { p.Target = s.cfg },
			observe: watch{func(st bench.Stage) { gone.Store(gone.Load() || st.Name == bench.StageCleanup) }},
		}.run(context.Background(), t, s.Store)
		if err != nil {
			t.Error(err)
		}
		if n := s.server.Responses(op.Delete, 404); n != 3+1 {
			t.Errorf("%d deletions were sent for 3 batches and a claim", n)
		}
	})
}

// Deleting page by page needs no more memory for more objects.
func TestCleanupHoldsFewKeys(t *testing.T) {
	// One page is deleted while the next one is listed already, so at no time are more than two undone.
	var mu sync.Mutex
	var listed, deleted, most uint64
	cleaning := false
	s := oddly(t, "", responder.Options{Versions: responder.VersionsSuspended, Rule: func(k op.Kind, _ uint64) responder.Fault {
		mu.Lock()
		defer mu.Unlock()
		if cleaning && k == op.List {
			listed++
		}
		if cleaning && k == op.Delete {
			deleted++
		}
		if listed > deleted {
			most = max(most, listed-deleted)
		}
		return responder.Fault{}
	}})
	_, _, err := job{workload: "stat", args: []string{"-objects=9000"}, change: func(p *bench.Plan) {
		p.Target, p.Phases[0].Concurrency, p.Data.Sizes.Max = s.cfg, 1, 1
	}, observe: watch{func(st bench.Stage) {
		mu.Lock()
		defer mu.Unlock()
		cleaning = cleaning || st.Name == bench.StageCleanup
	}}}.run(context.Background(), t, s.Store)
	if err != nil {
		t.Fatal(err)
	}
	if deleted < 9 || most > 3 || len(s.left()) > 0 {
		t.Errorf("%d listings, %d deletions, at most %d pages ahead; left: %q", listed, deleted, most, s.left())
	}
}
