package dataset

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"warp/pkg/generator"
	"warp/pkg/load"
)

// Places and numbers agree with a plain list, whatever is left out and put back.
func TestGaps(t *testing.T) {
	const n = 5 * blockNumbers
	random := rand.New(rand.NewPCG(1, 2))
	var g Gaps
	absent := map[uint64]bool{}
	check := func() {
		place := uint64(0)
		for i := range uint64(n) {
			if g.Has(i) != absent[i] {
				t.Fatalf("number %d: gap %v, want %v", i, g.Has(i), absent[i])
			}
			if random.IntN(50) == 0 {
				if got := g.rank(i); got != place {
					t.Fatalf("%d numbers below %d, want %d", got, i, place)
				}
			}
			if absent[i] {
				continue
			}
			if random.IntN(50) == 0 {
				if got := g.nth(place); got != i {
					t.Fatalf("place %d has number %d, want %d", place, got, i)
				}
			}
			place++
		}
		if g.n != uint64(len(absent)) || g.nth(place) < n {
			t.Fatalf("%d gaps, want %d", g.n, len(absent))
		}
	}
	for range 6 {
		for range 4000 {
			i := uint64(random.IntN(n))
			g.Set(i, !absent[i])
			if absent[i] {
				delete(absent, i)
			} else {
				absent[i] = true
			}
		}
		check()
	}
	for i := range uint64(n - 3) {
		g.Set(i, true)
		absent[i] = true
	}
	check()
	if big := uint64(1e9); g.nth(big-uint64(len(absent))) != big || g.rank(big) != big-uint64(len(absent)) {
		t.Error("numbers far beyond the gaps are wrong")
	}
}

// Uploads that end out of order are seen when those before them have ended, and failed ones never.
func TestInventoryFollowsUploads(t *testing.T) {
	v := newInventory(false, 0, SoleClient)
	all := Access{seed: 1}
	for _, step := range []struct {
		i      uint64
		exists bool
		want   uint64 // objects after it
	}{{1, true, 0}, {0, true, 2}, {3, false, 2}, {4, true, 2}, {2, true, 4}, {5, true, 5}, {0, true, 5}} {
		v.settle(step.i, step.exists)
		if got := v.len(&all); got != step.want {
			t.Fatalf("after upload %d: %d objects, want %d", step.i, got, step.want)
		}
	}
	seen := map[uint64]bool{}
	for turn := range uint64(200) {
		i, ok := v.read(&all, turn)
		if !ok || i == 3 || i > 5 {
			t.Fatalf("object %d was read", i)
		}
		seen[i] = true
	}
	latest := Access{seed: 1}
	latest.SetPattern(generator.Access{Pattern: generator.Latest, Theta: 100}, 1, SoleClient)
	some := Access{first: 4, last: 5, seed: 1}
	if i, _ := v.read(&latest, 7); i != 5 {
		t.Errorf("the latest is %d, want 5", i)
	}
	if i, _ := v.read(&some, 7); i != 4 || len(seen) != 5 {
		t.Errorf("of the numbers 3 and 4, with one of them present, %d was read; %d objects in all", i, len(seen))
	}
}

// Nobody reads an object that is deleted, or deletes one twice, whatever happens at once.
func TestInventoryRace(t *testing.T) {
	const threads, turns = 8, 3000
	v := newInventory(true, 0, SoleClient)
	var state sync.Map // object -> true while it exists
	upload := func(i uint64) { state.Store(i, true); v.settle(i, i%7 != 3) }
	for i := range uint64(64) {
		upload(i)
	}
	var next sync.Mutex
	number, deleted := uint64(64), 0
	var wg sync.WaitGroup
	for w := range uint64(threads) {
		wg.Go(func() {
			a := Access{seed: w}
			for turn := range uint64(turns) {
				switch turn % 4 {
				case 0:
					next.Lock()
					i := number
					number++
					next.Unlock()
					upload(i)
				case 1:
					i, _, ok := v.take(&a, turn)
					if !ok {
						continue
					}
					if _, there := state.LoadAndDelete(i); !there || i%7 == 3 {
						t.Errorf("object %d was taken, which does not exist", i)
					}
					if turn%8 == 1 {
						state.Store(i, true)
						v.restore(i)
						continue
					}
					next.Lock()
					deleted++
					next.Unlock()
				default:
					i, ok := v.read(&a, turn)
					if _, there := state.Load(i); ok && (!there || i%7 == 3) {
						t.Errorf("object %d was read, which does not exist", i)
					}
					if ok {
						v.release(i)
					}
				}
			}
		})
	}
	wg.Wait()
	failed := (number + 3) / 7
	if all := (Access{}); v.len(&all) != number-failed-uint64(deleted) || len(v.readers) != 0 || len(v.ahead) != 0 || deleted == 0 {
		t.Errorf("%d of %d objects are left after %d deletions and %d failed uploads; %d are read, %d ahead", v.len(&all), number, deleted, failed, len(v.readers), len(v.ahead))
	}
}

