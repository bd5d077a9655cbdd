package bench_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
	"warp/pkg/s3/connect"
)

// got is a GET request.
type got struct{ key, bytes string }

// requested is what a server received.
type requested struct {
	mu   sync.Mutex
	list []got
}

// of returns the ranges of GET requests for an object, in their order.
func (r *requested) of(key string) (ranges []string) {
	for _, g := range r.list {
		if strings.HasSuffix(g.key, key) {
			ranges = append(ranges, strings.TrimPrefix(g.bytes, "bytes="))
		}
	}
	return ranges
}

// observed returns a server in memory, and what it receives.
func observed(t *testing.T, engine string) (*oddStore, *requested) {
	seen := &requested{}
	s := behind(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && r.URL.RawQuery == "" {
				seen.mu.Lock()
				seen.list = append(seen.list, got{r.URL.Path, r.Header.Get("Range")})
				seen.mu.Unlock()
			}
			h.ServeHTTP(w, r)
		})
	})
	cfg := s.cfg
	cfg.Engine = engine
	store, err := connect.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return &oddStore{Store: store, server: s.server, cfg: cfg}, seen
}

// TestRangesSent: the server receives the ranges of the flag, each is recorded, and an object counts once.
func TestRangesSent(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		for _, c := range []struct {
			ranges string
			want   []string // of each object of 1000 bytes
		}{
			{"8B@end,300@start,64@end", []string{"992-999", "0-299", "936-999"}},
			{"400@seq", []string{"0-399", "400-799", "800-999"}},
			{"1000@random", []string{"0-999"}},
			{"1@end,600@seq", []string{"999-999", "0-599", "600-999"}},
		} {
			t.Run(c.ranges, func(t *testing.T) {
				s, seen := observed(t, engine)
				j := job{workload: "get", args: []string{"-objects=6", "-verify", "-range=" + c.ranges}, change: func(p *bench.Plan) {
					p.Target, p.Data.Sizes.Max, p.Phases[0].Concurrency, p.Phases[0].Passes = s.cfg, 1000, 2, 1
				}}
				m, _, err := j.run(context.Background(), t, s.Store)
				if err != nil || m.failed() != "" {
					t.Fatalf("%v, failed: %s", err, m.failed())
				}
				for _, key := range m.keys() {
					if list := seen.of(key); !slices.Equal(list, c.want) {
						t.Errorf("%s: ranges %v were sent, want %v", key, list, c.want)
					}
				}
				sum := byKind(m.benchmark())[op.Get]
				if sum.Status != 6*len(c.want) || sum.Objects != 6 {
					t.Errorf("%d operations on %d objects are recorded, want %d on 6", sum.Status, sum.Objects, 6*len(c.want))
				}
				if sum.Bytes != 6*bytesOf(t, c.want) {
					t.Errorf("%d bytes are recorded, want %d", sum.Bytes, 6*bytesOf(t, c.want))
				}
			})
		}
	})
}

// bytesOf returns how many bytes ranges have.
func bytesOf(t *testing.T, ranges []string) (n int64) {
	t.Helper()
	for _, r := range ranges {
		var first, last int64
		if _, err := fmt.Sscanf(r, "%d-%d", &first, &last); err != nil {
			t.Fatal(err)
		}
		n += last - first + 1
	}
	return n
}

// TestRangesAligned: offsets are multiples of the block, and each block comes up.
func TestRangesAligned(t *testing.T) {
	ownServer(t)
	s, seen := observed(t, "lean")
	j := job{workload: "mixed", args: []string{"-objects=4", "-range=128@aligned", "-get-distrib=1", "-stat-distrib=0", "-put-distrib=0", "-delete-distrib=0", "-verify"}, change: func(p *bench.Plan) {
		p.Target, p.Data.Sizes.Max, p.Phases[0].Ops = s.cfg, 1000, 300
	}}
	m, _, err := j.run(context.Background(), t, s.Store)
	if err != nil || m.failed() != "" {
		t.Fatalf("%v, failed: %s", err, m.failed())
	}
	blocks := map[int]int{}
	for _, g := range seen.list {
		var first, last int
		if _, err := fmt.Sscanf(g.bytes, "bytes=%d-%d", &first, &last); err != nil || g.bytes == "bytes=3-9" {
			continue // of the preflight
		}
		if first%128 != 0 || last != min(first+127, 999) {
			t.Errorf("range %s", g.bytes)
		}
		blocks[first/128]++
	}
	if len(blocks) != 8 {
		t.Errorf("blocks %v were read, want 8", blocks)
	}
}

// TestRangesEnd: after a range that fails the others of its object are not read, and a run that ends does not wait for the end of its objects.
func TestRangesEnd(t *testing.T) {
	eachEngine(t, func(t *testing.T, engine string) {
		s := oddly(t, engine, responder.Options{Rule: func(kind op.Kind, n uint64) responder.Fault {
			if kind == op.Get && n == 3 { // the first two are the preflight's
				return responder.Fault{Status: http.StatusServiceUnavailable}
			}
			return responder.Fault{}
		}})
		one := func(p *bench.Plan) {
			p.Target, p.Data.Sizes.Max, p.Phases[0].Concurrency = s.cfg, 1000, 1
		}
		m, _, err := job{workload: "get", args: []string{"-objects=3", "-range=300@seq"}, change: func(p *bench.Plan) {
			one(p)
			p.Phases[0].Passes = 1
		}}.run(context.Background(), t, s.Store)
		sum := byKind(m.benchmark())[op.Get]
		if err != nil || sum.Retries != 1 || sum.Objects != 2 || sum.Status != 2+4+4 {
			t.Errorf("%v: %+v", err, sum)
		}
		m, _, err = job{workload: "get", ops: 20, args: []string{"-objects=1", "-range=1@seq"}, change: func(p *bench.Plan) {
			one(p)
			p.Data.Sizes.Max = 1 << 20
		}}.run(context.Background(), t, s.Store)
		if n := len(m.benchmark()); err != nil && !errors.Is(err, context.Canceled) || n < 20 || m.failed() != "" {
			t.Errorf("%v after %d operations, failed: %s", err, n, m.failed())
		}
	})
}
