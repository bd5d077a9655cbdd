package aggregate

import (
	"fmt"
	"math/rand/v2"
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
