package generator

import (
	"regexp"
	"strings"
	"testing"
)

func TestKeyForm(t *testing.T) {
	for _, c := range []struct {
		prefix   string
		noPrefix bool
		form     string
	}{
		{"", false, `^[a-zA-Z0-9]{8}/%d\.[a-zA-Z0-9]{16}\.rnd$`},
		{"", true, `^%d\.[a-zA-Z0-9]{16}\.rnd$`},
		{"a/b", false, `^a/b/[a-zA-Z0-9]{8}/%d\.[a-zA-Z0-9]{16}\.rnd$`},
		{"//a///b//", false, `^a/b/[a-zA-Z0-9]{8}/%d\.[a-zA-Z0-9]{16}\.rnd$`},
		{"/a/", true, `^a/%d\.[a-zA-Z0-9]{16}\.rnd$`},
		{"///", true, `^%d\.[a-zA-Z0-9]{16}\.rnd$`},
	} {
		k := NewKeys(Spec{Prefix: c.prefix, NoPrefix: c.noPrefix}, 1, 4)
		form := regexp.MustCompile(strings.ReplaceAll(c.form, "%d", "17"))
		if key := k.Key(17); !form.MatchString(key) {
			t.Errorf("prefix %q, noprefix %t: key is %q", c.prefix, c.noPrefix, key)
		}
		if !strings.HasPrefix(k.Key(17), k.Root()) || strings.HasPrefix(k.Root(), "/") {
			t.Errorf("prefix %q, noprefix %t: root is %q", c.prefix, c.noPrefix, k.Root())
		}
	}
}

func TestThreadPrefixes(t *testing.T) {
	k := NewKeys(Spec{Prefix: "p"}, 1, 5)
	if k.Dirs() != 5 {
		t.Fatalf("%d prefixes", k.Dirs())
	}
	seen := map[string]bool{}
	for i := range uint64(20) {
		if k.DirOf(i) != int(i%5) || !strings.HasPrefix(k.Key(i), k.Dir(k.DirOf(i))) {
			t.Errorf("object %d: thread %d, key %s", i, k.DirOf(i), k.Key(i))
		}
		seen[k.Dir(k.DirOf(i))] = true
	}
	if len(seen) != 5 {
		t.Errorf("5 threads share %d prefixes", len(seen))
	}
	for _, c := range []struct{ prefix, want string }{{"", ""}, {"p", "p/"}} {
		flat := NewKeys(Spec{Prefix: c.prefix, NoPrefix: true}, 1, 5)
		if flat.Dirs() != 1 || flat.Dir(0) != c.want || flat.DirOf(7) != 0 {
			t.Errorf("noprefix with %q: %d prefixes, the first is %q", c.prefix, flat.Dirs(), flat.Dir(0))
		}
	}
	if NewKeys(Spec{}, 1, 0).Dirs() != 1 {
		t.Error("no threads must count as one")
	}
}

func TestSeedsShareNoKeys(t *testing.T) {
	seen := map[string]uint64{}
	dirs := map[string]uint64{}
	for seed := range uint64(50) {
		k := NewKeys(Spec{NoPrefix: seed%2 == 0}, seed, 3)
		if seed%2 == 1 {
			for p := range k.Dirs() {
				if other, double := dirs[k.Dir(p)]; double {
					t.Errorf("seeds %d and %d share prefix %s", seed, other, k.Dir(p))
				}
				dirs[k.Dir(p)] = seed
			}
		}
		for i := range uint64(500) {
			_, name, _ := strings.Cut("/"+k.Key(i), "/")
			if other, double := seen[name]; double {
				t.Fatalf("seeds %d and %d share key %s", seed, other, name)
			}
			seen[name] = seed
		}
	}
}

func TestIndexIsTheInverseOfKey(t *testing.T) {
	for _, spec := range []Spec{{}, {Prefix: "a/b"}, {NoPrefix: true}, {Prefix: strings.Repeat("long", 100), NoPrefix: true}} {
		k := NewKeys(spec, 9, 7)
		for _, i := range []uint64{0, 1, 6, 7, 12345, 1 << 40, 1<<64 - 1} {
			if got, ok := k.Index(k.Key(i)); !ok || got != i {
				t.Errorf("%+v: Index(%s) = %d, %t; want %d", spec, k.Key(i), got, ok, i)
			}
		}
	}
}

func TestIndexRefusesForeignKeys(t *testing.T) {
	k := NewKeys(Spec{Prefix: "p"}, 1, 3)
	own := k.Key(15)
	for _, key := range []string{
		"", "/", "p/", k.Dir(0), "14", "p/photo.jpg", own + "x", own[:len(own)-1], "/" + own, "p/" + own, own[2:],
		strings.Replace(own, "/15.", "/015.", 1), strings.Replace(own, "/15.", "/+15.", 1), strings.Replace(own, "/15.", "/12.", 1),
		strings.Replace(own, "/15.", "/99999999999999999999.", 1), strings.ToUpper(own),
		NewKeys(Spec{Prefix: "p"}, 2, 3).Key(15), NewKeys(Spec{Prefix: "q"}, 1, 3).Key(15), NewKeys(Spec{Prefix: "p"}, 1, 4).Key(15),
		NewKeys(Spec{Prefix: "p", NoPrefix: true}, 1, 3).Key(15),
	} {
		if i, ok := k.Index(key); ok {
			t.Errorf("%q is taken for object %d", key, i)
		}
	}
}