// Of a data set that clients share, all objects are read, and each client deletes only what it uploaded.
func TestInventoryOfSharedData(t *testing.T) {
	for _, c := range []struct {
		kept uint64
		part load.Share
		own  []uint64 // the first indices of the client behind those
	}{{10, load.Share{Index: 1, Total: 3}, []uint64{10, 13, 16}}, {10, load.Share{Index: 0, Total: 3}, []uint64{12, 15, 18}}, {2, load.Share{Index: 4, Total: 5}, []uint64{4, 9, 14}}} {
		v, a := newInventory(true, c.kept, c.part), Access{seed: 1}
		if _, _, ok := v.take(&a, 1); ok || v.len(&a) != c.kept {
			t.Errorf("%+v: %d objects at first, and some can be taken: %v", c.part, v.len(&a), ok)
		}
		v.settle(c.kept-1, true) // by the preparation
		for _, i := range c.own {
			v.settle(i, true)
		}
		read := map[uint64]bool{}
		for turn := range uint64(500) {
			i, _ := v.read(&a, turn)
			v.release(i)
			read[i] = true
		}
		var taken []uint64
		for i, _, ok := v.take(&a, 5); ok; i, _, ok = v.take(&a, 5) {
			taken = append(taken, i)
		}
		slices.Sort(taken)
		if uint64(len(read)) != c.kept+3 || !slices.Equal(taken, c.own) || v.len(&a) != c.kept {
			t.Errorf("%+v: %d objects were read and %v taken, want %v", c.part, len(read), taken, c.own)
		}
		v.restore(taken[1])
		if at := v.at(c.kept); at != taken[1] || v.at(0) != 0 {
			t.Errorf("%+v: %d was put back, want %d", c.part, at, taken[1])
		}
	}
}

// A data set of a billion objects costs no memory as long as none is missing.
func TestInventoryOfManyCostsNothing(t *testing.T) {
	v := newInventory(false, 0, SoleClient)
	v.end.Store(1e9)
	a, turn := Access{seed: 1}, uint64(0)
	if allocs := testing.AllocsPerRun(1000, func() {
		if i, ok := v.read(&a, turn); !ok || i >= 1e9 {
			t.Fatal(i, ok)
		}
		turn++
	}); allocs != 0 || len(v.gaps.blocks) != 0 {
		t.Errorf("%v allocations, %d blocks", allocs, len(v.gaps.blocks))
	}
}

// BenchmarkInventory shows what the choice of an object costs, by how many of a million are missing.
func BenchmarkInventory(b *testing.B) {
	for name, missing := range map[string]uint64{"all there": 0, "a tenth missing": 1e5} {
		b.Run(name, func(b *testing.B) {
			v := newInventory(true, 0, SoleClient)
			v.end.Store(1e6)
			a, turn := Access{seed: 1}, uint64(0)
			for ; turn < missing; turn++ {
				v.take(&a, turn)
			}
			b.ReportAllocs()
			for b.Loop() {
				i, _ := v.read(&a, turn)
				v.release(i)
				turn++
			}
		})
	}
}

// Objects whose deletion is under way may come back, so that a turn without an object waits for its end.
func TestInventoryWaitsForDeletions(t *testing.T) {
	v := newInventory(true, 0, SoleClient)
	v.settle(0, true)
	set, h := &DataSet{Ledger: &Ledger{live: v}}, Hold{}
	takes := Need{MaxDeletes: 2}
	if !h.Acquire(set, takes, 0) {
		t.Fatal("no object, want one")
	}
	changed, hope := v.watch()
	if !hope {
		t.Error("no hope while the last object is being deleted")
	}
	v.restore(0)
	<-changed
	h.Release()
	if _, hope = v.watch(); hope || !h.Acquire(set, takes, 1) {
		t.Errorf("hope %v, and the object that was put back must be there", hope)
	}
}
