package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/op"
)

// inBenchmark calls f once, when operations of the benchmark are seen.
func inBenchmark(t *testing.T, f func()) func(coordinator.Stage) {
	var once sync.Once
	return func(s coordinator.Stage) {
		if s.Name != bench.StageBenchmark {
			return
		}
		go func() {
			for clock.Pause(t.Context(), 5*time.Millisecond) {
				if r, ok := s.Recent(clock.Now()); ok && r.Phase != op.PhasePrepare && r.Total.Ops > 0 {
					once.Do(f)
					return
				}
			}
		}()
	}
}

// endOnceSeen has the only phase, which would last an hour, end once what f does in it has had its effect.
func endOnceSeen(t *testing.T, o *coordinator.Options, w *watcher, f func(), seen func() bool) {
	ends := make(chan int, 1)
	w.onStage = inBenchmark(t, func() {
		f()
		for !seen() && clock.Pause(t.Context(), 5*time.Millisecond) {
		}
		ends <- 0
	})
	o.Observer, o.EndPhase = w, ends
}

// TestLostAndBack cuts the connection amid the benchmark and lets it come back: nothing is missing.
// works: MinIO warp: a coordinator connects again
func TestLostAndBack(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	near, far := startClient(t, nil), startClient(t, nil)
	p := harness.StartProxy(t, far.addr)
	w := &watcher{}
	o := testOptions(near.addr, p.Addr())
	endOnceSeen(t, &o, w, func() {
		p.Cut(true)
		time.Sleep(200 * time.Millisecond)
		p.Cut(false)
	}, func() bool { return strings.Contains(w.text(), "is back after") })
	r, rec, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(len(harness.ReadOps(t, rec))); r.InResult != 2 || n != r.Operations || n == 0 {
		t.Errorf("%d clients and %d operations in the result, %d in the recording", r.InResult, r.Operations, n)
	}
	if text := w.text(); !strings.Contains(text, "Lost the connection to client") || !strings.Contains(text, "is back after") {
		t.Errorf("notices: %s", text)
	}
	if len(r.Clients[1].Outages) != 1 || r.Clients[1].Outages[0].Final || !strings.Contains(strings.Join(r.Warnings, "\n"), "it went on measuring") {
		t.Errorf("outages %v, warnings %q", r.Clients[1].Outages, r.Warnings)
	}
}

// TestLostInEveryStage cuts the connection again and again, in all stages; the benchmark ends after three times.
func TestLostInEveryStage(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	near, far := startClient(t, nil), startClient(t, nil)
	p := harness.StartProxy(t, far.addr)
	w := &watcher{}
	o := testOptions(near.addr, p.Addr())
	told := func(what string) int { return strings.Count(w.text(), what) }
	endOnceSeen(t, &o, w, func() {}, func() bool { return told("Lost the connection to client") >= 3 })
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for clock.Pause(ctx, 60*time.Millisecond) {
			if w.begun() && told("Lost the connection to client") == told("is back after") { // a slow machine needs longer to come back
				p.Cut(false)
			}
		}
	})
	r, rec, err := runAll(context.Background(), harness.Plan(t, "get", server.Host(), time.Hour, "-objects=50"), o)
	cancel()
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(len(harness.ReadOps(t, rec))); r.InResult != 2 || n != r.Operations || len(r.Clients[1].Outages) < 3 {
		t.Errorf("%d clients, %d operations in the result, %d in the recording, outages %v", r.InResult, r.Operations, n, r.Clients[1].Outages)
	}
}