// Keys of any number of threads are found in the prefixes of these, and nothing else is.
func TestAnyThreads(t *testing.T) {
	spec := Spec{Prefix: "a/b"}
	of, _ := NewKeys(spec, 7, 1).AnyThreads(2, 3)
	for i := range uint64(20) {
		key := NewKeys(spec, 7, 5).Key(i)
		got, ok := of.Index(key)
		if want := i%5 >= 2; ok != want || ok && got != i {
			t.Errorf("Index(%s) = %d, %t; want %t", key, got, ok, want)
		}
		if _, ok := of.Index(NewKeys(spec, 8, 5).Key(i)); ok {
			t.Errorf("object %d of another seed is taken for one of this", i)
		}
	}
	key := NewKeys(spec, 7, 3).Key(2)
	for _, foreign := range []string{"x" + key, strings.Replace(key, "/2.", "/02.", 1), strings.Replace(key, "a/b/", "a/", 1), strings.Replace(key, "/2.", "/x/2.", 1), key + "d"} {
		if _, ok := of.Index(foreign); ok {
			t.Errorf("%s is taken for an object", foreign)
		}
	}
	if _, ok := NewKeys(Spec{NoPrefix: true}, 7, 1).AnyThreads(0, 3); ok {
		t.Error("threads without prefixes have some")
	}
}

func FuzzIndex(f *testing.F) {
	k := NewKeys(Spec{Prefix: "p"}, 1, 3)
	for _, s := range []string{k.Key(0), k.Key(1 << 63), "p/x/1.y.rnd", "", "//..", "p/1.rnd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if i, ok := k.Index(key); ok && k.Key(i) != key {
			t.Fatalf("%q is taken for object %d, which is %q", key, i, k.Key(i))
		}
	})
}

// TestKeysNeverChange holds a key that was once given out: a seed must mean the same data set in every version.
func TestKeysNeverChange(t *testing.T) {
	if got, want := NewKeys(Spec{}, 1, 3).Key(15), "XbIHaT77/15.G89tbhVTz63FiDEP.rnd"; got != want {
		t.Errorf("key is %s, want %s", got, want)
	}
}

func TestKeysCostNoMemory(t *testing.T) {
	k := NewKeys(Spec{Prefix: "prefix"}, 1, 20)
	buf, key := make([]byte, 0, 128), k.Key(5)
	if n := testing.AllocsPerRun(100, func() { buf = k.appendKey(buf[:0], 5); k.Index(key) }); n != 0 {
		t.Errorf("%.0f allocations", n)
	}
}

func BenchmarkAppendKey(b *testing.B) {
	k := NewKeys(Spec{}, 1, 20)
	buf := make([]byte, 0, 128)
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		buf = k.appendKey(buf[:0], i)
	}
}

func BenchmarkIndex(b *testing.B) {
	k := NewKeys(Spec{}, 1, 20)
	key := k.Key(123456)
	b.ReportAllocs()
	for b.Loop() {
		k.Index(key)
	}
}

// Objects with names of their own are known by a prefix of the seed alone, which no other keys have.
func TestNamedKeys(t *testing.T) {
	for _, spec := range []Spec{{}, {Prefix: "a/b"}, {NoPrefix: true}, {NoPrefix: true, Prefix: "c"}} {
		plain := NewKeys(spec, 5, 3)
		spec.Named = true
		k, other := NewKeys(spec, 5, 8), NewKeys(spec, 6, 8)
		below := k.Dir(0)
		rows, _ := NewKeys(Spec{Prefix: spec.Prefix, NoPrefix: spec.NoPrefix}, 5, 1).AnyThreads(0, 4)
		for key, want := range map[string]bool{
			below + "x": true, below + "dir/x": true, below: false, strings.TrimSuffix(below, "/"): false, strings.TrimSuffix(below, "/") + "2/x": false,
			plain.Key(0): false, other.Dir(0) + "x": false, "x": false, k.Claims() + "run.1": false,
		} {
			if _, ok := k.Index(key); ok != want {
				t.Errorf("%+v: %q: %v, want %v", spec, key, ok, want)
			}
			if _, ok := rows.Index(key); ok != (want || key == plain.Key(0)) {
				t.Errorf("%+v: %q in any threads: %v", spec, key, ok)
			}
		}
		if _, ok := plain.Index(below + "x"); ok || k.Dirs() != 1 || !k.Nested() || strings.HasPrefix(k.Claims(), below) || !strings.HasPrefix(below, k.Root()) {
			t.Errorf("%+v: below %q, claims %q", spec, below, k.Claims())
		}
	}
}
