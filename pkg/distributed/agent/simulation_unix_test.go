//go:build unix

package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/aggregate/live"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/observe"
	"warp/pkg/op"
)

// TestSimulation measures what a coordinator costs: clients that only pretend to measure run in a child process, so that
// the processor time and memory of this one are the coordinator's. It runs when asked for:
//
//	WARP_SIMULATE=200 go test -run Simulation -v ./pkg/distributed/agent
func TestSimulation(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("WARP_SIMULATE"))
	if n == 0 {
		t.Skip("set WARP_SIMULATE to a number of clients")
	}
	const length = 20 * time.Second
	child := exec.Command(os.Args[0], "-test.run=TestSimulatedClients", "-test.v")
	child.Env = append(os.Environ(), fmt.Sprintf("WARP_SIMULATED_CLIENTS=%d", n))
	child.Stderr = os.Stderr
	in, out := testkit.Start(t, child)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	told := func(what string) string {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), what+" "); ok {
				return text
			}
		}
		t.Fatalf("the clients did not tell %s", what)
		return ""
	}
	var addrs []string
	if err := json.Unmarshal([]byte(told("addresses")), &addrs); err != nil {
		t.Fatal(err)
	}
	o := testOptions(addrs...)
	o.Timing, o.Grace = protocol.DefaultTiming, 0
	marks := make(map[string]time.Duration)
	var mu sync.Mutex
	mark := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		marks[name] = testkit.ProcessorTime(t)
	}
	var heap atomic.Uint64
	watching := make(chan struct{})
	var wg sync.WaitGroup
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		mark(s.Name)
		if s.Name == bench.StageBenchmark {
			wg.Go(func() { lookOften(s, &heap, watching) })
			wg.Go(func() {
				time.Sleep(time.Until(s.Start.Add(length - 500*time.Millisecond)))
				mark("end")
				close(watching)
			})
		}
	}, onMeasured: func() { mark("measured") }}
	mark("begin")
	begin := time.Now()
	p := harness.Plan(t, "mixed", "127.0.0.1:1", length, "-objects=100")
	p.Phases[0].Autoterm = &bench.Autoterm{MinDuration: time.Hour, Percent: 1}
	r, err := coordinator.Run(context.Background(), p, harness.Credentials, o)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	mark("finish")
	in.Close()
	t.Logf("%d clients, %v, %d requests, skew %v, warnings %d", n, time.Since(begin).Round(time.Second), r.Snapshot.Groups[0].Requests, r.Skew, len(r.Warnings))
	for _, text := range r.Warnings[:min(5, len(r.Warnings))] {
		t.Log(text)
	}
	t.Logf("CPU: connect and instruct %v; benchmark %v (%.2f %% of a core, %.1f µs a client and second); collect %v; farewell %v",
		marks["benchmark"]-marks["begin"], marks["end"]-marks["benchmark"], 100*(marks["end"]-marks["benchmark"]).Seconds()/length.Seconds(),
		float64((marks["end"]-marks["benchmark"]).Microseconds())/length.Seconds()/float64(n), marks["measured"]-marks["end"], marks["finish"]-marks["measured"])
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	t.Logf("memory: at most %d KiB of heap in the benchmark (%d KiB a client), %d MiB of RSS in all", heap.Load()>>10, heap.Load()>>10/uint64(n), usage.Maxrss>>10)
	t.Logf("traffic of all clients: %s", told("traffic"))
}

// lookOften does what the line of progress does, and notes the heap.
func lookOften(s coordinator.Stage, heap *atomic.Uint64, stop <-chan struct{}) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			s.Recent(clock.Now())
			s.Progress()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap.Store(max(heap.Load(), m.HeapAlloc))
		}
	}
}

// TestSimulatedClients is the child of TestSimulation.
func TestSimulatedClients(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("WARP_SIMULATED_CLIENTS"))
	if n == 0 {
		t.Skip("this is a part of TestSimulation")
	}
	var in, out atomic.Int64
	var addrs []string
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	self := observe.Start(observe.Options{}) // one process observes itself once, however many clients it plays
	defer self.Stop()
	run := func(ctx context.Context, j *job, st *protocol.Start, _ *protocol.Secrets) protocol.Done {
		return simulate(ctx, j, st, self)
	}
	for range n {
		o := Options{Listen: "127.0.0.1:0", Token: harness.Token, Version: "test", run: run}
		c, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Listen(ctx); err != nil {
			t.Fatal(err)
		}
		addrs = append(addrs, countTraffic(t, c.Addr().String(), &in, &out))
		wg.Go(func() { _ = c.Serve(ctx) })
	}
	b, err := json.Marshal(addrs)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\naddresses %s\n", b)
	_, _ = os.Stdin.Read(make([]byte, 1))
	fmt.Printf("\ntraffic %d KiB to the coordinator, %d KiB from it: %.1f KiB and %.1f KiB a client\n",
		out.Load()>>10, in.Load()>>10, float64(out.Load())/1024/float64(n), float64(in.Load())/1024/float64(n))
	cancel()
	wg.Wait()
}

