package live

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// TestOrderDoesNotDependOnArrival: phases are in the order of the plan, kinds in their own, whichever operation began first.
func TestOrderDoesNotDependOnArrival(t *testing.T) {
	order := aggregate.Order{{"reads", "ingest", "drop"}}
	phases := []struct {
		name  string
		begin time.Duration
		kinds []op.Kind
	}{
		{op.PhasePrepare, 0, []op.Kind{op.Put}},
		{"drop", time.Minute, []op.Kind{op.Delete, op.List}},
		{"reads", time.Minute, []op.Kind{op.Get, op.Get.Labelled("a"), op.Stat, "ALIEN"}},
		{"ingest", time.Minute, []op.Kind{op.Put, op.Delete}},
		{"after", 2 * time.Minute, []op.Kind{op.Get, op.Put, op.Delete, op.Stat}},
	}
	want := []string{
		"prepare PUT", "reads GET", "reads GET:A", "reads STAT", "reads ALIEN", "ingest PUT", "ingest DELETE", "drop DELETE", "drop LIST",
		"after GET", "after PUT", "after DELETE", "after STAT",
	}
	wantTotals := []string{"reads total", "ingest total", "drop total", "reads + ingest + drop total", "after total"}
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		var ops []op.Op
		for _, p := range phases {
			for i := range 400 {
				start := optest.Epoch.Add(p.begin + time.Duration(i)*50*time.Millisecond + time.Duration(random.IntN(40))*time.Millisecond)
				ops = append(ops, op.Op{
					Phase: p.name, Kind: p.kinds[random.IntN(len(p.kinds))], Thread: uint32(i % 4), Client: "c", Endpoint: "http://h", Objects: 1, Bytes: 1,
					Start: start, End: start.Add(time.Duration(150+random.IntN(40)) * time.Millisecond),
				})
			}
		}
		random.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		live := New(aggregate.Options{Order: order})
		if err := live.Write(ops); err != nil {
			t.Fatal(err)
		}
		check := func(what string, s *aggregate.Snapshot, totals []string) {
			t.Helper()
			if got := namesOf(s.Groups); !slices.Equal(got, want) {
				t.Fatalf("seed %d, %s: groups are %q, want %q", seed, what, got, want)
			}
			if got := namesOf(s.Totals); !slices.Equal(got, totals) {
				t.Fatalf("seed %d, %s: totals are %q, want %q", seed, what, got, totals)
			}
		}
		check("analyzed", analyzed(t, aggregate.Options{Order: order}, ops), wantTotals)
		check("merged", mergedHalves(t, order, ops), wantTotals)
		check("live", live.Snapshot(), slices.DeleteFunc(slices.Clone(wantTotals), func(name string) bool { return name == wantTotals[3] }))
		check("overall", live.Overall(), wantTotals)
		history := NewHistory(time.Second)
		history.Add(optest.Epoch.Add(4*time.Minute), live.Counts())
		inOrder := func(a, b string) int { return slices.Index(want, a) - slices.Index(want, b) }
		for _, phase := range phases { // which are in order of appearance there
			kinds := slices.DeleteFunc(namesOf(history.Snapshot().Groups), func(name string) bool { return name[:4] != phase.name[:4] })
			if !slices.IsSortedFunc(kinds, inOrder) {
				t.Fatalf("seed %d, history: %q", seed, kinds)
			}
		}
	}
}

func namesOf(groups []*aggregate.Group) (list []string) {
	for _, g := range groups {
		list = append(list, g.Name())
	}
	return list
}

func analyzed(t *testing.T, opts aggregate.Options, ops []op.Op) *aggregate.Snapshot {
	t.Helper()
	s, err := aggregate.Analyze(opts, func() (op.Source, func() error, error) {
		return &source{ops: ops}, func() error { return nil }, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mergedHalves returns the statistics of two clients, without an order of their own, as a coordinator merges them.
func mergedHalves(t *testing.T, order aggregate.Order, ops []op.Op) *aggregate.Snapshot {
	t.Helper()
	b := aggregate.NewBounds(aggregate.Options{Order: order})
	if err := b.Write(ops); err != nil {
		t.Fatal(err)
	}
	s := &aggregate.Snapshot{Order: order}
	for _, half := range [][]op.Op{ops[len(ops)/2:], ops[:len(ops)/2]} {
		a := aggregate.New(aggregate.Options{}, b.Windows())
		if err := a.Write(half); err != nil {
			t.Fatal(err)
		}
		if err := s.Merge(a.Snapshot()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// source is operations that are read.
type source struct {
	ops []op.Op
	n   int // read so far
}

func (s *source) Scan() bool { s.n++; return s.n <= len(s.ops) }
func (s *source) Op() *op.Op { return &s.ops[s.n-1] }
func (s *source) Err() error { return nil }
