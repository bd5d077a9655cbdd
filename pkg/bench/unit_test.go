package bench

import (
	"encoding/json"
	"flag"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/bench/dataset"
	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

func testSet(t testing.TB, seed, objects uint64, threads int, spec generator.Spec) *dataset.DataSet {
	t.Helper()
	if spec.Generator == "" {
		spec.Generator = "random"
	}
	if spec.Sizes.Max == 0 {
		spec.Sizes.Max = 1000
	}
	layout, err := dataset.NewLayout(spec, generator.NewKeys(spec, seed, threads), seed, seed, 0)
	if err != nil {
		t.Fatal(err)
	}
	return dataset.New(layout, dataset.Options{Part: dataset.Whole, Capacity: &dataset.Capacity{}}).View(dataset.NewAccess(objects, 0, seed))
}

func TestPickReadsEachObjectOnceInAPass(t *testing.T) {
	s := testSet(t, 7, 97, 4, generator.Spec{})
	var passes [2][]string
	for p := range passes {
		seen := map[string]bool{}
		for turn := range uint64(97) {
			o := s.Pick(uint64(p)*97 + turn)
			seen[o.Key] = true
			passes[p] = append(passes[p], o.Key)
		}
		if len(seen) != 97 {
			t.Errorf("pass %d read %d different objects of 97", p, len(seen))
		}
	}
	if slices.Equal(passes[0], passes[1]) {
		t.Error("both passes read in the same order")
	}
}

func TestSeedDecides(t *testing.T) {
	keys := func(seed uint64) (k []string) {
		s := testSet(t, seed, 50, 4, generator.Spec{})
		for turn := range uint64(100) {
			k = append(k, s.Pick(turn).Key)
		}
		return k
	}
	if !slices.Equal(keys(1), keys(1)) {
		t.Error("one seed gave two sequences")
	}
	for _, k := range keys(2) {
		if slices.Contains(keys(1), k) {
			t.Fatalf("two seeds share the key %s", k)
		}
	}
}

func TestShareOfListing(t *testing.T) {
	for _, c := range []struct {
		objects  uint64
		threads  int
		noPrefix bool
	}{{10, 3, false}, {2, 5, false}, {7, 7, false}, {100, 1, false}, {10, 3, true}} {
		s := testSet(t, 1, c.objects, c.threads, generator.Spec{NoPrefix: c.noPrefix})
		count := map[int]uint64{}
		for i := range c.objects {
			count[s.Keys.DirOf(i)]++
		}
		for w := range c.threads {
			if dir, n := directory(s, w); n != count[dir] || n == 0 {
				t.Errorf("%+v: worker %d expects %d objects in directory %d, there are %d", c, w, n, dir, count[dir])
			}
		}
	}
}

func TestTally(t *testing.T) {
	other := testSet(t, 2, 8, 1, generator.Spec{})
	for _, c := range []struct {
		name  string
		pages [][]uint64
		n     uint64
		again bool
	}{
		{"all of directory 1", [][]uint64{{1, 3}, {5, 7}}, 4, false},
		{"another directory", [][]uint64{{1, 3, 4}}, 2, false},
		{"beyond the data set", [][]uint64{{1, 9}}, 1, false},
		{"half of it twice", [][]uint64{{1, 3}, {1, 3}}, 2, true},
		{"the end of a page again", [][]uint64{{1, 3}, {3, 5}}, 3, false},
	} {
		s := testSet(t, 1, 8, 2, generator.Spec{})
		var w tally
		for range 2 { // it is used again
			w.reset(s, 1)
			for _, page := range c.pages {
				var entries []ops.Entry
				for _, i := range page {
					entries = append(entries, ops.Entry{Key: s.Keys.Key(i)})
				}
				w.add(s, entries, 1)
			}
			if w.n != c.n || (w.again != "") != c.again {
				t.Errorf("%s: %d objects, %q twice; want %d, twice: %v", c.name, w.n, w.again, c.n, c.again)
			}
			w.add(s, []ops.Entry{{Key: "0.foreign.rnd"}, {Key: other.Keys.Key(1)}}, 1)
			if w.n != c.n {
				t.Errorf("%s: it counts what is not the run's", c.name)
			}
		}
	}
}

// Of several versions, each counts once, whatever else the listing has.
func TestTallyOfVersions(t *testing.T) {
	spec := generator.Spec{Generator: "random", Sizes: generator.Sizes{Max: 1000}}
	layout, err := dataset.NewLayout(spec, generator.NewKeys(spec, 1, 2), 1, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	s := dataset.New(layout, dataset.Options{Part: dataset.Whole, Versions: true}).View(dataset.NewAccess(8, 4, 1))
	for i, id := range []string{"a0", "b0", "c0", "d0", "a1", "b1", "c1", "d1"} {
		var c s3.Call
		c.VersionID = id
		if err := s.Stored(uint64(i), &c, nil); err != nil {
			t.Fatal(err)
		}
	}
	b, d := s.Keys.Key(1), s.Keys.Key(3)
	var w tally
	for _, c := range []struct {
		name  string
		pages [][]ops.Entry
		n     uint64
		again bool
	}{
		{"all of directory 1", [][]ops.Entry{{{Key: b, Version: "b1"}, {Key: b, Version: "b0"}}, {{Key: d, Version: "d1"}, {Key: d, Version: "d0"}}}, 4, false},
		{"in another order", [][]ops.Entry{{{Key: b, Version: "b0"}, {Key: d, Version: "d0"}, {Key: b, Version: "b1"}, {Key: d, Version: "d1"}}}, 4, false},
		{"with others", [][]ops.Entry{{{Key: b, Version: "x"}, {Key: b, Version: "b1"}, {Key: b, Version: "y"}, {Key: b, Version: "b0"}, {Key: d, Version: "b0"}}}, 2, false},
		{"the end of a page again", [][]ops.Entry{{{Key: b, Version: "b1"}}, {{Key: b, Version: "b1"}, {Key: b, Version: "b0"}}}, 2, false},
		{"one twice", [][]ops.Entry{{{Key: b, Version: "b1"}, {Key: b, Version: "b0"}}, {{Key: b, Version: "b1"}}}, 2, true},
	} {
		w.reset(s, 2)
		for _, page := range c.pages {
			w.add(s, page, 1)
		}
		if w.n != c.n || (w.again != "") != c.again {
			t.Errorf("%s: %d versions, %q twice; want %d, twice: %v", c.name, w.n, w.again, c.n, c.again)
		}
	}
}

func TestProportions(t *testing.T) {
	for _, c := range []struct {
		shares []Share
		want   []int
	}{
		{[]Share{45, 30, 15, 10}, []int{450, 300, 150, 100}},
		{[]Share{1, 1, 1, 0}, []int{334, 333, 333, 0}},
		{[]Share{0, 0, 5, 0}, []int{0, 0, 1000, 0}},
		{[]Share{0.3, 0.3, 0.3, 0.1}, []int{300, 300, 300, 100}},
	} {
		p := NewProportions(5, c.shares...)
		got := make([]int, len(c.shares))
		for turn := range uint64(1000) {
			got[p.At(turn)]++
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("shares %v: got %v of 1000 turns, want %v", c.shares, got, c.want)
		}
		if slices.Equal(p.slots, NewProportions(6, c.shares...).slots) && c.shares[0] > 0 {
			t.Errorf("shares %v: the seed does not shuffle", c.shares)
		}
	}
}

func TestRangesOfFlags(t *testing.T) {
	access := dataset.NewAccess(1, 0, 3)
	for _, r := range []Ranges{{Range: true}, {RangeSize: 10}, {RangeSize: 100000}} {
		for _, size := range []int64{2, 100, 255, 256, 300, 1 << 20} {
			last := false
			for turn := range uint64(20000) {
				p := r.parts(&access, turn, size)
				off, n, _ := p.Next()
				if _, _, more := p.Next(); more || off < 0 || n < 1 || off+n > size {
					t.Fatalf("%+v of %d bytes: offset %d length %d, more: %v", r, size, off, n, more)
				}
				last = last || off+n == size
			}
			if !last && size <= 300 { // of a larger object the last byte is one of too many
				t.Errorf("%+v of %d bytes: the last byte is never read", r, size)
			}
		}
	}
	p := (&Ranges{}).parts(&dataset.Access{}, 1, 100)
	if off, n, _ := p.Next(); off != 0 || n != 0 {
		t.Error("without ranges the whole object is read")
	}
}

func TestPlanRoundTrip(t *testing.T) {
	for _, info := range Registry() {
		ph, err := NewPhase(info.Name, info.Default())
		if err != nil {
			t.Fatal(err)
		}
		ph.Concurrency, ph.Duration = 3, time.Minute
		p := Plan{Seed: 9, Target: s3.Config{Hosts: []string{"h:1"}, AccessKey: "AKIA", SecretKey: "geheim", SessionToken: "token"}, Phases: []Phase{ph}}
		p.Data.Sizes.Max = 1 << 20
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"AKIA", "geheim", `"token"`} {
			if strings.Contains(string(b), secret) {
				t.Errorf("%s: the plan's JSON shows the secret %s", info.Name, secret)
			}
		}
		var back Plan
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		back.Target.AccessKey, back.Target.SecretKey, back.Target.SessionToken = p.Target.AccessKey, p.Target.SecretKey, p.Target.SessionToken
		if !reflect.DeepEqual(p, back) {
			t.Errorf("%s: the plan changed on its way through JSON:\n%+v\n%+v", info.Name, p, back)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name, workload string
		args           []string
		change         func(*Plan)
		want           string // "" means valid
	}{
		{"default", "get", nil, nil, ""},
		{"no threads", "get", nil, func(p *Plan) { p.Phases[0].Concurrency = 0 }, "--concurrent: invalid value 0"},
		{"no objects", "get", []string{"-objects=0"}, nil, "--objects: invalid value 0 (want at least 1)"},
		{"range too large", "get", []string{"-range-size=20MiB"}, nil, "--range-size: invalid value 20971520"},
		{"ranges too large", "get", []string{"-range=8@end,1MiB..20MiB@seq"}, nil, `--range: invalid value "8B@end,1MiB..20MiB@seq" (want at most the 10485760 bytes of an object)`},
		{"two lengths", "get", []string{"-range=8@end", "-range-size=1KiB"}, nil, "--range-size: --range has the lengths; leave out one of them"},
		{"ranges of parts", "get", []string{"-range=8@end", "-part.size=1MiB"}, nil, "--part.size: objects are downloaded either in parts or by --range"},
		{"delete more than put", "mixed", []string{"-delete-distrib=20"}, nil, "delete-distrib: 20 is more than the 15"},
		{"nothing to do", "mixed", []string{"-get-distrib=0", "-stat-distrib=0", "-put-distrib=0", "-delete-distrib=0"}, nil, "nothing to do"},
		{"negative share", "mixed", nil, func(p *Plan) {
			p.Phases[0].Params = json.RawMessage(`{"objects": 1, "get_distrib": -1}`)
		}, "--get-distrib: invalid value -1"},
		{"too few to delete", "delete", []string{"-objects=10"}, nil, "--objects=8000 or more"},
		{"batch too large", "delete", []string{"-batch=1001"}, nil, "--batch: invalid value 1001"},
		{"page too large", "list", []string{"-max-keys=1001"}, nil, "--max-keys: invalid value 1001"},
		{"too large for a PUT", "put", nil, func(p *Plan) { p.Data.Sizes.Max = 6 << 30 }, "5 GiB"},
		{"unknown", "put", nil, func(p *Plan) { p.Phases[0].Workload = "sing" }, `unknown workload "sing"`},
		{"autoterm", "put", nil, func(p *Plan) { p.Phases[0].Autoterm = &Autoterm{} }, "autoterm.pct"},
		{"empty", "put", nil, func(p *Plan) { p.Phases = nil }, "no phase"},
	} {
		t.Run(c.name, func(t *testing.T) {
			info, _ := Lookup(c.workload)
			w := info.New()
			fs := flag.NewFlagSet("", flag.ContinueOnError)
			w.Flags(fs)
			if err := fs.Parse(c.args); err != nil {
				t.Fatal(err)
			}
			ph, err := NewPhase(c.workload, w)
			if err != nil {
				t.Fatal(err)
			}
			ph.Concurrency = 20
			p := Plan{Phases: []Phase{ph}}
			p.Data.Sizes.Max = 10 << 20
			if c.change != nil {
				c.change(&p)
			}
			_, err = Compile(&p)
			if (c.want == "") != (err == nil) || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
