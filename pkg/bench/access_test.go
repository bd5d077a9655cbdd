package bench_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"warp/pkg/bench"
	"warp/pkg/bench/dataset"
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
	for workload, objects := range map[string]string{
		"get": "-objects=40", "stat": "-objects=40", "tag": "-objects=40", "put": "-objects=40",
		"retention": "-objects=40 -versions=1", "legal-hold": "-objects=40", "contend": "-keys=40", "versioned": "-objects=40 -put-distrib=0 -delete-distrib=0",
	} {
		got := used(t, job{workload: workload, args: append(strings.Fields(objects), "-access=range(11..20):seq")})
		if workload == "contend" { // a download and an upload in each turn
			got = slices.Compact(got)
		}
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
	m, _, err := job{workload: "list", args: []string{"-objects=40", "-access=range(7..7)"}}.run(context.Background(), t, open(t, newBucket()))
	if err != nil || m.failed() != "" {
		t.Fatal(err, m.failed())
	}
	for _, o := range m.benchmark() {
		if first := m.benchmark()[0]; o.Key != first.Key || o.Objects != 10 {
			t.Fatalf("%q with %d objects was listed, and %q with %d", o.Key, o.Objects, first.Key, first.Objects)
		}
	}
	first := used(t, job{workload: "mixed", args: []string{"-objects=40", "-access=zipf(30)", "-get-distrib=1", "-stat-distrib=0", "-put-distrib=0", "-delete-distrib=0"}})
	if len(slices.Compact(first)) != 1 {
		t.Errorf("mixed used %v, want the hottest object only", first)
	}
	for _, args := range [][]string{{"-get-distrib=50", "-stat-distrib=0", "-put-distrib=50", "-delete-distrib=0"}, {"-get-distrib=0", "-stat-distrib=50", "-put-distrib=26", "-delete-distrib=24"}} {
		latest := used(t, job{workload: "mixed", args: append(args, "-objects=40", "-access=latest(30)")})
		if n := slices.Max(latest); n < 41 || len(slices.Compact(slices.Sorted(slices.Values(latest)))) < 10 {
			t.Errorf("mixed %v used %v, want the newest objects", args, latest)
		}
	}
}

// TestAccessAmong: parts of an object, and files of an archive, are chosen as objects are.
func TestAccessAmong(t *testing.T) {
	if got := sequenceAmong(t, "range(3..5):seq", 10, 6); !slices.Equal(got, []uint64{2, 3, 4, 2, 3, 4}) {
		t.Errorf("parts %v", got)
	}
	if got := sequenceAmong(t, "", 10, 10); len(slices.Compact(slices.Sorted(slices.Values(got)))) != 10 || slices.IsSorted(got) {
		t.Errorf("without a pattern, parts %v", got)
	}
	if hot := sequenceAmong(t, "zipf(30)", 10, 20); len(slices.Compact(hot)) != 1 {
		t.Errorf("parts %v", hot)
	}
}

// TestAccessIsShared: what clients that share data use together is what one of them would use.
func TestAccessIsShared(t *testing.T) {
	want := sequence(t, "zipf(0.99)", whole, 60)
	var got []uint64
	parts := [3][]uint64{}
	for k := range parts {
		parts[k] = sequence(t, "zipf(0.99)", load.Share{Index: uint64(k), Total: 3}, 20)
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
		{"list", []string{"-list-existing", "-access=seq"}, "--access: with --list-existing there is one prefix to list; leave out one of the two"},
		{"multipart", []string{"-parts=4", "-access=range(1..5)"}, "--access: range(1..5): there are only 4 parts"},
		{"zip", []string{"-files=4", "-access=range(1..5)"}, "--access: range(1..5): there are only 4 files"},
		{"mixed", []string{"-access=shuffle"}, "--access: shuffle: objects join or leave the data set at the same time (want uniform, seq, zipf, hot or latest)"},
		{"mixed", []string{"-access=range(1..5):zipf(1)"}, "--access: range: deletions would empty it; want --delete-distrib=0"},
	} {
		if _, err := bench.Compile(job{workload: c.workload, args: c.args}.plan(t, open(t, "unused"))); err == nil || err.Error() != c.want {
			t.Errorf("%s %v: %v, want %s", c.workload, c.args, err, c.want)
		}
	}
}

// sequence returns the objects of the first turns of a client that shares a thousand objects with others.
func sequence(t testing.TB, access string, share load.Share, turns uint64) (indices []uint64) {
	p, err := generator.ParseAccess(access)
	if err != nil {
		t.Fatal(err)
	}
	a := dataset.NewAccess(1000, 0, share.Index)
	a.SetPattern(p, 7, share)
	for turn := range turns {
		indices = append(indices, a.Index(turn))
	}
	return indices
}

// sequenceAmong returns what the first turns use of n things that are no objects; an empty pattern is the usual one.
func sequenceAmong(t testing.TB, access string, n, turns uint64) (places []uint64) {
	var p generator.Access
	if err := p.UnmarshalText([]byte(access)); err != nil {
		t.Fatal(err)
	}
	a := dataset.NewAccess(1, 0, 3)
	a.SetPattern(generator.Access{}, 3, dataset.SoleClient)
	of := a.ForItems(n, p)
	for turn := range turns {
		places = append(places, of.Index(turn))
	}
	return places
}
