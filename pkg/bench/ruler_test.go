package bench_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/bench/work"
	"warp/pkg/op"
	"warp/pkg/s3"
	"warp/pkg/s3/connect"
)

// Test the ruler: what was injected must be what is reported, whichever engine measured it. The server's own record of
// when a request came and was answered says within which bounds each operation lies. They are as close as the machine is
// quick, and hold however slow it is.

// eachRuler runs a ruler with both engines and all kinds of stores, in parallel with other rulers.
func eachRuler(t *testing.T, test func(t *testing.T, c setup)) {
	t.Parallel()
	eachSetup(t, test)
}

// eachLongRuler is eachRuler for what does not depend on the kind of store; a short test takes one.
func eachLongRuler(t *testing.T, test func(t *testing.T, c setup)) {
	if !testing.Short() {
		eachRuler(t, test)
		return
	}
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) { test(t, s3Setup(engine)) })
}

func TestRulerConstantDelay(t *testing.T) { eachRuler(t, rulerConstantDelay) }

func rulerConstantDelay(t *testing.T, c setup) {
	const delay, workers = 500 * time.Millisecond, 240
	m := c.ruled(t, after(op.Get, workers, func(uint64) responder.Fault { return responder.Fault{Delay: delay} }), "get", threads(workers, 6*time.Second, delay))
	m.compare(t)
}

func TestRulerTwoDelays(t *testing.T) { eachLongRuler(t, rulerTwoDelays) }

func rulerTwoDelays(t *testing.T, c setup) {
	const workers = 240
	m := c.ruled(t, after(op.Stat, workers, func(n uint64) responder.Fault {
		if n%100 < 15 {
			return responder.Fault{Delay: time.Second}
		}
		return responder.Fault{Delay: 300 * time.Millisecond}
	}), "stat", threads(workers, 6*time.Second, 300*time.Millisecond))
	m.compare(t)
}

// A stall of one second in a closed loop hits one operation of each thread.
func TestRulerStallClosedLoop(t *testing.T) { eachLongRuler(t, rulerStallClosedLoop) }

func rulerStallClosedLoop(t *testing.T, c setup) {
	const workers = 20
	m := c.ruled(t, after(op.Get, workers, func(n uint64) responder.Fault {
		a := responder.Fault{Delay: 50 * time.Millisecond}
		if n >= 100 && n < 100+workers {
			a.Stall = time.Second
		}
		return a
	}), "get", threads(workers, 5*time.Second, 50*time.Millisecond))
	d := m.compare(t)
	if longest := d.least[len(d.least)-1]; longest < 1e9 {
		t.Errorf("nothing took longer than %.6g ns, so there was no stall", longest)
	}
	fastest, _, slowest, _, _ := m.Rank()
	if f, s := m.Segments[fastest], m.Segments[slowest]; s.Objects > .5*f.Objects {
		t.Errorf("the stall does not show: slowest segment %.0f objects, fastest %.0f", s.Objects, f.Objects)
	}
}

// In an open loop every operation that was due in the stall waited for its end, however few threads there are.
func TestRulerStallOpenLoop(t *testing.T) { eachLongRuler(t, rulerStallOpenLoop) }

func rulerStallOpenLoop(t *testing.T, c setup) {
	const rate, threads, seconds = 200.0, 8, 5
	var until atomic.Int64
	m := c.ruled(t, after(op.Stat, 0, func(n uint64) responder.Fault {
		now := clock.Now()
		if n == 300 {
			until.Store(now.Add(time.Second).UnixNano())
		}
		return responder.Fault{Delay: max(0, time.Unix(0, until.Load()).Sub(now))}
	}), "stat", func(p *bench.Plan) {
		p.Phases[0].Concurrency, p.Phases[0].Duration, p.Phases[0].Rate = threads, seconds*time.Second, rate
		objects(p, rate*seconds)
	})
	d := m.compare(t)
	// A fifth of all operations were due in the stall and waited from 1 s down to nothing: half of them more than 0.5 s. Then
	// the threads work off what waits.
	if least, _ := d.percentile(90); least < .45e9 {
		t.Errorf("a tenth of the operations waited for %.6g ns, so there was no stall", least)
	}
	// The service time is a matter of the threads: together they cannot serve for longer than there is time.
	if served := m.Service.Mean() * float64(m.Considered); served > threads*float64(m.Last.Sub(m.Window.Start)) {
		t.Errorf("service time: %.6g ns in all, by %d threads in %v", served, threads, m.Last.Sub(m.Window.Start))
	}
}

func delayed(d time.Duration) responder.Rule {
	return func(op.Kind, uint64) responder.Fault { return responder.Fault{Delay: d} }
}

// A request that hangs until after the run hides nothing of it.
func TestRulerHung(t *testing.T) { eachLongRuler(t, rulerHung) }