// countTraffic is a proxy that counts what goes through it. It returns its address.
func countTraffic(t *testing.T, target string, in, out *atomic.Int64) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	forward := func(to, from net.Conn, count *atomic.Int64) {
		n, _ := io.Copy(to, from)
		count.Add(n)
		to.Close()
	}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				near.Close()
				continue
			}
			go forward(far, near, in)
			go forward(near, far, out)
		}
	}()
	return l.Addr().String()
}

// computing lets a few clients at a time have figures in memory. Real ones have a machine each, these have one together.
var computing = make(chan struct{}, 32)

// simulate says all that a client says which does up to 2,000 operations per second with 64 threads on 4 hosts.
func simulate(ctx context.Context, j *job, st *protocol.Start, self *observe.Observer) protocol.Done {
	g := &group{job: j, share: st.Share}
	begin, err := g.Barrier(ctx, bench.StageBenchmark, nil)
	if err != nil {
		return protocol.Done{Err: transport.PeerText(err.Error())}
	}
	h := &handover{job: j, start: st}
	r := &reporter{job: j, start: st, end: make(chan struct{}), observer: self}
	figures := live.New(aggregate.Options{})
	r.figures.begin(bench.Stage{Streams: []string{""}, Live: figures})
	r.stage = bench.Stage{Name: bench.StageBenchmark, Start: begin, Done: h.progressed.Load}
	rng := rand.New(rand.NewPCG(1, st.Share.Index))
	bounds := aggregate.NewBounds(aggregate.Options{})
	perSecond := int(min(2000, 400_000/st.Share.Total)) // what this machine can pretend
	var all []op.Op
	at := begin
	for second := range int(st.Plan.Phases[0].Duration / time.Second) {
		clock.Pause(ctx, begin.Add(time.Duration(second+1)*time.Second).Sub(clock.Now()))
		ops := synthetic(rng, st.ID, at, perSecond)
		at = at.Add(time.Second)
		_ = figures.Write(ops)
		_ = bounds.Write(ops)
		all = append(all, ops[:min(100, perSecond)]...)
		l := protocol.Live{Count: protocol.Count{At: clock.Now().UnixNano(), Stage: bench.StageBenchmark, Done: uint64(second * perSecond)}}
		r.figures.take(&l)
		p := protocol.Rates{Second: second + 1}
		for range live.StableLast {
			p.Bytes, p.Objects = append(p.Bytes, rng.Float64()*1e9), append(p.Objects, rng.Float64()*1e5)
		}
		l.Rates = []protocol.Rates{p}
		j.session.Post(protocol.MsgLive, l)
	}
	if err := h.exchangeClock(ctx); err != nil {
		return protocol.Done{Err: transport.PeerText(err.Error())}
	}
	answer, asked := j.expect(protocol.MsgWindows), j.expect(protocol.MsgFetch)
	_ = h.send(ctx, protocol.MsgBounds, protocol.Bounds{Bounds: bounds})
	var w protocol.Windows
	if err := j.await(ctx, answer, &w); err != nil {
		return protocol.Done{Err: transport.PeerText(err.Error())}
	}
	if err := handFigures(ctx, h, w.Windows, all, asked); err != nil {
		return protocol.Done{Err: transport.PeerText(err.Error())}
	}
	_, _ = g.Barrier(ctx, bench.StageCleanup, nil)
	return protocol.Done{}
}

// handFigures computes what the coordinator wants to have, and hands it over.
func handFigures(ctx context.Context, h *handover, w *aggregate.Windows, ops []op.Op, asked <-chan transport.Frame) error {
	computing <- struct{}{}
	defer func() { <-computing }()
	a := aggregate.New(aggregate.Options{}, w)
	_ = a.Write(ops)
	text, err := h.encode(a.Snapshot())
	if err != nil {
		return err
	}
	_ = h.send(ctx, protocol.MsgAggregated, protocol.RunEnd{})
	return h.serveFetches(ctx, asked, text)
}

// synthetic makes a second of operations, with latencies around 30 ms and a tail.
func synthetic(rng *rand.Rand, client string, at time.Time, n int) []op.Op {
	kinds := []op.Kind{op.Get, op.Get, op.Get, op.Put, op.Stat, op.Delete}
	ops := make([]op.Op, n)
	for i := range ops {
		start := at.Add(time.Duration(rng.Int64N(int64(time.Second))))
		latency := time.Duration(30e6 * math.Exp(0.5*rng.NormFloat64()))
		kind := kinds[rng.IntN(len(kinds))]
		ops[i] = op.Op{
			Kind: kind, Client: client, Thread: uint32(i % 64), Start: start, FirstByte: start.Add(latency / 2), End: start.Add(latency),
			Bytes: 10 << 20, Objects: 1, Status: 200, Endpoint: fmt.Sprintf("http://10.0.0.%d:9000", i%4), Key: strconv.Itoa(rng.Int()),
		}
	}
	return ops
}
