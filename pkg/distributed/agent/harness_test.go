package agent

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/observe"
)

// testClient is a client that serves until the test ends.
type testClient struct {
	*Agent
	addr string
	stop func() // ends it and waits
	mu   sync.Mutex
	log  strings.Builder
}

func (c *testClient) logged() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.log.String()
}

func startClient(t testing.TB, change func(*Options)) *testClient {
	t.Helper()
	tc := &testClient{}
	o := Options{
		Listen: "127.0.0.1:0", Token: harness.Token, Dir: t.TempDir(), Version: "test", Timing: harness.Timing, Grace: time.Minute,
		Logf: func(format string, args ...any) {
			tc.mu.Lock()
			defer tc.mu.Unlock()
			fmt.Fprintf(&tc.log, format+"\n", args...)
		},
	}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := c.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- c.Serve(ctx) }()
	tc.Agent, tc.addr = c, c.Addr().String()
	tc.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(tc.stop)
	return tc
}

func startClients(t testing.TB, n int) (all []*testClient, addrs []string) {
	t.Helper()
	for range n {
		c := startClient(t, nil)
		all, addrs = append(all, c), append(addrs, c.addr)
	}
	return all, addrs
}

func testOptions(addrs ...string) coordinator.Options {
	return coordinator.Options{
		Clients: addrs, Token: harness.Token, Version: "test", Name: "tester", Timing: harness.Timing, Grace: time.Minute,
		Limits: func(*observe.Summary, ...observe.Share) []observe.Limit { return nil },
	}
}

// watcher is an Observer that keeps what it is told.
type watcher struct {
	mu         sync.Mutex
	stages     []string
	notices    []string
	measured   int
	result     *coordinator.Result // as it was told
	onStage    func(coordinator.Stage)
	onMeasured func()
}

func (w *watcher) Stage(s coordinator.Stage) {
	w.mu.Lock()
	w.stages = append(w.stages, s.Name)
	f := w.onStage
	w.mu.Unlock()
	if f != nil {
		f(s)
	}
}

func (w *watcher) Notice(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notices = append(w.notices, text)
}

func (w *watcher) Measured(r *coordinator.Result) {
	w.mu.Lock()
	w.result = r
	w.measured++
	f := w.onMeasured
	w.mu.Unlock()
	if f != nil {
		f()
	}
}

// begun reports whether a stage has begun.
func (w *watcher) begun() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.stages) > 0
}

func (w *watcher) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.notices, "\n")
}

// runAll is a run with a merged recording.
func runAll(ctx context.Context, p *bench.Plan, o coordinator.Options) (*coordinator.Result, *bytes.Buffer, error) {
	var rec bytes.Buffer
	o.Recording = &rec
	r, err := coordinator.Run(ctx, p, harness.Credentials, o)
	return r, &rec, err
}
