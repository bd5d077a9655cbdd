package aggregate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/pkg/op"
)

// epoch is when the synthetic runs begin.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)

// at is the time so many seconds into a synthetic run.
func at(seconds float64) time.Time { return epoch.Add(time.Duration(seconds * float64(time.Second))) }

// get is a successful read of 1000 bytes by thread 0.
func get(start, end float64) op.Op {
	return op.Op{
		Kind: op.Get, Client: "c", Start: at(start), FirstByte: at((start + end) / 2), End: at(end),
		Bytes: 1000, Objects: 1, Endpoint: "http://a:9000", Key: "k",
	}
}

// with is o after change.
func with(o op.Op, change func(*op.Op)) op.Op {
	change(&o)
	return o
}

// stream describes a random run.
type stream struct {
	seed           uint64
	ops            int // of each thread
	clients        int
	threads        int
	hosts          int
	kinds          []op.Kind
	failures       float64 // share
	open           bool    // open loop, but for the first client
	sizes          func(*rand.Rand) int64
	latency        func(*rand.Rand) time.Duration
	keysEachClient int
	phases         int // side by side, over which threads are spread; 0: one without a name
}

// make is the operations of the run, thread by thread.
func (s stream) make() []op.Op {
	r := rand.New(rand.NewPCG(s.seed, 0))
	var ops []op.Op
	for c := range s.clients {
		for th := range s.threads {
			now := epoch.Add(time.Duration(r.Int64N(int64(100 * time.Millisecond))))
			for range s.ops {
				o := op.Op{
					Kind: s.kinds[r.IntN(len(s.kinds))], Client: fmt.Sprint("client", c), Thread: uint32(th),
					Start: now, End: now.Add(s.latency(r)), Bytes: s.sizes(r), Objects: 1,
					Endpoint: fmt.Sprint("http://host", r.IntN(s.hosts), ":9000"),
					Key:      fmt.Sprint(c, "/", r.IntN(s.keysEachClient)),
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
				if r.Float64() < s.failures {
					o.Err, o.Bytes = fmt.Sprintf("50%d SlowDown: try later (%d)", r.IntN(5), r.IntN(1000)), 0
				}
				now = o.End.Add(time.Duration(r.Int64N(int64(time.Millisecond))))
				ops = append(ops, o)
			}
		}
	}
	return ops
}

// streams are runs of many sorts.
func streams() map[string]stream {
	exponential := func(mean time.Duration) func(*rand.Rand) time.Duration {
		return func(r *rand.Rand) time.Duration { return time.Duration(r.ExpFloat64() * float64(mean)) }
	}
	fixed := func(n int64) func(*rand.Rand) int64 { return func(*rand.Rand) int64 { return n } }
	varied := func(r *rand.Rand) int64 { return int64(1) << r.IntN(28) }
	return map[string]stream{
		"get": {
			seed: 1, ops: 200, clients: 1, threads: 6, hosts: 1, kinds: []op.Kind{op.Get}, sizes: fixed(4096),
			latency: exponential(20 * time.Millisecond), keysEachClient: 100,
		},
		"mixed, failures, hosts, clients": {
			seed: 2, ops: 200, clients: 3, threads: 3, hosts: 3,
			kinds: []op.Kind{op.Get, op.Put, "NEW"}, failures: 0.1, sizes: fixed(32768),
			latency: exponential(30 * time.Millisecond), keysEachClient: 50,
		},
		"open loop, sizes": {
			seed: 3, ops: 200, clients: 2, threads: 3, hosts: 2, kinds: []op.Kind{op.Get}, open: true, sizes: varied,
			latency: exponential(10 * time.Millisecond), keysEachClient: 1000,
		},
		"parts": {
			seed: 5, ops: 200, clients: 2, threads: 3, hosts: 2, failures: 0.05,
			kinds: []op.Kind{op.CreateUpload, op.PutPart, op.CompleteUpload, op.MultipartPut}, sizes: fixed(1 << 20),
			latency: exponential(10 * time.Millisecond), keysEachClient: 50,
		},
		"longer than segments": {
			seed: 4, ops: 10, clients: 2, threads: 5, hosts: 2, kinds: []op.Kind{op.Put}, sizes: fixed(1 << 30),
			latency: func(r *rand.Rand) time.Duration { return time.Second + time.Duration(r.Int64N(int64(5*time.Second))) }, keysEachClient: 10,
		},
	}
}

// steady is n threads that each do an operation of length d after another, for the given time.
func steady(n int, d, total time.Duration, change func(i int, o *op.Op)) []op.Op {
	var ops []op.Op
	for th := range n {
		offset := d * time.Duration(th) / time.Duration(n)
		for i := 0; offset+d <= total; i++ {
			o := get(0, 0)
			o.Thread, o.Start, o.End = uint32(th), epoch.Add(offset), epoch.Add(offset+d)
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

// closedLoop is a run of threads in which sending stops after a time: an operation that starts at a time takes so long.
func closedLoop(threads int, duration time.Duration, takes func(thread int, start time.Duration) time.Duration) (ops []op.Op) {
	for th := range threads {
		for now := time.Duration(th) * 100 * time.Microsecond; now < duration; {
			d := takes(th, now)
			o := get(0, 0)
			o.Thread, o.Key = uint32(th), fmt.Sprint("k", len(ops))
			o.Start, o.End = epoch.Add(now), epoch.Add(now+d)
			o.FirstByte = o.End
			ops = append(ops, o)
			now += d + 10*time.Microsecond
		}
	}
	return ordered(ops, byEnd)
}

func byEnd(a, b op.Op) int { return a.End.Compare(b.End) }

// ordered is ops in another order.
func ordered(ops []op.Op, order func(a, b op.Op) int) []op.Op {
	ops = slices.Clone(ops)
	slices.SortStableFunc(ops, order)
	return ops
}

// owned returns ops of an open loop, each late by the client's fault and read late, as change says for its number.
func owned(open bool, change func(i int, o *op.Op)) []op.Op {
	ops := steady(4, 5*time.Millisecond, 10*time.Second, nil)
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

// sideBySide is a run of three phases side by side, by two clients.
func sideBySide() []op.Op {
	s := streams()["mixed, failures, hosts, clients"]
	s.threads, s.phases = 6, 3
	return s.make()
}

// benchOps is a run of 20 threads over so many hosts with 2500 objects.
func benchOps(hosts int, kinds ...op.Kind) []op.Op {
	ops := steady(20, 5*time.Millisecond, 15*time.Second, nil)
	for i := range ops {
		ops[i].Kind = kinds[i%len(kinds)]
		ops[i].Endpoint = fmt.Sprintf("http://10.0.0.%d:9000", i%hosts)
		ops[i].Key = fmt.Sprintf("prefix/%d.object.rnd", i%2500)
	}
	return ops
}

// withArrivals has each response of an open loop lie unread for some time, after a request that was late.
func withArrivals(ops []op.Op) []op.Op {
	for i := range ops {
		o := &ops[i]
		o.OwnLate, o.Arrived = time.Duration(i%997)*time.Microsecond, o.End.Add(-time.Duration(i%499)*time.Microsecond)
		o.Due = o.Start.Add(-o.OwnLate)
	}
	return ops
}

// run writes b.N operations in batches.
func run(b *testing.B, s op.Sink, ops []op.Op) {
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
