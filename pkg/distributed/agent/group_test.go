package agent

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
)

// inGroup has clients do something in place of a benchmark.
func inGroup(t *testing.T, n int, do func(ctx context.Context, g *group, i int) error) (*coordinator.Result, error) {
	t.Helper()
	var addrs []string
	for range n {
		c := startClient(t, func(o *Options) {
			o.run = func(ctx context.Context, j *job, st *protocol.Start, _ *protocol.Secrets) protocol.Done {
				var d protocol.Done
				if err := do(ctx, &group{job: j, share: st.Share}, int(st.Share.Index)); err != nil {
					d.Err, d.Stopped = reportedError(err, j.stoppedBy())
				}
				return d
			}
		})
		addrs = append(addrs, c.addr)
	}
	return coordinator.Run(context.Background(), harness.Plan(t, "put", "127.0.0.1:1", time.Second), harness.Credentials, testOptions(addrs...))
}

// TestOnce has one client make the bytes, and all get them.
func TestOnce(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	var mu sync.Mutex
	got := map[string]int{}
	_, _ = inGroup(t, 4, func(ctx context.Context, g *group, i int) error {
		for _, key := range []string{"a", "b"} {
			b, err := g.Once(ctx, key, func(context.Context) ([]byte, error) {
				made.Add(1)
				time.Sleep(20 * time.Millisecond)
				return []byte(key + "!"), nil
			})
			if err != nil {
				return err
			}
			mu.Lock()
			got[string(b)]++
			mu.Unlock()
		}
		return nil
	})
	if made.Load() != 2 || got["a!"] != 4 || got["b!"] != 4 {
		t.Errorf("made %d times; got %v", made.Load(), got)
	}
}

// TestOnceFails tells all clients.
func TestOnceFails(t *testing.T) {
	t.Parallel()
	_, err := inGroup(t, 3, func(ctx context.Context, g *group, i int) error {
		_, err := g.Once(ctx, "bucket", func(context.Context) ([]byte, error) { return nil, errors.New("no permission") })
		return err
	})
	if err == nil || strings.Count(err.Error(), "no permission") == 0 {
		t.Errorf("got %v", err)
	}
}

// TestRemoveComesLast has a client that made the bucket wait, to remove it, until the others are done with it: whether it
// failed at the beginning or not.
func TestRemoveComesLast(t *testing.T) {
	t.Parallel()
	for _, early := range []bool{false, true} {
		var busy atomic.Int64
		_, err := inGroup(t, 3, func(ctx context.Context, g *group, i int) error {
			if i != 0 {
				busy.Add(1)
			}
			var mine error
			if early && i == 0 {
				mine = errors.New("the look failed")
			} else {
				_, err := g.Barrier(ctx, bench.StageBenchmark, errors.New("nothing to measure here"))
				if err == nil {
					t.Error("a benchmark began")
				}
				_, _ = g.Barrier(context.WithoutCancel(ctx), bench.StageCleanup, nil)
			}
			if i != 0 {
				time.Sleep(300 * time.Millisecond) // cleans up, while the coordinator looks for clients that make no progress
				busy.Add(-1)
				return nil
			}
			_, err := g.Barrier(context.WithoutCancel(ctx), "remove", mine)
			if n := busy.Load(); n > 0 {
				t.Errorf("the bucket was to be removed while %d clients worked in it", n)
			}
			return err
		})
		if err == nil {
			t.Error("there is a result")
		}
	}
}

// TestPatience is about how long a client without a coordinator leaves shared data alone.
func TestPatience(t *testing.T) {
	t.Parallel()
	now := clock.Now()
	st := &protocol.Start{Plan: harness.Plan(t, "get", "h", 5*time.Minute), StartAt: now.Add(time.Hour).UnixNano()}
	st.Plan.SharedData = true
	p := newCleanupDelay(st, func(ns int64) time.Time { return time.Unix(0, ns) })
	if !p.until.IsZero() {
		t.Error("in the preparation nobody reads yet")
	}
	p.ready()
	if want := now.Add(time.Hour + 6*time.Minute); p.until.Before(want.Add(-time.Second)) || p.until.After(want.Add(time.Second)) {
		t.Errorf("until %v, want %v", p.until, want)
	}
	p.started(now.Add(2*time.Hour), nil)
	if want := now.Add(2*time.Hour + 6*time.Minute); !p.until.Equal(want) {
		t.Errorf("until %v, want %v", p.until, want)
	}
	p.started(now, bench.ErrCancelled)
	if !p.until.IsZero() {
		t.Error("what was given up is waited for")
	}
}
