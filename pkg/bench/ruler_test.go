package bench_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/bench"
	"warp/pkg/op"
)

// Test the ruler: what was injected must be what is reported, whichever engine measured it. Delays are long, so that
// what this machine adds by itself is well below the 3 % that are allowed. It adds more when others use it; so its own
// lateness is measured beside the run, and comes on top of what is allowed.

func TestRulerConstantDelay(t *testing.T) { eachRuler(t, rulerConstantDelay) }

func rulerConstantDelay(t *testing.T, engine string) {
	const delay, workers = 500 * time.Millisecond, 240
	m := ruled(t, engine, after(op.Get, workers, func(uint64) responder.Answer { return responder.Answer{Delay: delay} }), "get", threads(workers, 6*time.Second))
	m.compare(t)
	late := m.lateBy(float64(delay))
	near(t, "throughput", m.ObjectsPerSec(), workers/delay.Seconds(), late)
	near(t, "bytes", m.BytesPerSec(), 4096*workers/delay.Seconds(), late)
	near(t, "first byte", m.TTFB.Mean(), float64(delay), late)
}

func TestRulerTwoDelays(t *testing.T) { eachRuler(t, rulerTwoDelays) }

func rulerTwoDelays(t *testing.T, engine string) {
	const workers = 240
	m := ruled(t, engine, after(op.Stat, workers, func(n uint64) responder.Answer {
		if n%100 < 15 {
			return responder.Answer{Delay: time.Second}
		}
		return responder.Answer{Delay: 300 * time.Millisecond}
	}), "stat", threads(workers, 6*time.Second))
	m.compare(t)
	const average = .15*1 + .85*.3
	near(t, "throughput", m.ObjectsPerSec(), workers/average, m.lateBy(average*1e9))
}

// A stall of one second in a closed loop hits one operation of each thread.
func TestRulerStallClosedLoop(t *testing.T) { eachRuler(t, rulerStallClosedLoop) }

func rulerStallClosedLoop(t *testing.T, engine string) {
	const workers = 20
	m := ruled(t, engine, after(op.Get, workers, func(n uint64) responder.Answer {
		a := responder.Answer{Delay: 50 * time.Millisecond}
		if n >= 800 && n < 800+workers {
			a.Stall = time.Second
		}
		return a
	}), "get", threads(workers, 5*time.Second))
	m.compare(t)
	fastest, _, slowest, _, _ := m.Rank()
	if f, s := m.Segments[fastest], m.Segments[slowest]; s.Objects > .5*f.Objects {
		t.Errorf("the stall does not show: slowest segment %.0f objects, fastest %.0f", s.Objects, f.Objects)
	}
}

// In an open loop every operation that was due in the stall waited for its end, however few threads there are. The server
// knows how long: it answered the request number n so long after that was due, by its own clock.
func TestRulerStallOpenLoop(t *testing.T) { eachRuler(t, rulerStallOpenLoop) }

func rulerStallOpenLoop(t *testing.T, engine string) {
	const rate, threads, seconds = 200.0, 8, 5
	var until, first atomic.Int64
	var waited [rate * seconds]atomic.Int64
	m := ruled(t, engine, after(op.Stat, 0, func(n uint64) responder.Answer {
		now := time.Now()
		switch n {
		case 1:
			first.Store(now.UnixNano())
		case 300:
			until.Store(now.Add(time.Second).UnixNano())
		}
		delay := max(0, time.Unix(0, until.Load()).Sub(now))
		if i := n - 1; i < uint64(len(waited)) {
			waited[i].Store(now.UnixNano() + int64(delay) - first.Load() - int64(float64(i)*1e9/rate))
		}
		return responder.Answer{Delay: delay}
	}), "stat", func(p *bench.Plan) {
		p.Phases[0].Concurrency, p.Phases[0].Duration, p.Phases[0].Rate = threads, seconds*time.Second, rate
	})
	var d []float64
	for i := range waited {
		d = append(d, float64(waited[i].Load()))
	}
	slices.Sort(d)
	near(t, "max", float64(m.Latency.Max()), d[len(d)-1], m.latest(d[len(d)-1]))
	// A fifth of all operations were due in the stall and waited from 1 s down to nothing: half of them more than 0.5 s. Then
	// the threads work off what waits.
	want := d[len(d)*9/10]
	if want < .45e9 {
		t.Fatalf("a tenth of the operations waited for %v, so there was no stall", time.Duration(want))
	}
	p90, _ := m.Latency.Percentile(90)
	near(t, "response time p90", float64(p90), want, m.lateBy(want))
	if p90, _ := m.Service.Percentile(90); p90 > int64(100*time.Millisecond) {
		t.Errorf("service time p90: %v, only 8 operations took long", time.Duration(p90))
	}
	near(t, "throughput", m.ObjectsPerSec(), rate, 0)
}

func TestRulerErrors(t *testing.T) { eachRuler(t, rulerErrors) }

func rulerErrors(t *testing.T, engine string) {
	const workers = 16
	m := ruled(t, engine, after(op.Get, workers, func(n uint64) responder.Answer {
		a := responder.Answer{Delay: 100 * time.Millisecond}
		if n%10 == 3 {
			a.Status = 503
		}
		return a
	}), "get", threads(workers, 3*time.Second))
	if want := m.Answers(op.Get, 503); uint64(m.Errors) != want || want == 0 {
		t.Errorf("%d errors reported, %d injected", m.Errors, want)
	}
	if m.ErrorsByClass["503 SlowDown"] != m.Errors || len(m.ErrorsByClass) != 1 {
		t.Errorf("classes: %v", m.ErrorsByClass)
	}
	if asked := int64(m.Server.Requests(op.Get)) - 1; m.Group.Requests != asked { // one is the preflight's
		t.Errorf("%d operations reported, %d requests arrived: one operation is one request", m.Group.Requests, asked)
	}
	took := mean(m.injected(t))
	near(t, "throughput", m.ObjectsPerSec(), .9*workers/(took/1e9), m.lateBy(took))
}

func TestRulerBandwidth(t *testing.T) { eachRuler(t, rulerBandwidth) }

func rulerBandwidth(t *testing.T, engine string) {
	const size, workers, perConn = 1 << 20, 4, 2 << 20
	m := ruled(t, engine, after(op.Get, workers, func(uint64) responder.Answer {
		return responder.Answer{Delay: 200 * time.Millisecond, Bandwidth: perConn}
	}), "get", func(p *bench.Plan) {
		threads(workers, 6*time.Second)(p)
		p.Data.Sizes.Max = size
		p.Phases[0].Params = []byte(`{"objects": 50}`)
	})
	took := mean(m.injected(t)) / 1e9
	late := m.lateBy(took * 1e9)
	near(t, "injected bandwidth", took, .2+float64(size)/perConn, late)
	near(t, "average latency", m.Latency.Mean()/1e9, took, late)
	near(t, "throughput", m.BytesPerSec(), workers*size/took, late)
	p50, _ := m.TTFB.Percentile(50)
	near(t, "first byte", float64(p50)/1e9, .2, m.lateBy(.2e9))
}
