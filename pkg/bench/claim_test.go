package bench_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
	"warp/pkg/s3/ops"
)

// remove deletes an object, as a run may have done that was killed, or kept its data.
func (s *oddStore) remove(t *testing.T, key string) {
	t.Helper()
	if err := ops.Delete(context.Background(), s.Session(0), &s3.Call{Size: -1, Key: key}); err != nil {
		t.Fatal(err)
	}
}

// Whatever objects an earlier run with the seed left, a second one is refused, and they stay.
func TestSeedInUse(t *testing.T) {
	for name, change := range map[string]func(p *bench.Plan){
		"plain": func(*bench.Plan) {}, "noprefix": func(p *bench.Plan) { p.Data.NoPrefix = true },
		"prefix and noprefix": func(p *bench.Plan) { p.Data.Prefix, p.Data.NoPrefix = "mine", true },
	} {
		t.Run(name, func(t *testing.T) {
			eachSetup(t, func(t *testing.T, c setup) {
				s := c.oddly(t, responder.Options{})
				m, err := s.run(t, "get", func(p *bench.Plan) { change(p); p.KeepData = true })
				if err != nil {
					t.Fatal(err)
				}
				var keys []string
				for _, o := range m.ops { // in the order of their creation
					if o.Kind == op.Put {
						keys = append(keys, o.Key)
					}
				}
				last := slices.MaxFunc(keys, func(a, b string) int { return number(a) - number(b) })
				for _, key := range keys {
					if key != last {
						s.remove(t, key)
					}
				}
				for _, workload := range []string{"put", "mixed"} {
					if _, err := s.run(t, workload, change); err == nil || !strings.Contains(err.Error(), "already holds objects") {
						t.Errorf("%s: %v", workload, err)
					}
				}
				if left := s.left(); !slices.Equal(left, []string{last}) {
					t.Errorf("left: %q, want %q", left, last)
				}
			})
		})
	}
}

// number is the number in the name of an object.
func number(key string) (n int) {
	_, _ = fmt.Sscan(strings.SplitN(key[strings.LastIndexByte(key, '/')+1:], ".", 2)[0], &n)
	return n
}

// Of two runs with one seed that begin within a round trip at most one goes on. Here neither looks before both have put
// their claims. A bucket that one of them made goes if both are refused, whichever is the last, or what stays is told.
func TestTwoRunsAtOnce(t *testing.T) {
	for _, tc := range []struct {
		noPrefix bool
		bucket   string
	}{{false, "bucket"}, {true, "bucket"}, {false, "fresh"}} {
		eachSetup(t, func(t *testing.T, c setup) {
			var mu sync.Mutex
			puts, first, both := 0, make(chan struct{}), make(chan struct{})
			s := c.oddly(t, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
				switch k {
				case op.Put:
					mu.Lock()
					switch puts++; puts { // a preflight and a claim each
					case 2:
						close(first)
					case 4:
						close(both)
					}
					mu.Unlock()
				case op.List, op.Stat:
					<-both
				}
				return responder.Fault{}
			}})
			cfg := s.cfg
			cfg.Bucket = tc.bucket
			store, err := connect.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			errs := make([]error, 2)
			var wg sync.WaitGroup
			for i := range errs {
				if i == 1 {
					<-first
				}
				wg.Go(func() {
					_, _, errs[i] = job{workload: "put", change: func(p *bench.Plan) {
						p.Target, p.Data.NoPrefix = cfg, tc.noPrefix
					}}.run(context.Background(), t, store)
				})
			}
			wg.Wait()
			refused := 0
			for _, err := range errs {
				if err != nil && strings.Contains(err.Error(), "claim of another run") {
					refused++
				} else if err != nil {
					t.Error(err)
				}
			}
			if refused == 0 {
				t.Error("both runs went on")
			}
			if left := s.left(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			told := strings.Contains(fmt.Sprint(errs), `the run made bucket "fresh", which cannot be removed now`)
			if got := s.server.Buckets(); len(got) != 1 && (refused == 2 || !told) {
				t.Errorf("buckets that are left: %q; both were refused: %v; that is told: %v", got, refused == 2, told)
			}
		})
	}
}

