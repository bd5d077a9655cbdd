package compare

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/op"
)

// memory is operations in memory.
type memory struct {
	ops []op.Op
	i   int
}

func (s *memory) Scan() bool   { s.i++; return s.i <= len(s.ops) }
func (s *memory) Op() *op.Op   { return &s.ops[s.i-1] }
func (s *memory) Err() error   { return nil }
func (s *memory) close() error { return nil }

// snapshotOf aggregates operations as a comparison wants it.
func snapshotOf(t testing.TB, ops []op.Op) *aggregate.Snapshot {
	t.Helper()
	s, err := aggregate.Analyze(aggregate.Options{Segment: time.Second, HostSegments: true, SegmentTimes: true}, func() (op.Source, func() error, error) {
		s := &memory{ops: ops}
		return s, s.close, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// load describes a run of one kind: threads in a closed loop, whose latencies follow an autoregression from second to
// second and a lognormal distribution within.
type load struct {
	seed    uint64
	kind    op.Kind
	phase   string
	seconds int
	level   time.Duration // of latency
	vary    float64       // coefficient of variation from second to second
	bytes   int64
	fail    float64 // share of errors
}

const threads = 8

func (l load) ops() []op.Op {
	rng := rand.New(rand.NewPCG(l.seed, 1))
	levels := autoregression(rng, l.seconds+1, float64(l.level), l.vary, 0.4)
	var ops []op.Op
	for thread := range threads {
		at := time.Duration(thread) * time.Millisecond
		for at < time.Duration(l.seconds)*time.Second {
			d := time.Duration(levels[at/time.Second] * math.Exp(0.3*rng.NormFloat64()))
			o := op.Op{
				Kind: l.kind, Phase: l.phase, Thread: uint32(thread), Start: began.Add(at), FirstByte: began.Add(at + d/2), End: began.Add(at + d),
				Bytes: l.bytes, Objects: 1, Endpoint: "http://127.0.0.1:9000", Key: "k",
			}
			if rng.Float64() < l.fail {
				o.Err, o.Bytes = "503 SlowDown: busy", 0
			}
			ops = append(ops, o)
			at += d
		}
	}
	return ops
}

func (l load) snapshot(t testing.TB) *aggregate.Snapshot { t.Helper(); return snapshotOf(t, l.ops()) }

func gets(seed uint64, level time.Duration) load {
	return load{seed: seed, kind: op.Get, seconds: 40, level: level, vary: 0.02, bytes: 1 << 20}
}

type snapshots = []*aggregate.Snapshot

func compared(t testing.TB, before, after snapshots, o Options) *Comparison {
	t.Helper()
	c, err := Compare(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// change is that of a metric, which must be there.
func change(t testing.TB, c *Comparison, n Name, metric string) *Change {
	t.Helper()
	for _, ty := range c.Kinds {
		if ty.Name == n {
			if ch := ty.Change(metric); ch != nil {
				return ch
			}
		}
	}
	t.Fatalf("there is no %v.%s", n, metric)
	return nil
}
