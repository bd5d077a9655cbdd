package bench_test

import (
	"context"
	"slices"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/generator"
	"warp/pkg/load"
)

// keysOf returns the keys that a plan's only data set has.
func keysOf(p *bench.Plan) generator.Keys {
	return generator.NewKeys(p.Data, generator.Mix(p.Seed, 0), p.Phases[0].Concurrency)
}

// used runs a job with one thread, and returns the indices of the objects that it used, in their order.
func used(t *testing.T, j job) (indices []uint64) {
	t.Helper()
	change := j.change
	var keys generator.Keys
	j.change = func(p *bench.Plan) {
		p.Phases[0].Concurrency = 1
		if change != nil {
			change(p)
		}
		keys = keysOf(p)
	}
	m, _, err := j.run(context.Background(), t, open(t, newBucket()))
	if err != nil || m.failed() != "" {
		t.Fatal(err, m.failed())
	}
	for _, o := range m.benchmark() {
		i, ok := keys.Index(o.Key)
		if !ok {
			t.Fatalf("%s used %q, which is no object of the run", o.Kind, o.Key)
		}
		indices = append(indices, i)
	}
	return indices
}

// TestAccessOfBenchmarks: each workload with --access uses the objects of the pattern, in its order.
func TestAccessOfBenchmarks(t *testing.T) {
	ownServer(t)
	for _, workload := range []string{"get", "stat", "tag", "put"} {
		j := job{workload: workload, args: []string{"-objects=40", "-access=range(11..20):seq"}}
		got := used(t, j)
		for turn, i := range got {
			if i != 10+uint64(turn)%10 {
				t.Errorf("%s: turn %d used object %d: %v", workload, turn, i, got)
				break
			}
		}
	}
	got := used(t, job{workload: "delete", args: []string{"-objects=40", "-batch=1", "-access=range(5..30):oldest"}})
	if len(got) != 26 || !slices.IsSorted(got) || got[0] != 4 {
		t.Errorf("delete used %v", got)
	}
	first := used(t, job{workload: "mixed", args: []string{"-objects=40", "-access=zipf(30)", "-get-distrib=1", "-stat-distrib=0", "-put-distrib=0", "-delete-distrib=0"}})
	if len(slices.Compact(first)) != 1 {
		t.Errorf("mixed used %v, want the hottest object only", first)
	}
}

// TestAccessIsShared: what clients that share data use together is what one of them would use.
func TestAccessIsShared(t *testing.T) {
	want := bench.Sequence(t, "zipf(0.99)", whole, 60)
	var got []uint64
	parts := [3][]uint64{}
	for k := range parts {
		parts[k] = bench.Sequence(t, "zipf(0.99)", load.Share{Index: uint64(k), Total: 3}, 20)
	}
	for i := range 20 {
		for k := range parts {
			got = append(got, parts[k][i])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("three clients use %v, one uses %v", got, want)
	}
}

var whole = load.Share{Total: 1}

func TestAccessErrors(t *testing.T) {
	for _, c := range []struct {
		workload string
		args     []string
		want     string
	}{
		{"get", []string{"-objects=40", "-access=range(1..41)"}, "--access: range(1..41): there are only 40 objects"},
		{"put", []string{"-access=seq"}, "--access: every upload has a new key; add --objects=N to overwrite objects"},
		{"delete", []string{"-access=zipf(1)"}, "--access: zipf: each object is deleted once (want shuffle, seq or oldest)"},
		{"delete", []string{"-batch=10", "-access=range(1..50)"}, "--objects: 50 are too few for 4 threads that delete 10 at once; use --objects=160 or more, or a smaller --batch"},
		{"mixed", []string{"-access=latest(1)"}, "--access: latest: objects join and leave the pool (want uniform, zipf, ycsb-zipf or hot)"},
		{"mixed", []string{"-access=range(1..5):zipf(1)"}, "--access: range: objects join and leave the pool"},
	} {
		if _, err := bench.Compile(job{workload: c.workload, args: c.args}.plan(t, open(t, "unused"))); err == nil || err.Error() != c.want {
			t.Errorf("%s %v: %v, want %s", c.workload, c.args, err, c.want)
		}
	}
}