func rulerHung(t *testing.T, c setup) {
	const workers, seconds = 12, 5
	m := c.ruled(t, responder.Hung(op.Get, 3*workers, (seconds+1)*time.Second, delayed(50*time.Millisecond)), "get", threads(workers, seconds*time.Second, 50*time.Millisecond))
	d := m.compare(t)
	if longest := d.least[len(d.least)-1]; longest < (seconds+1)*1e9 {
		t.Errorf("nothing took longer than %.6g ns, so the request that hung does not count", longest)
	}
	// All but the operations before the window, which begins when the last thread does, and after it count: at most one more of each thread on either side.
	before := 0
	for _, s := range m.spans {
		if s.Start.Before(m.Window.Start) {
			before++
		}
	}
	if least := int64(len(m.spans) - before - 2*workers); before > len(m.spans)/2 || m.Considered < least || m.Ops < float64(least-workers) {
		t.Errorf("%d considered, %.1f in the window, of %d; %d began before it", m.Considered, m.Ops, len(m.spans), before)
	}
}

// A server that freezes across the end of the run shows in its latencies and its rate.
func TestRulerFrozen(t *testing.T) { eachLongRuler(t, rulerFrozen) }

func rulerFrozen(t *testing.T, c setup) {
	const workers, seconds = 12, 4
	m := c.ruled(t, responder.Frozen(op.Stat, 3*time.Second, 6*time.Second, delayed(50*time.Millisecond)), "stat", threads(workers, seconds*time.Second, 50*time.Millisecond))
	d := m.compare(t)
	if longest := d.least[len(d.least)-1]; longest < 2e9 {
		t.Errorf("nothing took longer than %.6g ns, so the freeze does not count", longest)
	}
	last := m.spans[0].Start
	for _, s := range m.spans {
		if s.Start.After(last) {
			last = s.Start
		}
	}
	if m.Window.End.Before(last) || m.Pending.Ops != workers || m.Pending.Longest.Took < 2*time.Second {
		t.Errorf("window to %v, last start %v, in flight at the end %+v", m.Window.End, last, m.Pending)
	}
}

func TestRulerErrors(t *testing.T) { eachRuler(t, rulerErrors) }

func rulerErrors(t *testing.T, c setup) {
	const workers = 16
	m := c.ruled(t, after(op.Get, workers, func(n uint64) responder.Fault {
		a := responder.Fault{Delay: 100 * time.Millisecond}
		if n%10 == 3 {
			a.Status = 503
		}
		return a
	}), "get", threads(workers, 3*time.Second, 100*time.Millisecond))
	if want := m.Responses(op.Get, 503); uint64(m.Errors) != want || want == 0 {
		t.Errorf("%d errors reported, %d injected", m.Errors, want)
	}
	if m.ErrorsByClass[c.Busy] != m.Errors || len(m.ErrorsByClass) != 1 {
		t.Errorf("classes: %v", m.ErrorsByClass)
	}
	if asked := int64(m.Server.Requests(op.Get)) - 1; m.Group.Requests != asked { // one is the preflight's
		t.Errorf("%d operations reported, %d requests arrived: one operation is one request", m.Group.Requests, asked)
	}
	m.compareThroughput(t)
}

func TestRulerBandwidth(t *testing.T) { eachRuler(t, rulerBandwidth) }

func rulerBandwidth(t *testing.T, c setup) {
	const size, workers, perConn, delay = 1 << 20, 4, 2 << 20, 200 * time.Millisecond
	m := c.ruled(t, after(op.Get, workers, func(uint64) responder.Fault {
		return responder.Fault{Delay: delay, Bandwidth: perConn}
	}), "get", func(p *bench.Plan) {
		threads(workers, 6*time.Second, delay)(p)
		p.Data.Sizes.Max = size
	})
	d := m.compare(t)
	if body := d.least[0] - float64(delay); body < 1e9*size/perConn {
		t.Errorf("a body went by in %.6g ns", body)
	}
	if first, last := m.TTFB.Min(), m.Latency.Min(); first >= last {
		t.Errorf("no first byte came before %.6g ns, and answers took from %.6g ns", float64(first), float64(last))
	}
}

// Newer kinds of operations are measured by the same clock.
func TestRulerOtherKinds(t *testing.T) { eachRuler(t, rulerOtherKinds) }

func rulerOtherKinds(t *testing.T, c setup) {
	const workers = 40
	for workload, kind := range map[string]op.Kind{"attributes": op.Attributes, "acl": op.ACL, "copy": op.Copy, "select": op.Select} {
		if c.lacks(t, workload) {
			continue
		}
		m := c.ruled(t, after(kind, workers, func(uint64) responder.Fault { return responder.Fault{Delay: 200 * time.Millisecond} }), workload, threads(workers, 3*time.Second, 200*time.Millisecond))
		m.compare(t)
	}
}

// lacks reports whether a kind of store does not have what a workload does.
func (c setup) lacks(t *testing.T, workload string) bool {
	t.Helper()
	info, known := work.Lookup(workload)
	if !known {
		t.Fatalf("no workload %q", workload)
	}
	d, traits := connect.Dialect(&c.Config), info.Default().Traits()
	return slices.ContainsFunc(traits.Verbs(), func(v s3.Verb) bool { return d.Lacks(v) != "" })
}
