package report

import (
	"fmt"
	"math"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// began is when all hand-made runs began.
var began = time.Date(2026, 11, 21, 0, 55, 2, 0, time.UTC)

// spread is a histogram of n values from low to high, evenly spread.
func spread(n int, low, high time.Duration) *hist.Histogram {
	h := hist.New(hist.Fine)
	for i := range n {
		h.Record(int64(low) + int64(high-low)*int64(i)/int64(max(1, n-1)))
	}
	return h
}

// series is segments that sum up to about n operations a second, each of size bytes and objects, with a slow one and a
// fast one among them.
func series(count, n int, size int64, objects int) []aggregate.Segment {
	out := make([]aggregate.Segment, count)
	for i := range out {
		v := n + (i*7)%5 - 2
		switch i {
		case 2:
			v = n / 2
		case 4:
			v = n * 5 / 4
		}
		out[i] = aggregate.Segment{
			Bytes: float64(v) * float64(size), Objects: float64(v * objects),
			Full: int64(v - 1), Partial: 2, Started: int64(v), Ended: int64(v),
			Latency: spread(v, time.Millisecond, 20*time.Millisecond),
		}
	}
	return out
}

// group is n operations a second for ten seconds, each of size bytes and objects.
func group(kind op.Kind, n int, size int64, objects int) *aggregate.Group {
	const seconds = 10
	total := seconds * n
	return &aggregate.Group{
		Kind: kind, Requests: int64(total + 8), Considered: int64(total),
		First: began, Last: began.Add((seconds + 1) * time.Second), Threads: 4,
		Clients: []string{"a1b2"}, Hosts: []string{"http://127.0.0.1:9000"},
		Window: aggregate.Window{Start: began.Add(300 * time.Millisecond), End: began.Add((seconds + 1) * time.Second)},
		Part: aggregate.Part{
			Bytes: float64(total) * float64(size), Objects: float64(total * objects), Ops: float64(total),
			Latency: spread(total, 3*time.Millisecond, 121*time.Millisecond),
		},
		OpSizes:  aggregate.OpSizes{MinObjects: objects, MaxObjects: objects, MinSize: size, MaxSize: size},
		Segments: series(seconds, n, size, objects),
		ByHost: map[string]*aggregate.Part{"http://127.0.0.1:9000": {
			Bytes: float64(total) * float64(size), Objects: float64(total * objects), Ops: float64(total),
			Total: int64(total + 8), Latency: spread(total, 3*time.Millisecond, 121*time.Millisecond),
		}},
	}
}

func snapshot(groups ...*aggregate.Group) *aggregate.Snapshot {
	return &aggregate.Snapshot{Version: aggregate.Version, Segment: time.Second, Groups: groups}
}

func preparation() *aggregate.Group {
	g := group(op.Put, 250, 4000, 1)
	g.Phase = op.PhasePrepare
	return g
}

// twoHosts is a GET on two hosts, one slower and with an error, by two clients.
func twoHosts() *aggregate.Snapshot {
	g := group(op.Get, 4356, 4000, 1)
	g.RepeatReads = 2490
	g.TTFB = spread(43560, 2500*time.Microsecond, 110*time.Millisecond)
	g.FirstAccess = spread(2500, 11*time.Millisecond, 120*time.Millisecond)
	g.FirstAccessTTFB = spread(2500, 10*time.Millisecond, 119*time.Millisecond)
	g.LastAccess = spread(2500, 850*time.Microsecond, 49*time.Millisecond)
	g.LastAccessTTFB = spread(2500, 800*time.Microsecond, 48*time.Millisecond)
	g.Own.All = spread(2722, 5*time.Microsecond, 900*time.Microsecond) // one in 16
	g.Hosts = []string{"http://10.0.0.1:9000", "http://10.0.0.2:9000"}
	g.Clients = []string{"a1b2", "c3d4"}
	part := func(n int, failed int64) *aggregate.Part {
		p := &aggregate.Part{
			Bytes: float64(10*n) * 4000, Objects: float64(10 * n), Ops: float64(10 * n), Total: int64(10*n + 4), Failed: failed,
			Latency: spread(10*n, 3*time.Millisecond, 121*time.Millisecond),
			TTFB:    spread(10*n, 2*time.Millisecond, 110*time.Millisecond),
			Series:  series(10, n, 4000, 1),
		}
		if failed > 0 {
			p.ErrorsByClass = map[string]int64{"503 SlowDown": failed}
			p.Series[1].Errors, p.Series[1].ErrorsByClass = failed, p.ErrorsByClass
		}
		return p
	}
	g.ByHost = map[string]*aggregate.Part{"http://10.0.0.2:9000": part(1800, 1), "http://10.0.0.1:9000": part(2556, 0)}
	g.ByClient = map[string]*aggregate.Part{"a1b2": part(2178, 0), "c3d4": part(2178, 1)}
	g.Errors = 1
	g.ErrorsByClass = map[string]int64{"503 SlowDown": 1}
	g.FirstErrors = []aggregate.ErrorSample{{
		Time: began.Add(2 * time.Second), Host: "http://10.0.0.2:9000", Key: "x/1.rnd",
		Err: "503 SlowDown: Please reduce your request rate. (request id 1812F0A5)",
	}}
	return snapshot(preparation(), g)
}

func mixed() *aggregate.Snapshot {
	get, stat := group(op.Get, 450, 1<<20, 1), group(op.Stat, 300, 0, 1)
	put, del := group(op.Put, 150, 1<<20, 1), group(op.Delete, 100, 0, 1)
	total := group("", 1000, 0, 1)
	total.Requests = get.Requests + stat.Requests + put.Requests + del.Requests
	total.Bytes = get.Bytes + put.Bytes
	total.Segments = series(10, 1000, 6<<17, 1)
	total.Threads = 20
	s := snapshot(preparation(), get, stat, put, del)
	total.MinSize, total.MaxSize = 0, 1<<20
	s.Totals = []*aggregate.Group{total}
	s.Warnings = []string{"the client was the limit: it used 92% of its CPUs, so the server may be faster than these figures say"}
	return s
}

func list() *aggregate.Snapshot {
	g := group(op.List, 37, 0, 833)
	g.MinObjects, g.MaxObjects = 800, 850
	g.TTFB = spread(370, 900*time.Microsecond, 30*time.Millisecond)
	return snapshot(g)
}

func openLoop() *aggregate.Snapshot {
	g := group(op.Get, 100, 16384, 1)
	g.Service = spread(1000, 1*time.Millisecond, 12*time.Millisecond)
	g.TTFB = spread(1000, 900*time.Microsecond, 11*time.Millisecond)
	g.Own.All, g.Own.Late = spread(1000, 40*time.Microsecond, 14*time.Millisecond), spread(1000, 0, 13*time.Millisecond)
	return snapshot(g)
}

func failures() *aggregate.Snapshot {
	g := group(op.Put, 100, 4096, 1)
	g.Errors = 312
	g.Segments[2].Errors, g.Segments[7].Errors, g.Segments[8].Errors = 12, 295, 4 // one more was outside of the window
	g.ErrorsByClass = map[string]int64{"503 SlowDown": 250, "connection refused": 31}
	g.Segments[7].ErrorsByClass = map[string]int64{"503 SlowDown": 250, "connection refused": 31, "timeout": 10, "400 Odd": 3, "401 Odd": 1}
	g.Segments[2].ErrorsByClass = map[string]int64{"TLS error": 12}
	for i := range 31 {
		g.ErrorsByClass[fmt.Sprintf("4%02d Odd", i)] = 1
	}
	for i := range 8 {
		e := aggregate.ErrorSample{
			Time: began.Add(time.Duration(i) * 1500 * time.Millisecond), Host: "http://127.0.0.1:9000",
			Key: fmt.Sprintf("warp/%d.rnd", i), Err: "503 SlowDown: Please reduce your request rate.",
		}
		if i == 1 {
			e.Key, e.Err = "", "connection refused: dial tcp:\x1b[31m no\nroute"
		}
		g.FirstErrors = append(g.FirstErrors, e)
	}
	return snapshot(g)
}

// allFailed had time for a window, but nothing succeeded in it.
func allFailed() *aggregate.Snapshot {
	g := group(op.Get, 100, 0, 0)
	g.Part, g.Considered, g.Errors = aggregate.Part{}, 0, g.Requests
	g.MinObjects, g.MaxObjects, g.MinSize, g.MaxSize = 0, 0, 0, 0
	g.Segments = make([]aggregate.Segment, 10)
	g.ErrorsByClass = map[string]int64{"403 AccessDenied": g.Errors}
	g.Hosts = []string{"http://10.0.0.1:9000", "http://10.0.0.2:9000"}
	half := &aggregate.Part{Total: g.Requests / 2, Failed: g.Requests / 2}
	g.ByHost = map[string]*aggregate.Part{g.Hosts[0]: half, g.Hosts[1]: half}
	return snapshot(g)
}

// emptyWindow is operations that leave nothing between the start and the end of the run.
func emptyWindow() *aggregate.Snapshot {
	g := group(op.Get, 1, 1<<30, 1)
	g.Requests, g.Considered = 4, 0
	g.Window = aggregate.Window{}
	g.Part, g.Segments, g.ByHost = aggregate.Part{}, nil, nil
	return snapshot(g)
}

func oneOperation() *aggregate.Snapshot {
	g := group(op.Get, 1, 10<<20, 1)
	g.Requests, g.Considered, g.Threads = 1, 1, 1
	g.Last = g.First.Add(850 * time.Microsecond)
	g.Window = aggregate.Window{Start: g.First, End: g.Last, Loose: true}
	g.Part = aggregate.Part{Bytes: 10 << 20, Objects: 1, Ops: 1, Latency: spread(1, 850*time.Microsecond, 0)}
	g.Segments, g.ByHost = nil, nil
	return snapshot(g)
}

func randomSizes() *aggregate.Snapshot {
	g := group(op.Get, 200, 1700000, 1)
	g.MinSize, g.MaxSize = 128, 10<<20
	g.TTFB = spread(2000, 900*time.Microsecond, 80*time.Millisecond)
	rates := func(n int, low, high int64) *hist.Histogram {
		h := hist.New(hist.Fine)
		for i := range n {
			h.Record(low + (high-low)*int64(i)/int64(n))
		}
		return h
	}
	class := func(from, to int64, n int, low, high int64) aggregate.SizeClass {
		return aggregate.SizeClass{
			From: from, To: to, Requests: int64(n), Bytes: int64(n) * (from + to) / 2,
			Latency: spread(n, time.Millisecond, 40*time.Millisecond), TTFB: spread(n, 990*time.Microsecond, 30*time.Millisecond),
			Throughput: rates(n, low, high),
		}
	}
	g.BySize = []aggregate.SizeClass{
		class(100, 1<<10, 29, 100, 1<<20), class(1<<10, 10<<10, 100, 1<<19, 5<<20), class(10<<10, 1<<20, 871, 1<<20, 60<<20),
		class(1<<20, 10<<20, 1000, 40<<20, 2<<30),
	}
	return snapshot(g)
}

// huge has figures at the ends of their ranges.
func huge() *aggregate.Snapshot {
	g := group(op.Get, 10, 5<<40, 1)
	g.Requests, g.Considered, g.Errors = math.MaxInt64, math.MaxInt64, math.MaxInt64/2
	g.Last = g.First.Add(100 * 24 * time.Hour)
	g.Window.End = g.Last
	g.Bytes, g.Objects, g.Ops = 1e30, 1e18, math.Inf(1)
	g.Latency = spread(20, time.Nanosecond, 3*time.Hour)
	g.Segments[3].Bytes, g.Segments[4].Objects = math.Inf(1), math.NaN()
	g.Threads = math.MaxInt32
	return snapshot(g)
}

// scenario has two named phases, which have no common total.
func scenario() *aggregate.Snapshot {
	warm, run := group(op.Get, 100, 4096, 1), group(op.Get, 300, 4096, 1)
	warm.Phase, run.Phase = "warm", "run"
	return snapshot(warm, run)
}

func batchDelete() *aggregate.Snapshot {
	s := snapshot(group(op.Delete, 25, 0, 100))
	s.Segment = 500 * time.Millisecond
	return s
}

// averaged is what an aggregated recording of another tool leaves: statistics in place of times.
func averaged() *aggregate.Snapshot {
	get, put := group(op.Get, 100, 4096, 1), group(op.Put, 100, 4096, 1)
	get.Latency, put.Latency, put.Kind = nil, nil, op.Put
	ms := time.Millisecond
	get.Approx = &aggregate.Approx{
		Latency: aggregate.ApproxTimes{Requests: 1000, Mean: 12 * ms, StdDev: 3 * ms, Min: 2 * ms, Max: 80 * ms, P50: 11 * ms, P90: 20 * ms, P99: 45 * ms},
		TTFB: aggregate.ApproxTimes{
			Requests: 1000, Mean: 9 * ms, StdDev: 2 * ms, Min: ms, Max: 70 * ms,
			P25: 5 * ms, P50: 8 * ms, P75: 11 * ms, P90: 15 * ms, P99: 40 * ms,
		},
	}
	put.Approx = &aggregate.Approx{Latency: aggregate.ApproxTimes{Requests: 1000, Mean: 30 * ms}} // of several sizes
	return snapshot(get, put)
}

// fixtures is every hand-made snapshot by name.
func fixtures() map[string]*aggregate.Snapshot {
	return map[string]*aggregate.Snapshot{
		"two-hosts": twoHosts(), "mixed": mixed(), "list": list(), "open-loop": openLoop(), "failures": failures(),
		"all-failed": allFailed(), "empty-window": emptyWindow(), "one-operation": oneOperation(),
		"random-sizes": randomSizes(), "huge": huge(), "scenario": scenario(), "batch-delete": batchDelete(), "averaged": averaged(), "nothing": snapshot(),
	}
}