// TestLostForGood goes on with the others, and says what is missing.
func TestLostForGood(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	near := startClient(t, nil)
	far := startClient(t, func(o *Options) { o.Grace = 300 * time.Millisecond })
	p := harness.StartProxy(t, far.addr)
	w := &watcher{}
	o := testOptions(near.addr, p.Addr())
	o.Grace = 500 * time.Millisecond
	endOnceSeen(t, &o, w, func() { p.Cut(true) }, func() bool { return strings.Contains(w.text(), "Lost the connection to client") })
	r, rec, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(len(harness.ReadOps(t, rec))); r.InResult != 1 || n != r.Operations || n == 0 {
		t.Errorf("%d clients and %d operations in the result, %d in the recording", r.InResult, r.Operations, n)
	}
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "covers 1 of 2 clients") || !strings.Contains(text, "lost from second") {
		t.Errorf("warnings: %s", text)
	}
	harness.Until(t, "the lost client has given up and cleaned up", func() bool { return far.busy() == "" })
	if files, _ := filepath.Glob(filepath.Join(far.opts.Dir, "*.csv.zst")); len(files) != 1 {
		t.Errorf("the lost client keeps the recordings %v, want one", files)
	} else if f, err := os.Open(files[0]); err == nil {
		defer f.Close()
		if len(harness.ReadOps(t, f)) == 0 {
			t.Error("its recording is empty")
		}
	}
}

// TestAllLost ends without a result, and says so.
func TestAllLost(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	c := startClient(t, func(o *Options) { o.Grace = 100 * time.Millisecond })
	p := harness.StartProxy(t, c.addr)
	w := &watcher{onStage: inBenchmark(t, func() { p.Cut(true) })}
	o := testOptions(p.Addr())
	o.Observer, o.Grace = w, 200*time.Millisecond
	r, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err == nil || !strings.Contains(err.Error(), "no client handed over results") || !strings.Contains(err.Error(), "covers 0 of 1 clients") {
		t.Errorf("got %v, %v", r, err)
	}
	if w.measured > 0 {
		t.Error("a result was told")
	}
	harness.Until(t, "the client is free", func() bool { return c.busy() == "" })
	if text := c.logged(); strings.Count(text, errCoordinatorLost.Error()) > 2 { // that the results were not handed over, and the end
		t.Errorf("the client says the same again and again: %s", text)
	}
}

// TestFrozen holds everything back without closing: a client that hangs blocks nobody.
func TestFrozen(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	hurry := func(o *Options) { o.Grace, o.Timing.Silence = 500*time.Millisecond, 3*time.Second }
	near, far := startClient(t, nil), startClient(t, hurry)
	p := harness.StartProxy(t, far.addr)
	w := &watcher{}
	o := testOptions(near.addr, p.Addr())
	o.Grace, o.Timing.Silence = 500*time.Millisecond, 3*time.Second
	endOnceSeen(t, &o, w, p.Freeze, func() bool { return strings.Contains(w.text(), "Lost the connection to client") })
	r, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.InResult != 1 || !strings.Contains(w.text(), "Going on without client") {
		t.Errorf("%d clients in the result; notices: %s", r.InResult, w.text())
	}
	p.Thaw()
	harness.Until(t, "the frozen client is free", func() bool { return far.busy() == "" })
}

// TestLostInPreparation gives the benchmark up: it is not the one that was asked for.
func TestLostInPreparation(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{Rule: func(k op.Kind, _ uint64) responder.Fault {
		if k == op.Put {
			return responder.Fault{Delay: 5 * time.Millisecond}
		}
		return responder.Fault{}
	}})
	near := startClient(t, nil)
	far := startClient(t, func(o *Options) { o.Grace = 100 * time.Millisecond })
	p := harness.StartProxy(t, far.addr)
	o := testOptions(near.addr, p.Addr())
	o.Grace = 300 * time.Millisecond
	o.Observer = &watcher{onStage: func(s coordinator.Stage) {
		if s.Name == bench.StagePrepare {
			p.Cut(true)
		}
	}}
	_, _, err := runAll(context.Background(), harness.Plan(t, "get", server.Host(), time.Second, "-objects=100000"), o)
	if err == nil || !strings.Contains(err.Error(), p.Addr()) {
		t.Fatalf("got %v", err)
	}
	harness.Until(t, "both clients are free", func() bool { return near.busy() == "" && far.busy() == "" })
}