// A run that was killed leaves its claim. It keeps out others with its seed, but for --force, which removes it at last.
func TestClaimOfKilledRun(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var claim string
	_, _, err := job{workload: "put", change: func(p *bench.Plan) { p.Target, p.RunID = s.cfg, "first" }, observe: watch{func(bench.Stage) {
		for _, key := range s.left() {
			if strings.Contains(key, "claim.") {
				claim = key
			}
		}
	}}}.run(ctx, t, s.Store)
	if err != nil || !strings.Contains(claim, ".first.") || len(s.left()) > 0 {
		t.Fatalf("claim %q, left %q, %v", claim, s.left(), err)
	}
	c := s3.Call{Key: claim, Body: strings.NewReader("{}"), Size: 2}
	if err := ops.Put(ctx, s.Session(0), &c); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run(t, "put", nil); err == nil || !strings.Contains(err.Error(), "claim of another run") {
		t.Errorf("next to the claim: %v", err)
	}
	if _, err := s.run(t, "put", func(p *bench.Plan) { p.Seed = 43 }); err != nil {
		t.Errorf("with another seed: %v", err)
	}
	if _, err := s.run(t, "get", func(p *bench.Plan) { p.Phases[0].Params = []byte(`{"list_existing": true}`) }); err == nil || !strings.Contains(err.Error(), "there is no object") {
		t.Errorf("the claim counts as an object: %v", err)
	}
	if left := s.left(); !slices.Equal(left, []string{claim}) {
		t.Errorf("left: %q", left)
	}
	if _, err := s.run(t, "put", func(p *bench.Plan) { p.Force = true }); err != nil || len(s.left()) > 0 {
		t.Errorf("with --force: %v; left: %q", err, s.left())
	}
}

// Keys without the right to list are good for a run, and for finding out that the seed is in use.
func TestSeedInUseWithoutListing(t *testing.T) {
	eachSetup(t, func(t *testing.T, c setup) {
		s := c.oddly(t, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
			if k == op.List {
				return responder.Fault{Status: 403}
			}
			return responder.Fault{}
		}})
		m, err := s.run(t, "put", nil)
		if err != nil || len(m.ops) == 0 || len(s.left()) > 0 {
			t.Errorf("%v, %d operations, left: %q", err, len(m.ops), s.left())
		}
		if m, err = s.run(t, "get", func(p *bench.Plan) { p.KeepData = true }); err != nil {
			t.Fatal(err)
		}
		for _, o := range m.ops {
			if o.Kind == op.Put && number(o.Key) == 0 {
				s.remove(t, o.Key)
			}
		}
		before := s.left()
		if _, err = s.run(t, "put", nil); err == nil || !strings.Contains(err.Error(), "already holds objects") || !slices.Equal(s.left(), before) {
			t.Errorf("the first object is gone, others are there: %v", err)
		}
	})
}

// A failing listing or upload before the run is tried again, and no claim is left where the run cannot go on.
func TestClaimThoughRequestsFail(t *testing.T) {
	for name, rule := range map[string]responder.Rule{
		"one": func(k op.Kind, n uint64) responder.Fault {
			if k == op.List && n < 3 || k == op.Put && n == 1 {
				return responder.Fault{Status: 503}
			}
			return responder.Fault{}
		},
		"all": func(k op.Kind, _ uint64) responder.Fault {
			if k == op.List {
				return responder.Fault{Status: 503}
			}
			return responder.Fault{}
		},
	} {
		bench.ShortenCleanup(t, 0)
		s := oddly(t, "", responder.Options{Rule: rule})
		if _, err := s.run(t, "put", nil); (err != nil) != (name == "all") || len(s.left()) > 0 {
			t.Errorf("%s: %v; left: %q", name, err, s.left())
		}
	}
}

// A listing without separate prefixes does not count the run's claim, which lies there too.
func TestListDoesNotCountTheClaim(t *testing.T) {
	s := oddly(t, "", responder.Options{})
	m, err := s.run(t, "list", func(p *bench.Plan) { p.Data.NoPrefix = true })
	if err != nil || m.failed() != "" {
		t.Errorf("%v; failed: %s", err, m.failed())
	}
	for _, o := range m.benchmark() {
		if o.Objects != 40 {
			t.Errorf("%d objects were listed, want 40", o.Objects)
			break
		}
	}
}
