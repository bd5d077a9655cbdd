package aggregate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// hostile is a recording of n operations, each one changed; nothing of it is kept in memory.
type hostile struct {
	n, i   int
	change func(i int, o *op.Op)
	op     op.Op
}

func (h *hostile) Scan() bool {
	if h.i == h.n {
		return false
	}
	start := optest.Epoch.Add(time.Duration(h.i) * time.Microsecond)
	h.op = op.Op{Kind: op.Get, Endpoint: "http://h", Client: "c", Objects: 1, Bytes: 1, Start: start, FirstByte: start.Add(1 << (h.i % 36)), End: start.Add(1 << (h.i % 37))}
	h.change(h.i, &h.op)
	h.i++
	return true
}

func (h *hostile) Op() *op.Op { return &h.op }
func (h *hostile) Err() error { return nil }

// TestHostileRecordings: what a recording can have many of to fill the memory is refused at a stated number, and what was allocated until
// then is bounded: by what was measured and about an eighth, and half as much again with the race detector. What hosts have is refused in
// the second pass; the first one has the test allocate all names once more.
func TestHostileRecordings(t *testing.T) {
	const n = 300_000
	name := strings.Repeat("x", 10_000)
	for _, c := range []struct {
		what, want string
		mostMB     uint64
		change     func(i int, o *op.Op)
	}{
		{"kinds", `not a recording of a benchmark: more than 256 kinds of operations in phase ""`, 2, func(i int, o *op.Op) { o.Kind = op.Kind(fmt.Sprint("K", i)) }},
		{"phases", "pairs of phase and kind", 2, func(i int, o *op.Op) { o.Phase = fmt.Sprint("p", i) }},
		{"hosts", "hosts, clients and buckets", 45, func(i int, o *op.Op) { o.Endpoint = fmt.Sprint("http://h", i) }},
		{"clients", "hosts, clients and buckets", 27, func(i int, o *op.Op) { o.Client = fmt.Sprint("c", i) }},
		{"clients of a high thread", "hosts, clients and buckets", 30, func(i int, o *op.Op) { o.Client, o.Thread = fmt.Sprint("c", i), 4095 }},
		{"hosts of all kinds", "64 pairs of phase and kind", 95, func(i int, o *op.Op) {
			o.Endpoint, o.Kind = fmt.Sprint("http://h", i/64), op.Kind(fmt.Sprint("K", i%64))
		}},
		{"threads of all kinds", "threads and", 2350, func(i int, o *op.Op) {
			o.Thread, o.Kind = uint32(i), op.Kind(fmt.Sprint("K", i%64))
		}},
		{"long names", "67108864 bytes of names", 165, func(i int, o *op.Op) { o.Client = name[:9000] + fmt.Sprint(i) }},
	} {
		t.Run(c.what, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Analyze(Options{maxMemory: 1200 << 20}, func() (op.Source, func() error, error) {
				return &hostile{n: n, change: c.change}, func() error { return nil }, nil
			})
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error is %v, want one of %q", err, c.want)
			}
			most := c.mostMB
			if testkit.Raced {
				most += most / 2
			}
			if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > most {
				t.Errorf("%d MiB were allocated, want at most %d", mb, most)
			} else {
				t.Logf("%d MiB", mb)
			}
		})
	}
}

// TestRefusedRecordingIsNamed also when it is one of several.
func TestRefusedRecordingIsNamed(t *testing.T) {
	kinds := func(n int) []op.Op {
		ops := make([]op.Op, n)
		for i := range ops {
			ops[i] = optest.Get(float64(i), float64(i)+1)
			ops[i].Kind = op.Kind(fmt.Sprint("K", i))
		}
		return ops
	}
	good, bad := fileOf(t, "good.csv.zst", recorded(t, kinds(MaxKinds), nil)), fileOf(t, "bad.csv.zst", recorded(t, kinds(MaxKinds+1), nil))
	if _, _, err := AnalyzeAll(Options{}, good); err != nil {
		t.Errorf("with %d kinds: %v", MaxKinds, err)
	}
	for _, inputs := range [][]recording.Input{{bad}, {good, bad}} {
		if _, _, err := AnalyzeAll(Options{}, inputs...); err == nil || err.Error() != bad.Name+": not a recording of a benchmark: more than 256 kinds of operations in phase \"\"" {
			t.Errorf("error is %v", err)
		}
	}
}

// TestDemandCoversMemory: what statistics are said to take at most is not less than they take, for operations whose latencies span
// a factor of a million, and not more than ten times as much.
func TestDemandCoversMemory(t *testing.T) {
	testkit.SkipSerial(t)
	const groups, rows = 4, 20_000
	for _, c := range []struct {
		what                          string
		hosts, clients, threads, keys int
	}{
		{"one host", 1, 1, 20, 100},
		{"8 hosts", 8, 1, 20, 100},
		{"40 hosts", 40, 1, 20, 100},
		{"200 clients", 1, 200, 1, 100},
		{"5,000 threads", 1, 1, 5000, 100},
		{"20,000 objects", 1, 1, 20, 20_000},
	} {
		t.Run(c.what, func(t *testing.T) {
			var ops []op.Op
			random := rand.New(rand.NewPCG(5, 5))
			for i := range groups * rows {
				start := optest.Epoch.Add(time.Duration(i) * time.Millisecond)
				d := time.Duration(1000 << random.IntN(20))
				ops = append(ops, op.Op{
					Kind: op.Get, Phase: fmt.Sprint("p", i/rows), Endpoint: fmt.Sprint("http://h", i%c.hosts), Client: fmt.Sprint("c", i%c.clients),
					Thread: uint32(i % c.threads), Key: fmt.Sprint(i % c.keys), Objects: 1, Bytes: 1 << random.IntN(24),
					Due: start, Start: start, FirstByte: start.Add(d / 2), End: start.Add(d),
				})
			}
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			bounds := NewBounds(Options{})
			err := bounds.Write(ops)
			f := New(Options{}, bounds.Windows())
			if err = errors.Join(err, f.Write(ops)); err != nil {
				t.Fatal(err)
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			said, is := f.memory.Bytes(), int64(after.HeapAlloc)-int64(before.HeapAlloc)
			if said < is || said > 10*is {
				t.Errorf("%v, and %d bytes were taken", f.memory.Demand, is)
			}
			t.Logf("%v; %.1f MiB were taken", f.memory.Demand, float64(is)/(1<<20))
			planned := NewDemand(groups, c.hosts, c.clients, 1, c.clients*c.threads)
			planned.Add(NewAccesses(groups, uint64(c.keys)))
			if planned.Bytes() < said {
				t.Errorf("planned: %v, counted: %v", planned, f.memory.Demand)
			}
			runtime.KeepAlive(f)
			runtime.KeepAlive(bounds)
			runtime.KeepAlive(ops)
		})
	}
}
