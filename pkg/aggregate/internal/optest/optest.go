// Package optest makes operations of synthetic runs, for tests of statistics.
package optest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/pkg/op"
)

// Epoch is when the synthetic runs begin.
var Epoch = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)

// At is a time in a synthetic run, by the seconds since its start.
func At(seconds float64) time.Time { return Epoch.Add(time.Duration(seconds * float64(time.Second))) }

// Get is a successful read of 1000 bytes by thread 0.
func Get(start, end float64) op.Op {
	return op.Op{
		Kind: op.Get, Client: "c", Start: At(start), FirstByte: At((start + end) / 2), End: At(end),
		Bytes: 1000, Objects: 1, Endpoint: "http://a:9000", Key: "k",
	}
}

// With is o after change.
func With(o op.Op, change func(*op.Op)) op.Op {
	change(&o)
	return o
}

// Stream describes a random run.
type Stream struct {
	Seed           uint64
	Ops            int // of each thread
	Clients        int
	Threads        int
	Hosts          int
	Kinds          []op.Kind
	Failures       float64 // share
	open           bool    // open loop, but for the first client
	Sizes          func(*rand.Rand) int64
	Latency        func(*rand.Rand) time.Duration
	KeysEachClient int
	phases         int // side by side, over which threads are spread; 0: one without a name
}

// Make is the operations of the run, thread by thread.
func (s Stream) Make() []op.Op {
	r := rand.New(rand.NewPCG(s.Seed, 0))
	var ops []op.Op
	for c := range s.Clients {
		for th := range s.Threads {
			now := Epoch.Add(time.Duration(r.Int64N(int64(100 * time.Millisecond))))
			for range s.Ops {
				o := op.Op{
					Kind: s.Kinds[r.IntN(len(s.Kinds))], Client: fmt.Sprint("client", c), Thread: uint32(th),
					Start: now, End: now.Add(s.Latency(r)), Bytes: s.Sizes(r), Objects: 1,
					Endpoint: fmt.Sprint("http://host", r.IntN(s.Hosts), ":9000"),
					Key:      fmt.Sprint(c, "/", r.IntN(s.KeysEachClient)),
				}
				o.FirstByte = o.Start.Add(o.End.Sub(o.Start) / 3)
				if o.Kind == op.Put {
					o.FirstByte, o.Sent = time.Time{}, o.FirstByte
				}
				if !o.Kind.MovesBytes() {
					o.Bytes = 0
				}
				if s.phases > 0 {
					o.Phase = fmt.Sprint("phase", th%s.phases)
				}
				if s.open && c > 0 {
					o.Due = o.Start.Add(-time.Duration(r.Int64N(int64(time.Millisecond))))
				}
				if r.Float64() < s.Failures {
					o.Err, o.Bytes = fmt.Sprintf("50%d SlowDown: try later (%d)", r.IntN(5), r.IntN(1000)), 0
				}
				now = o.End.Add(time.Duration(r.Int64N(int64(time.Millisecond))))
				ops = append(ops, o)
			}
		}
	}
	return ops
}

// Streams are runs of many sorts.
func Streams() map[string]Stream {
	exponential := func(mean time.Duration) func(*rand.Rand) time.Duration {
		return func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(mean)) }
	}
	fixed := func(n int64) func(*rand.Rand) int64 { return func(*rand.Rand) int64 { return n } }
	varied := func(r *rand.Rand) int64 { return int64(1) << r.IntN(28) }
	return map[string]Stream{
		"get": {
			Seed: 1, Ops: 200, Clients: 1, Threads: 6, Hosts: 1, Kinds: []op.Kind{op.Get}, Sizes: fixed(4096),
			Latency: exponential(20 * time.Millisecond), KeysEachClient: 100,
		},
		"mixed, failures, hosts, clients": {
			Seed: 2, Ops: 200, Clients: 3, Threads: 3, Hosts: 3,
			Kinds: []op.Kind{op.Get, op.Put, "NEW"}, Failures: 0.1, Sizes: fixed(32768),
			Latency: exponential(30 * time.Millisecond), KeysEachClient: 50,
		},
		"open loop, sizes": {
			Seed: 3, Ops: 200, Clients: 2, Threads: 3, Hosts: 2, Kinds: []op.Kind{op.Get}, open: true, Sizes: varied,
			Latency: exponential(10 * time.Millisecond), KeysEachClient: 1000,
		},
		"parts": {
			Seed: 5, Ops: 200, Clients: 2, Threads: 3, Hosts: 2, Failures: 0.05,
			Kinds: []op.Kind{op.CreateUpload, op.PutPart, op.CompleteUpload, op.MultipartPut}, Sizes: fixed(1 << 20),
			Latency: exponential(10 * time.Millisecond), KeysEachClient: 50,
		},
		"longer than segments": {
			Seed: 4, Ops: 10, Clients: 2, Threads: 5, Hosts: 2, Kinds: []op.Kind{op.Put}, Sizes: fixed(1 << 30),
			Latency: func(r *rand.Rand) time.Duration { return time.Second + time.Duration(r.Int64N(int64(5*time.Second))) }, KeysEachClient: 10,
		},
	}
}

