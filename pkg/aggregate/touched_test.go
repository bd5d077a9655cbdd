package aggregate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"warp/pkg/generator"
)

// draw is n operations on objects of size bytes.
func draw(pattern string, objects uint64, n int, seed uint64) []uint64 {
	p, err := generator.ParseAccess(pattern)
	if err != nil {
		panic(err)
	}
	c := generator.NewChoice(p, objects, seed)
	list := make([]uint64, n)
	for i := range list {
		list[i] = c.At(uint64(i), 0)
	}
	return list
}

func (t *tally) addObject(i uint64) {
	t.add(xxhash.Sum64String(fmt.Sprintf("prefix/%d.rnd", i)), int64(1000+i%1000))
}

// truth counts without a limit.
func truth(list []uint64) (objects, bytes int64, hottest func(share float64) float64) {
	count := map[uint64]int64{}
	for _, i := range list {
		count[i]++
	}
	var counts []int64
	for i, n := range count {
		counts = append(counts, n)
		bytes += int64(1000 + i%1000)
	}
	slices.SortFunc(counts, func(a, b int64) int { return cmp.Compare(b, a) })
	return int64(len(counts)), bytes, func(share float64) float64 {
		var sum int64
		for _, n := range counts[:int(math.Ceil(share*float64(len(counts))))] {
			sum += n
		}
		return float64(sum) / float64(len(list))
	}
}

// TestTouched compares with exact figures, where objects are few and where they are many times as many as are counted.
func TestTouched(t *testing.T) {
	for _, c := range []struct {
		pattern string
		objects uint64
		n       int
		exact   bool
		bias    float64 // of what is known of objects outside of the sample
	}{
		{"uniform", 1, 10, true, 0},
		{"uniform", 99, 1000, true, 0},
		{"zipf(0.99)", 20000, 50000, true, 0},
		{"seq", 100000, 100000, false, 0.002},
		{"uniform", 100000, 300000, false, 0.002},
		{"zipf(0.99)", 300000, 500000, false, 0.005},
		{"hot(1%,50%)", 200000, 300000, false, 0.005},
	} {
		t.Run(fmt.Sprint(c.pattern, " of ", c.objects), func(t *testing.T) {
			if testing.Short() && c.n > 50_000 {
				t.Skip("long computation")
			}
			list := draw(c.pattern, c.objects, c.n, 1)
			var whole tally
			var parts [3]tally
			for k, i := range list {
				whole.addObject(i)
				parts[k*7%len(parts)].addObject(i)
			}
			merged := &Touched{}
			for i := range parts {
				merged.merge(travelled(t, parts[i].touched()))
			}
			objects, bytes, hottest := truth(list)
			for name, got := range map[string]*Touched{"whole": whole.touched(), "merged": merged} {
				n, off := got.Objects()
				size, sizeOff := got.Bytes()
				if got.Ops() != int64(c.n) || (off == 0) != c.exact || c.exact && (n != objects || size != bytes) {
					t.Errorf("%s: %d operations on %d objects of %d bytes (±%v), want %d on %d of %d", name, got.Ops(), n, size, off, c.n, objects, bytes)
				}
				// The keys are fixed, so four standard errors never fail by chance.
				if d := float64(n)/float64(objects) - 1; math.Abs(d) > 4*off || off > 0.008 {
					t.Errorf("%s: %d objects: %+.2f %% (±%.2f %%)", name, n, 100*d, 100*off)
				}
				if d := float64(size)/float64(bytes) - 1; math.Abs(d) > 4*sizeOff {
					t.Errorf("%s: %d bytes: %+.2f %% (±%.2f %%)", name, size, 100*d, 100*sizeOff)
				}
				for _, share := range []float64{0.01, 0.1} {
					of, off, ok := got.Hottest(share)
					if ok != (float64(objects)*share >= 1) {
						t.Errorf("%s: hottest %v: %v, of %d objects", name, share, ok, objects)
					} else if d := of - hottest(share); ok && math.Abs(d) > 4*off+c.bias {
						t.Errorf("%s: hottest %v: share %.4f (±%.4f), want %.4f", name, share, of, off, hottest(share))
					} else if ok {
						t.Logf("%s: hottest %v: share %.4f, %+.4f (±%.4f)", name, share, of, d, off)
					}
				}
			}
		})
	}
}

// TestTouchedLate has an object become hot when the tables have long been full.
func TestTouchedLate(t *testing.T) {
	const before, late = 400000, 40000
	var a tally
	for i := range uint64(before) {
		a.addObject(i)
	}
	for i := range uint64(100) {
		for range late / 100 {
			a.addObject(before + i)
		}
	}
	got, _, _ := a.touched().Hottest(100.0 / (before + 100))
	if want := float64(late) / (before + late); math.Abs(got-want) > 0.01 {
		t.Errorf("hottest: %.4f, want %.4f", got, want)
	}
}

// TestTouchedMergesInAnyOrder compares merges of parts that need no estimate of what is missing.
func TestTouchedMergesInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var parts []*Touched
	for range 4 {
		var p tally
		for range 9000 {
			p.addObject(r.Uint64N(40000))
		}
		parts = append(parts, p.touched())
	}
	merge := func(order ...int) *Touched {
		sum := &Touched{}
		for _, i := range order {
			sum.merge(parts[i])
		}
		return sum
	}
	want := merge(0, 1, 2, 3)
	for _, order := range [][]int{{3, 2, 1, 0}, {1, 3, 0, 2}} {
		if got := merge(order...); !reflect.DeepEqual(got, want) {
			n, _ := got.Objects()
			m, _ := want.Objects()
			t.Errorf("merged in order %v: %d objects, want %d", order, n, m)
		}
	}
}

func TestTouchedAddAllocatesNothing(t *testing.T) {
	var a tally
	for i := range uint64(200000) {
		a.addObject(i)
	}
	keys := []uint64{xxhash.Sum64String("a/known.rnd"), xxhash.Sum64String("b/known.rnd")}
	for _, k := range keys {
		a.add(k, 1)
	}
	if n := testing.AllocsPerRun(1000, func() { a.add(keys[0], 1); a.add(keys[1], 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzTouched checks that what was parsed has the same wire form again, and figures.
func FuzzTouched(f *testing.F) {
	for _, n := range []uint64{1, 100, 40000, 100000} {
		var a tally
		for i := range n {
			a.addObject(i * i % n)
		}
		text, _ := a.touched().MarshalText()
		f.Add(text)
	}
	f.Add([]byte("AQEAAQEBAQA="))
	f.Fuzz(func(t *testing.T, text []byte) {
		var a Touched
		if a.UnmarshalText(text) != nil {
			return
		}
		n, off := a.Objects()
		of, _, _ := a.Hottest(0.1)
		if n < 0 || !(off >= 0 && of >= 0 && of <= 1) {
			t.Errorf("%d objects ±%v, hottest: %v", n, off, of)
		}
		back, _ := a.MarshalText()
		var b Touched
		if err := b.UnmarshalText(back); err != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("%v: %+v, want %+v", err, b, a)
		}
		a.merge(&b)
	})
}

func BenchmarkTouched(b *testing.B) {
	for _, objects := range []uint64{2500, 10_000_000} {
		keys := make([]string, 1<<20)
		for i := range keys {
			keys[i] = fmt.Sprintf("prefix/%d.rnd", xxhash.Sum64String(fmt.Sprint(i))%objects)
		}
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			var a tally
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				a.add(xxhash.Sum64String(keys[i&(len(keys)-1)]), 4096)
			}
		})
	}
}
