// Package harness has what tests of agents and coordinators share.
package harness

import (
	"flag"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/op"
	"warp/pkg/recording"
	"warp/pkg/s3"
	"warp/pkg/s3/target"
)

// Token is what agents and coordinators share.
const Token = "a token for tests, long enough"

// Timing is timing for tests. A busy machine may stand still for seconds: tests of silence and stalls set shorter times.
var Timing = protocol.Timing{
	Timing: transport.Timing{
		Handshake: time.Minute,
		Ping:      250 * time.Millisecond,
		Silence:   time.Minute,
		Write:     time.Minute,
	},
	Greeting:     time.Minute,
	RetryMin:     20 * time.Millisecond,
	RetryMax:     200 * time.Millisecond,
	Lead:         300 * time.Millisecond,
	LiveInterval: 100 * time.Millisecond,
	Stall:        5 * time.Minute,
	Goodbye:      5 * time.Second,
}

// Credentials of the store are looked for where they must not be.
var Credentials = target.Credentials{AccessKey: "the-access-key", SecretKey: "the-secret-key"}

// Server is a store with the bucket of Plan.
func Server(t testing.TB, o responder.Options) *responder.Server {
	t.Helper()
	o.Buckets, o.Keep = append(o.Buckets, "bench"), true
	s, err := responder.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Plan is a plan against a server: 2 threads a client, 1 KiB.
func Plan(t testing.TB, workload, host string, d time.Duration, args ...string) *bench.Plan {
	t.Helper()
	info, ok := work.Lookup(workload)
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
	p := &bench.Plan{
		RunID:  "run",
		Seed:   7,
		Target: s3.Config{Hosts: []string{host}, Bucket: "bench", Region: "us-east-1"},
		Phases: []bench.Phase{ph},
	}
	p.Data.Generator, p.Data.Sizes.Max = "random", 1024
	return p
}

// Limited is a Plan that ends after a number of turns, which clients divide among themselves: as many on any machine.
func Limited(t testing.TB, workload, host string, turns uint64, args ...string) *bench.Plan {
	t.Helper()
	p := Plan(t, workload, host, 0, args...)
	p.Phases[0].Ops = turns
	return p
}

// ReadOps reads a recording.
func ReadOps(t testing.TB, r io.Reader) (ops []op.Op) {
	t.Helper()
	rd, err := recording.NewReader(r, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer rd.Close()
	for rd.Scan() {
		ops = append(ops, *rd.Op())
	}
	if rd.Err() != nil || rd.Unreadable() > 0 {
		t.Fatalf("read recording: %v, %v", rd.Err(), rd.Warnings())
	}
	return ops
}

// Until waits for something that other goroutines bring about.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timeout waiting until %s", what)
		}
	}
}

// Proxy stands between coordinator and client, and can cut, stop and slow down what goes through.
type Proxy struct {
	listener net.Listener
	target   string
	wg       sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool
	shut   bool // new connections are closed at once
	frozen chan struct{}
	rate   int // bytes per millisecond; 0: no limit
}

// StartProxy starts a Proxy in front of a target.
func StartProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, target: target, conns: make(map[net.Conn]bool)}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		p.Thaw()
		l.Close()
		p.Cut(true)
		p.wg.Wait()
	})
	return p
}

// Addr is where it listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

func (p *Proxy) accept() {
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

func (p *Proxy) pump(from, to net.Conn) {
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

// SetRate limits throughput to this number of bytes per millisecond.
func (p *Proxy) SetRate(rate int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rate = rate
}

// Cut ends all connections; shut: and lets no new ones through.
func (p *Proxy) Cut(shut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shut = shut
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// Freeze holds back everything, as a cable that is pulled does.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = make(chan struct{})
}

// Thaw ends Freeze.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}
