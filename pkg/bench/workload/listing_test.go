package workload

import (
	"testing"

	"warp/pkg/bench/dataset"
	"warp/pkg/bench/internal/benchtest"
	"warp/pkg/generator"
	"warp/pkg/s3"
	"warp/pkg/s3/ops"
)

func TestShareOfListing(t *testing.T) {
	for _, c := range []struct {
		objects  uint64
		threads  int
		noPrefix bool
	}{{10, 3, false}, {2, 5, false}, {7, 7, false}, {100, 1, false}, {10, 3, true}} {
		s := benchtest.Set(t, 1, c.objects, c.threads, generator.Spec{NoPrefix: c.noPrefix})
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
	other := benchtest.Set(t, 2, 8, 1, generator.Spec{})
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
		s := benchtest.Set(t, 1, 8, 2, generator.Spec{})
		var w tally
		for range 2 { // it is used again
			w.reset(s, 1)
			for _, page := range c.pages {
				var entries []ops.Entry
				for _, i := range page {
					entries = append(entries, ops.Entry{Key: s.Keys.Key(i)})
				}
				w.add(s, entries, 1, 0)
			}
			if w.n != c.n || (w.again != "") != c.again {
				t.Errorf("%s: %d objects, %q twice; want %d, twice: %v", c.name, w.n, w.again, c.n, c.again)
			}
			w.add(s, []ops.Entry{{Key: "0.foreign.rnd"}, {Key: other.Keys.Key(1)}}, 1, 0)
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
	s := dataset.New(layout, dataset.Options{Part: dataset.SoleClient, Versions: true}).View(dataset.NewAccess(8, 4, 1))
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
			w.add(s, page, 1, 0)
		}
		if w.n != c.n || (w.again != "") != c.again {
			t.Errorf("%s: %d versions, %q twice; want %d, twice: %v", c.name, w.n, w.again, c.n, c.again)
		}
	}
}