// Steady is n threads that each do an operation of length d after another, for the given time.
func Steady(n int, d, total time.Duration, change func(i int, o *op.Op)) []op.Op {
	var ops []op.Op
	for th := range n {
		offset := d * time.Duration(th) / time.Duration(n)
		for i := 0; offset+d <= total; i++ {
			o := Get(0, 0)
			o.Thread, o.Start, o.End = uint32(th), Epoch.Add(offset), Epoch.Add(offset+d)
			o.FirstByte = o.Start.Add(d / 2)
			if change != nil {
				change(i, &o)
			}
			ops = append(ops, o)
			offset += d
		}
	}
	return ops
}

// ClosedLoop is a run of threads that stop sending after a time; takes returns how long an operation takes that starts at a time.
func ClosedLoop(threads int, duration time.Duration, takes func(thread int, start time.Duration) time.Duration) (ops []op.Op) {
	for th := range threads {
		for now := time.Duration(th) * 100 * time.Microsecond; now < duration; {
			d := takes(th, now)
			o := Get(0, 0)
			o.Thread, o.Key = uint32(th), fmt.Sprint("k", len(ops))
			o.Start, o.End = Epoch.Add(now), Epoch.Add(now+d)
			o.FirstByte = o.End
			ops = append(ops, o)
			now += d + 10*time.Microsecond
		}
	}
	return Ordered(ops, ByEnd)
}

// ByEnd orders operations by their end.
func ByEnd(a, b op.Op) int { return a.End.Compare(b.End) }

// Ordered is ops in another order.
func Ordered(ops []op.Op, order func(a, b op.Op) int) []op.Op {
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, order)
	return ops
}

// OwnLateness returns ops of an open loop, each late by the client's fault and read late, as change says for its number.
func OwnLateness(open bool, change func(i int, o *op.Op)) []op.Op {
	ops := Steady(4, 5*time.Millisecond, 10*time.Second, nil)
	for i := range ops {
		if open {
			ops[i].Due = ops[i].Start.Add(-time.Millisecond)
		}
		if change != nil {
			change(i, &ops[i])
		}
	}
	return ops
}

// ParallelPhases is a run of three phases in parallel, by two clients.
func ParallelPhases() []op.Op {
	s := Streams()["mixed, failures, hosts, clients"]
	s.Threads, s.phases = 6, 3
	return s.Make()
}

// BenchOps is a run of 20 threads over a number of hosts with 2500 objects.
func BenchOps(hosts int, kinds ...op.Kind) []op.Op {
	ops := Steady(20, 5*time.Millisecond, 15*time.Second, nil)
	for i := range ops {
		ops[i].Kind = kinds[i%len(kinds)]
		ops[i].Endpoint = fmt.Sprintf("http://10.0.0.%d:9000", i%hosts)
		ops[i].Key = fmt.Sprintf("prefix/%d.object.rnd", i%2500)
	}
	return ops
}

// WithArrivals has each response of an open loop lie unread for some time, after a request that was late.
func WithArrivals(ops []op.Op) []op.Op {
	for i := range ops {
		o := &ops[i]
		o.OwnLate, o.Arrived = time.Duration(i%997)*time.Microsecond, o.End.Add(-time.Duration(i%499)*time.Microsecond)
		o.Due = o.Start.Add(-o.OwnLate)
	}
	return ops
}

// RunSink writes b.N operations in batches.
func RunSink(b *testing.B, s op.Sink, ops []op.Op) {
	b.Helper()
	_ = s.Write(ops) // everything that appears has appeared
	b.ReportAllocs()
	b.ResetTimer()
	const batch = 500
	for i := 0; i < b.N; i += batch {
		from := i % (len(ops) - batch)
		_ = s.Write(ops[from : from+min(batch, b.N-i)])
	}
}