// TestCoordinatorVanishes cuts all clients off at each stage: they stop after their grace, clean up, and are ready again.
func TestCoordinatorVanishes(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{bench.StagePrepare, bench.StageBenchmark, "measured", bench.StageCleanup} {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			server := harness.Server(t, responder.Options{Rule: func(k op.Kind, n uint64) responder.Fault {
				if k == op.Put || k == op.Delete {
					return responder.Fault{Delay: 5 * time.Millisecond}
				}
				return responder.Fault{}
			}})
			c := startClient(t, func(o *Options) { o.Grace = 300 * time.Millisecond })
			p := harness.StartProxy(t, c.addr)
			o := testOptions(p.Addr())
			o.Grace = 100 * time.Millisecond
			cut := func() { p.Cut(true) }
			w := &watcher{}
			switch stage {
			case "measured":
				w.onMeasured = cut
			case bench.StageBenchmark:
				w.onStage = inBenchmark(t, cut)
			default:
				w.onStage = func(s coordinator.Stage) {
					if s.Name == stage {
						cut()
					}
				}
			}
			o.Observer = w
			length := 300 * time.Millisecond
			if stage == bench.StageBenchmark {
				length = 10 * time.Second
			}
			_, _, err := runAll(context.Background(), harness.Plan(t, "get", server.Host(), length, "-objects=300"), o)
			if (err != nil) != (stage == bench.StagePrepare || stage == bench.StageBenchmark) {
				t.Errorf("the coordinator's error: %v", err)
			}
			harness.Until(t, "the client is free", func() bool { return c.busy() == "" })
			puts, deleted := server.Requests(op.Put), server.Requests(op.Delete)
			if puts == 0 || deleted == 0 {
				t.Errorf("%d PUTs, %d DELETEs: it did not clean up", puts, deleted)
			}
			p.Cut(false)
			if _, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 50*time.Millisecond), testOptions(c.addr)); err != nil {
				t.Errorf("the next run: %v", err)
			}
		})
	}
}

// TestClientShutsDown amid a benchmark: it stops and cleans up first. The result is of the other, for as long as that
// measured, and says so.
func TestClientShutsDown(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	one, two := startClient(t, nil), startClient(t, nil)
	o := testOptions(one.addr, two.addr)
	endOnceSeen(t, &o, &watcher{}, func() { go two.stop() }, func() bool { return strings.Contains(two.logged(), "The client ends when the run") })
	r, rec, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err != nil {
		t.Fatal(err)
	}
	leavesOut(t, r, rec, errShutDown.Error())
	if r.Interrupted {
		t.Error("the run is said to be interrupted")
	}
	if two.busy() != "" || server.Requests(op.Delete) == 0 {
		t.Error("it did not clean up")
	}
}

// leavesOut is a result of the first of two clients alone, because the second measured too little.
func leavesOut(t *testing.T, r *coordinator.Result, rec *bytes.Buffer, why string) {
	t.Helper()
	first, second := r.Clients[0], r.Clients[1]
	if !first.InResult || second.InResult || !strings.Contains(second.Cut, why) || second.Err != "" || second.Recording == "" {
		t.Errorf("the clients are reported as %+v", r.Clients)
	}
	if r.Incomplete != "the result covers 1 of 2 clients" {
		t.Errorf("the result lacks %q", r.Incomplete)
	}
	if text := strings.Join(r.Warnings, "\n"); !strings.Contains(text, "client "+second.Addr+" is left out of the result, because it measured only a part of the benchmark: "+why) {
		t.Errorf("warnings: %s", text)
	}
	if got := r.Snapshot.Groups[0].Clients; !slices.Equal(got, []string{first.ID}) {
		t.Errorf("the figures are of %v", got)
	}
	if ops := harness.ReadOps(t, rec); int64(len(ops)) != r.Operations || r.Operations != first.Operations || first.Operations == 0 {
		t.Errorf("%d operations in the recording, %d in the result, %d of the client", len(ops), r.Operations, first.Operations)
	}
}

