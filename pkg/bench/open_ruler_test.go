package bench_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/internal/testkit"
	"warp/pkg/bench"
	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/load"
	"warp/pkg/op"
)

// Rulers of open loops in real time, which need a machine with nothing else to do. The same on a virtual clock: queue_test.go of package
// load, and open_loop_test.go of package aggregate.

// oneByOne is a server that serves the requests of a benchmark one after the other. The first request is the preflight's.
func oneByOne(service func(n uint64) time.Duration) responder.Rule {
	return responder.Queue(op.Get, 1, func(n uint64) time.Duration {
		if n == 0 {
			return 0
		}
		return service(n)
	})
}

// openLoop is a load of GET at a rate.
func openLoop(t *testing.T, shape string, arrivals load.Arrivals, ops uint64) func(*bench.Plan) {
	s, err := load.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	return func(p *bench.Plan) {
		ph := &p.Phases[0]
		ph.Schedule, ph.Arrivals, ph.Concurrency, ph.Duration, ph.Ops = s, arrivals, 200, 0, ops
	}
}

// byDue returns the operations of a benchmark as they were due.
func byDue(m *measured) (due, latency []time.Duration) {
	ops := slices.Clone(m.spans)
	slices.SortFunc(ops, func(a, b span) int { return a.Due.Compare(b.Due) })
	for i := range ops {
		due, latency = append(due, ops[i].Due.Sub(ops[0].Due)), append(latency, ops[i].Latency())
	}
	return due, latency
}

// Random arrivals at a server that is busy for 60 % of the time. The seed is one whose arrivals are typical.
const (
	queueRate = 12.0
	queueMean = 50 * time.Millisecond
	queueTurn = 3900
	queueSeed = 169
)

// queue is a server of known service times.
type queue struct {
	service func(n uint64) time.Duration // of request n, from 1
	theory  float64                      // mean time that a request waits, in seconds
}

// queues returns servers with constant and with exponential service times.
func queues() map[string]queue {
	random := rand.New(rand.NewPCG(4, 5))
	varied := make([]time.Duration, queueTurn+1)
	for i := range varied {
		varied[i] = time.Duration(random.ExpFloat64() * float64(queueMean))
	}
	busy := queueRate * queueMean.Seconds()
	return map[string]queue{
		"M/D/1": {func(uint64) time.Duration { return queueMean }, busy / (2 * (1 - busy)) * queueMean.Seconds()},
		"M/M/1": {func(n uint64) time.Duration { return varied[n] }, busy / (1 - busy) * queueMean.Seconds()},
	}
}

// waits returns how long requests that are due at given times wait on average, computed one by one.
func (q *queue) waits(due []time.Duration) (seconds float64) {
	free := time.Duration(0)
	for i := range due {
		begin := max(due[i], free)
		free = begin + q.service(uint64(i+1))
		seconds += (begin - due[i]).Seconds() / float64(len(due))
	}
	return seconds
}

// The arrivals of the ruler are typical: what they should wait is near the theory.
func TestRulerArrivalsAreTypical(t *testing.T) {
	schedule, err := load.Constant(queueRate).Delayed(0, load.Poisson, generator.Mix(queueSeed, dataset.StreamArrivals))
	if err != nil {
		t.Fatal(err)
	}
	due := make([]time.Duration, queueTurn)
	for n := range due {
		due[n] = schedule.Due(uint64(n))
	}
	for name, q := range queues() {
		if waits := q.waits(due); math.Abs(waits/q.theory-1) > 0.03 {
			t.Errorf("%s: they wait %.4g s, in theory %.4g", name, waits, q.theory)
		}
	}
}

// Random arrivals at a server of known service times wait as long as queueing theory says.
func TestRulerQueues(t *testing.T) {
	testkit.Soak(t)
	for name, q := range queues() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := s3Setup("lean").ruled(t, oneByOne(q.service), "get", func(p *bench.Plan) {
				openLoop(t, "12", load.Poisson, queueTurn)(p)
				p.Seed = queueSeed
			})
			due, latency := byDue(&m)
			waited, computed := 0.0, q.waits(due)
			for i := range due {
				waited += (latency[i] - q.service(uint64(i+1))).Seconds() / float64(len(due))
			}
			t.Logf("waited %.4g s on average, computed %.4g, theory %.4g", waited, computed, q.theory)
			if math.Abs(waited/computed-1) > 0.05 || math.Abs(waited/q.theory-1) > 0.05 {
				t.Errorf("waited %.4g s on average, want %.4g, in theory %.4g", waited, computed, q.theory)
			}
		})
	}
}

// A ramp shows the rate that the server can serve.
func TestRulerRamp(t *testing.T) {
	testkit.Soak(t)
	t.Parallel()
	m := s3Setup("lean").ruled(t, oneByOne(responder.Always(50*time.Millisecond)), "get", openLoop(t, "5..35/60s", load.Even, 900))
	due, latency := byDue(&m)
	i := len(latency) // from here on all wait
	for i > 0 && latency[i-1] > 150*time.Millisecond {
		i--
	}
	if i == len(latency) {
		t.Fatal("no operation waited")
	}
	if rate := 5 + 30*due[i].Seconds()/60; rate < 19 || rate > 22 {
		t.Errorf("operations wait from %.1f per second on, want 20", rate)
	}
}

// A stall of a second at 10 operations per second shows in response times, and hardly in service times.
func TestRulerResponseTimes(t *testing.T) {
	testkit.Soak(t)
	m := s3Setup("lean").ruled(t, oneByOne(func(n uint64) time.Duration {
		if n == 40 {
			return time.Second
		}
		return 10 * time.Millisecond
	}), "get", func(p *bench.Plan) {
		openLoop(t, "10", load.Even, 90)(p)
		p.Phases[0].Concurrency = 1
	})
	response, _ := m.Latency.Percentile(95)
	service, _ := m.Service.Percentile(95)
	t.Logf("95th percentiles: response time %v, service time %v", time.Duration(response), time.Duration(service))
	if math.Abs(float64(response)/640e6-1) > 0.05 || service < 10e6 || service > 15e6 {
		t.Errorf("95th percentiles: response time %v, service time %v; want 640ms and 10ms", time.Duration(response), time.Duration(service))
	}
}
