package distributed

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/s3"
)

const testToken = "a token for tests, long enough"

// hasty is timing for tests.
var hasty = timing{
	handshake: 5 * time.Second,
	greeting:  10 * time.Second,
	ping:      250 * time.Millisecond,
	silence:   5 * time.Second,
	write:     5 * time.Second,
	retryMin:  20 * time.Millisecond,
	retryMax:  200 * time.Millisecond,
	lead:      300 * time.Millisecond,
	report:    100 * time.Millisecond,
	stall:     20 * time.Second,
	farewell:  5 * time.Second,
}

// testClient is a client that serves until the test ends.
type testClient struct {
	*Client
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

func startClient(t testing.TB, change func(*ClientOptions)) *testClient {
	t.Helper()
	tc := &testClient{}
	o := ClientOptions{
		Listen: "127.0.0.1:0", Token: testToken, Dir: t.TempDir(), Version: "test", timing: hasty, Grace: 10 * time.Second,
		Logf: func(format string, args ...any) {
			tc.mu.Lock()
			defer tc.mu.Unlock()
			fmt.Fprintf(&tc.log, format+"\n", args...)
		},
	}
	if change != nil {
		change(&o)
	}
	c, err := NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := c.Listen(ctx); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- c.Serve(ctx) }()
	tc.Client, tc.addr = c, c.Addr().String()
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

var credentials = s3.Credentials{AccessKey: "the-access-key", SecretKey: "the-secret-key"}

func startServer(t testing.TB, o responder.Options) *responder.Server {
	t.Helper()
	o.Buckets, o.Keep = append(o.Buckets, "bench"), true
	s, err := responder.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// testPlan is a plan against a server: 2 threads a client, 1 KiB.
func testPlan(t testing.TB, workload, host string, d time.Duration, args ...string) *bench.Plan {
	t.Helper()
	info, ok := bench.Lookup(workload)
	if !ok {
		t.Fatalf("no workload %q", workload)
	}
	w := info.New()
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	w.Flags(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	ph, err := bench.NewPhase(workload, w)
	if err != nil {
		t.Fatal(err)
	}
	ph.Concurrency, ph.Duration = 2, d
	p := &bench.Plan{RunID: "run", Seed: 7, Target: s3.Config{Hosts: []string{host}, Bucket: "bench", Region: "us-east-1"}, Phases: []bench.Phase{ph}}
	p.Data.Generator, p.Data.Sizes.Max = "random", 1024
	return p
}

func testOptions(addrs ...string) CoordinatorOptions {
	return CoordinatorOptions{
		Clients: addrs, Token: testToken, Version: "test", Name: "tester", timing: hasty, Grace: 10 * time.Second,
		verdict: func(*observe.Summary) []string { return nil },
	}
}

// readOps reads a recording.
func readOps(t testing.TB, r io.Reader) (ops []op.Op) {
	t.Helper()
	rd, err := recording.NewReader(r, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	for rd.Scan() {
		ops = append(ops, *rd.Op())
	}
	if rd.Err() != nil || rd.Bad() > 0 {
		t.Fatalf("read recording: %v, %v", rd.Err(), rd.Warnings())
	}
	return ops
}

// watcher is an Observer that keeps what it is told.
type watcher struct {
	mu         sync.Mutex
	stages     []string
	notices    []string
	measured   int
	result     *Result // as it was told
	onStage    func(Stage)
	onMeasured func()
}

func (w *watcher) Stage(s Stage) {
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

func (w *watcher) Measured(r *Result) {
	w.mu.Lock()
	w.result = r
	w.measured++
	f := w.onMeasured
	w.mu.Unlock()
	if f != nil {
		f()
	}
}

func (w *watcher) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.notices, "\n")
}

// until waits for something that other goroutines bring about.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// proxy stands between coordinator and client, and can cut, stop and slow down what goes through.
type proxy struct {
	listener net.Listener
	target   string
	wg       sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool
	shut   bool // new connections are closed at once
	frozen chan struct{}
	rate   int // bytes per millisecond; 0: no limit
}

func startProxy(t testing.TB, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, conns: make(map[net.Conn]bool)}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		p.thaw()
		l.Close()
		p.cut(true)
		p.wg.Wait()
	})
	return p
}

func (p *proxy) addr() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		shut := p.shut
		p.mu.Unlock()
		out, err := net.Dial("tcp", p.target)
		if shut || err != nil {
			in.Close()
			if err == nil {
				out.Close()
			}
			continue
		}
		p.mu.Lock()
		p.conns[in], p.conns[out] = true, true
		p.mu.Unlock()
		p.wg.Go(func() { p.pump(in, out) })
		p.wg.Go(func() { p.pump(out, in) })
	}
}

func (p *proxy) pump(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		p.mu.Lock()
		frozen, rate := p.frozen, p.rate
		p.mu.Unlock()
		if frozen != nil {
			<-frozen
		}
		if rate > 0 {
			time.Sleep(time.Duration(n/rate) * time.Millisecond)
		}
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			return
		}
	}
}

// cut ends all connections; shut: and lets no new ones through.
func (p *proxy) cut(shut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = shut
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// freeze holds back everything, as a cable that is pulled does.
func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = make(chan struct{})
}

func (p *proxy) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

// runAll is a run with a merged recording.
func runAll(ctx context.Context, p *bench.Plan, o CoordinatorOptions) (*Result, *bytes.Buffer, error) {
	var rec bytes.Buffer
	o.Recording = &rec
	r, err := Run(ctx, p, credentials, o)
	return r, &rec, err
}