// TestAllShutDown has all clients end before their time: the result is of what they measured together, and says so.
func TestAllShutDown(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	one, two := startClient(t, nil), startClient(t, nil)
	o := testOptions(one.addr, two.addr)
	o.Observer = &watcher{onStage: inBenchmark(t, func() {
		go one.stop()
		go two.stop()
	})}
	r, rec, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(len(harness.ReadOps(t, rec))); n != r.Operations || r.InResult != 2 || !r.Interrupted {
		t.Errorf("%d clients, %d operations, %d in the recording, interrupted %v", r.InResult, r.Operations, n, r.Interrupted)
	}
	if r.Incomplete != "2 of 2 clients measured only a part of the benchmark" || strings.Count(strings.Join(r.Warnings, "\n"), "measured only a part of the benchmark: "+errShutDown.Error()) != 2 {
		t.Errorf("the result lacks %q; warnings %q", r.Incomplete, r.Warnings)
	}
}

// TestDiskFull has the recording of a client fail. What it did then is nowhere, so its figures would be too low, and those
// of the other would be of that short time.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	fine := startClient(t, nil)
	full := startClient(t, func(o *Options) {
		o.create = func(path string) (io.WriteCloser, error) {
			f, err := createFile(path)
			return &smallDisk{f, 1500}, err
		}
	})
	w := &watcher{}
	o := testOptions(fine.addr, full.addr)
	endOnceSeen(t, &o, w, func() {}, func() bool { return strings.Contains(w.text(), "Recording failed") })
	r, rec, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Hour), o)
	if err != nil {
		t.Fatal(err)
	}
	leavesOut(t, r, rec, "recorded ")
	if text := r.Clients[1].Cut; !strings.Contains(text, "disk is full") {
		t.Errorf("the reason is %q", text)
	}
	if w.result.Incomplete != r.Incomplete {
		t.Errorf("the report lacks %q", w.result.Incomplete)
	}
	if !strings.Contains(w.text(), "Recording failed") {
		t.Errorf("notices: %s", w.text())
	}
}

type smallDisk struct {
	io.WriteCloser
	left int
}

func (d *smallDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errors.New("the disk is full")
	}
	return d.WriteCloser.Write(p)
}

// TestSlowWay hands a recording over through a thin pipe; it only takes longer.
func TestSlowWay(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	c := startClient(t, nil)
	p := harness.StartProxy(t, c.addr)
	w := &watcher{onStage: inBenchmark(t, func() {
		p.SetRate(500)
	})}
	o := testOptions(p.Addr())
	o.Observer = w
	r, rec, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), time.Second), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := int64(len(harness.ReadOps(t, rec))); n != r.Operations {
		t.Errorf("%d operations in the result, %d in the recording", r.Operations, n)
	}
}

// TestLeaks makes many runs on one client: neither goroutines nor memory grow.
func TestLeaks(t *testing.T) {
	server := harness.Server(t, responder.Options{})
	c := startClient(t, nil)
	o := testOptions(c.addr)
	o.Timing.Lead = 20 * time.Millisecond
	run := func() {
		t.Helper()
		if _, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 10*time.Millisecond), o); err != nil {
			t.Fatal(err)
		}
		harness.Until(t, "the client is free", func() bool { return c.busy() == "" })
	}
	measure := func() (goroutines int, heap uint64) {
		var m runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	for range 10 {
		run()
	}
	g1, h1 := measure()
	runs := 25
	if testkit.Soaking() {
		runs = 200
	}
	for range runs {
		run()
	}
	harness.Until(t, "goroutines have ended", func() bool { return runtime.NumGoroutine() <= g1+5 })
	g2, h2 := measure()
	t.Logf("goroutines %d, then %d; heap %d KiB, then %d KiB", g1, g2, h1>>10, h2>>10)
	if h2 > h1+512<<10 {
		t.Errorf("the heap grew from %d to %d bytes in %d runs", h1, h2, runs)
	}
}
