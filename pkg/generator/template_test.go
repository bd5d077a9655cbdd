package generator

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func templateKeys(t testing.TB, text string) Keys {
	t.Helper()
	s := Spec{Prefix: "p", Keys: text, Sizes: Sizes{Max: 1}, Buckets: 3}
	if err := s.Validate(); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return NewKeys(s, 7, 5).Of(3)
}

// templates have each element, and what must accompany it.
var templates = []string{
	"{i}", "{i:06}.avro", "{i/1000}/{i%1000}", "{i%7}-x-{i/7:03}", "{counter:4}", "{shard:64}/{i}", "{depth:3}/{i}", "{depth:2x300}/{i}",
	"{hash}", "{hash:20d}", "user{hash:20d}", "{hash:4}/{i}", "{uuid}.parquet", "{seed}/{i}", "{date:2026-02-27,1h}/{i}", "{date:1999-12-31,1500ms,%Y-%m-%dT%H:%M:%S}.{uuid}",
	"{thread}/{client}/{i}", "a{{b}}{i}", "é/{hash:1}{uuid}", "obj_{i*4096}_4096", "{i+100:012}", "w{client+1}obj{i}", "r{i/6}/d{i%6/2}/r{i/6}-f{i%2}",
	"{i/2%3}{i%2}-{i/6*512+7}", "{bucket.i}", "{bucket.counter:06}.bin", "{bucket.i/100}/{bucket.i%100}", "{bucket.i}/{i}", "{bucket.i}-{thread}",
	"user{fnv}", "{fnv+1000:20}",
}

// TestTemplatesAreInverted: any index follows from its key, at no memory but the key's; and nothing else is a key.
func TestTemplatesAreInverted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, text := range templates {
		k := templateKeys(t, text)
		seen := map[string]bool{}
		indices := []uint64{0, 1, 6, 7, 9, 10, 999, 1000, 1001, 999_999, 1_000_000, 1_000_000_000, maxZipf}
		for range 200 {
			indices = append(indices, r.Uint64N(2_000_000_000))
		}
		for _, i := range indices {
			if i > 1<<40 && (strings.Contains(text, "*") || strings.Contains(text, "fnv")) {
				continue
			}
			k := k.InBucket(int(i % 3))
			key := k.Key(i)
			seen[key] = true
			if got, ok := k.Index(key); !ok || got != i {
				t.Fatalf("%s: the key of %d is %q, whose index is %d, %t", text, i, key, got, ok)
			}
			if !strings.HasPrefix(key, k.Places()[0]) || !strings.HasPrefix(key, k.Dir(0)) || strings.HasPrefix(key, k.Claims()) {
				t.Errorf("%s: key %q, places %q, claims %q", text, key, k.Places(), k.Claims())
			}
			for _, other := range []string{"x" + key, key + "0", key[:len(key)-1], strings.Replace(key, "p/", "p/0", 1), strings.ToUpper(key), key[2:]} {
				if j, ok := k.Index(other); ok && (k.Key(j) != other) {
					t.Errorf("%s: %q counts as object %d, whose key is %q", text, other, j, k.Key(j))
				}
			}
		}
		if len(seen) < 200 {
			t.Errorf("%s: %d different keys", text, len(seen))
		}
		buf, i := make([]byte, 0, 256), uint64(0)
		if n := testing.AllocsPerRun(100, func() { buf = k.appendKey(buf[:0], i); i++ }); n > 0 {
			t.Errorf("%s: %.0f allocations for a key", text, n)
		}
	}
}

func TestTemplateKeys(t *testing.T) {
	for text, want := range map[string]string{
		"{i}": "1234567", "{i:012}": "000001234567", "{i:3}": "1234567", "{counter:8}": "01234568", "{i/1000}/{i%1000:03}": "1234/567",
		"{thread}-{client}.{i}": "2-3.1234567", "{date:2026-01-01,1m,%Y/%m/%d/%H%M}/{i}": "2028/05/07/0807/1234567", "{{{i}}}": "{1234567}",
		"obj_{i*4096}_4096": "obj_5056786432_4096", "{i+100:012}": "000001234667", "w{client+1}obj{i}": "w4obj1234567",
		"r{i/6}/d{i%6/2}/r{i/6}-f{i%2}": "r205761/d0/r205761-f1", "{bucket.i}": "411522", "{bucket.counter:08}": "00411523",
	} {
		if got := templateKeys(t, text).Key(1234567); got != "p/"+want {
			t.Errorf("%s: %q, want %q", text, got, "p/"+want)
		}
	}
	if one, two := templateKeys(t, "{i}").KeyForm(), templateKeys(t, "{i}.{hash}").KeyForm(); one != "p/{i}" || two != "" {
		t.Errorf("forms %q and %q", one, two)
	}
	if got := NewKeys(Spec{Keys: "a/b/c{i}"}, 1, 1).TemplateClaims(); strings.Join(got, " ") != "claim.template a/claim.template a/b/claim.template" {
		t.Errorf("claims below %q", got)
	}
	if k := templateKeys(t, "a/{i}"); !IsTemplateClaim(k.Claims()+"run.x") || IsTemplateClaim(templateKeys(t, "a/{uuid}").Claims()+"run.x") {
		t.Errorf("claims are %q", k.Claims())
	}
}

// TestTemplatesOfOneObject: a template that depends on no object names one, and nothing else has its key.
func TestTemplatesOfOneObject(t *testing.T) {
	for text, want := range map[string]string{"data/warp.bin": "p/data/warp.bin", "a{{b}}//c": "p/a{b}//c", "w{client+1}": "p/w4"} {
		k := templateKeys(t, text)
		if i, ok := k.Index(want); k.Key(0) != want || i != 0 || !ok || k.MaxObjects() != 1 {
			t.Errorf("%s: %q, found as %d, %t, of %d", text, k.Key(0), i, ok, k.MaxObjects())
		}
		if _, ok := k.Index(want + "0"); ok {
			t.Errorf("%s: %s is its own", text, want+"0")
		}
	}
	if k := templateKeys(t, "{seed}.bin"); k.MaxObjects() != 1 || k.KeyForm() != "" {
		t.Errorf("%d objects of the form %q", k.MaxObjects(), k.KeyForm())
	}
	if k := templateKeys(t, "{i}"); k.MaxObjects() != 0 {
		t.Errorf("{i} names %d objects", k.MaxObjects())
	}
}

// TestDatesGoOn: dates begin again after the year 9999, whatever the index.
func TestDatesGoOn(t *testing.T) {
	k := templateKeys(t, "{date:9999-12-31,24h,%Y%m%d}/{i}")
	for i, want := range map[uint64]string{0: "99991231", 1: "19700101", 366: "19710101", maxIndex - 1: ""} {
		if got := k.Key(i)[2:10]; want != "" && got != want {
			t.Errorf("date %d is %s, want %s", i, got, want)
		}
	}
}

func TestUnmix(t *testing.T) {
	for _, n := range []uint64{0, 1, 12345, math.MaxUint64, 1 << 63} {
		for _, seed := range []uint64{0, 99, math.MaxUint64} {
			if got := unmix(seed, Mix(seed, n)); got != n {
				t.Errorf("unmix(%d, Mix(%d)) = %d", seed, n, got)
			}
		}
	}
}

func TestTemplateErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{hash:8}.bin":            "keys would not be unique",
		"{thread}":                "keys would not be unique",
		"data/":                   "it ends with a slash",
		"{shard:4}/{hash:8}":      "keys would not be unique",
		"{i/10}/{i%100}":          "keys would not be unique",
		"{i":                      "a brace stands alone",
		"{i}}":                    "a brace stands alone",
		"{j}":                     `invalid element "{j}": unknown (want {i},`,
		"{host}/{i}":              `invalid element "{host}": unknown (want {i},`,
		"{i:0}":                   `invalid number "0" (want 1 to 20)`,
		"{i:x}":                   `invalid number "x"`,
		"{shard}/{i}":             `invalid number ""`,
		"{i%0}{i}":                `invalid number "0"`,
		"{i*0}":                   `invalid element "{i*0}": invalid number "0" (want 1 to 4294967296)`,
		"{i+1/2}":                 "invalid order (want /N and %N, then *N, then +N)",
		"{i%6/4}":                 "4 after %6 is invalid (want a divisor of 6)",
		"{i%6%4}":                 "a second remainder",
		"{i-1}":                   `invalid element "{i-1}": unknown (want {i},`,
		"{i+}":                    `invalid number ""`,
		"{counter/2}":             "unknown",
		"{client*2}{i}":           "unknown",
		"{bucket}/{i}":            "unknown",
		"{i%2}/{i/4}":             "keys would not be unique",
		"{i%2}-{bucket.i/2}":      "keys would not be unique",
		"a}{i}":                   "a brace stands alone at character 2",
		"{hash:17}":               `invalid number of digits "17"`,
		"{date:tomorrow}{i}":      `invalid date "tomorrow"`,
		"{date:2026-01-01,0s}{i}": `invalid time between objects "0s"`,
		"{date:,1s,%x}{i}":        `invalid form of dates "%x"`,
		"{i}{shard:4}":            "a number is followed by another element or a digit",
		"{i}0":                    "a number is followed by another element or a digit",
		"/{i}":                    "a part between slashes is empty",
		"{i}/":                    "it ends with a slash",
		"a/claim.{i}":             `names that begin with "claim." are reserved`,
		strings.Repeat("x", 901):  "at most 900 bytes",
		"\xff{i}":                 "UTF-8",
	} {
		err := Spec{Keys: text, Sizes: Sizes{Max: 1}}.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), "--keys: ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestFormsOverlap: two templates meet if a key can have the form of both.
func TestFormsOverlap(t *testing.T) {
	for _, c := range []struct {
		one, two string
		want     bool
	}{
		{"{i}", "{i}", true},
		{"{i}", "{i:06}", true},
		{"{i:06}.a", "{i:06}.b", false},
		{"x/{i}", "{i}", false},
		{"{shard:4}/{i}", "0/{i}", true},
		{"{shard:4}/{i}", "00/{i}", false},
		{"m/{i:06}.avro", "m/head{i}.json", false},
		{"a{i}", "a1{i}", true},
		{"{depth:2}/{i}", "a/b/{i}", true},
		{"{depth:2}/{i}", "a/g/{i}", false},
		{"{i}-{i%10}", "1-{i}", true},
		{"{date}/{i}", "2026/01/01/{i}", true},
		{"{", "x{i}", true},
		{"", "{i}", false},
	} {
		if got := FormsOverlap(c.one, c.two); got != c.want || FormsOverlap(c.two, c.one) != c.want {
			t.Errorf("%q and %q: %t, want %t", c.one, c.two, got, c.want)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, text := range templates {
		f.Add(text, uint64(12345), "p/7")
	}
	f.Add("one-{{", uint64(12345), "p/one-{")
	f.Fuzz(func(t *testing.T, text string, i uint64, key string) {
		s := Spec{Prefix: "p", Keys: text, Sizes: Sizes{Max: 1}}
		if text == "" || s.Validate() != nil {
			return
		}
		k := NewKeys(s, 7, 5)
		if i %= maxZipf; strings.ContainsAny(text, "*") || strings.Contains(text, "fnv") {
			i %= 1 << 31
		}
		if most := k.MaxObjects(); most > 0 {
			i %= most
		}
		if j, ok := k.Index(k.Key(i)); !ok || j != i {
			t.Fatalf("%q: the key of %d is %q, whose index is %d, %t", text, i, k.Key(i), j, ok)
		}
		if j, ok := k.Index(key); ok && k.Key(j) != key {
			t.Fatalf("%q: %q counts as object %d", text, key, j)
		}
		if form := k.KeyForm(); form != "" && !FormsOverlap(form, form) {
			t.Fatalf("%q does not meet itself", form)
		}
	})
}

// TestFNV: names of YCSB's records, and numbers found by them.
func TestFNV(t *testing.T) {
	k := NewKeys(Spec{Keys: "user{fnv}"}, 7, 1)
	for i, want := range map[uint64]string{
		0: "user6284781860667377211", 1: "user8517097267634966620", 2: "user1820151046732198393", 1000: "user5952875239596136740",
	} {
		if got := k.Key(i); got != want {
			t.Errorf("record %d is %s, want %s", i, got, want)
		}
	}
	for _, i := range []uint64{0, 255, 256, 65535, 65536, 1<<24 - 1, 1 << 24, 1<<32 - 1, 123_456_789} {
		if got, ok := fnvIndex(fnv(i)); !ok || got != i {
			t.Errorf("the hash of %d is that of %d, %t", i, got, ok)
		}
	}
	for _, hash := range []uint64{0, 1, math.MaxInt64, fnv(1 << 32)} {
		if got, ok := fnvIndex(hash); ok {
			t.Errorf("%d is the hash of %d", hash, got)
		}
	}
}

// TestKeysWithinBuckets: the number within a bucket leads back to the object only together with its bucket.
func TestKeysWithinBuckets(t *testing.T) {
	k := NewKeys(Spec{Keys: "myobjects{bucket.counter}", Buckets: 2}, 7, 1)
	for i, want := range []string{"myobjects1", "myobjects1", "myobjects2", "myobjects2"} {
		if got := k.Key(uint64(i)); got != want || !k.PerBucket() {
			t.Errorf("object %d is %s, want %s", i, got, want)
		}
		if got, ok := k.InBucket(i % 2).Index(want); !ok || got != uint64(i) {
			t.Errorf("%s in bucket %d is object %d, %t", want, i%2, got, ok)
		}
	}
}

func BenchmarkTemplate(b *testing.B) {
	for _, text := range []string{"", "{i:012}", "{shard:64}/{depth:3}/{i}", "{hash:20d}", "{uuid}", "{date}/{i}", "user{fnv}", "r{i/6}/d{i%6/2}/f{i%2}"} {
		k := NewKeys(Spec{Keys: text}, 1, 8)
		buf := make([]byte, 0, 256)
		b.Run("make/"+text, func(b *testing.B) {
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				buf = k.appendKey(buf[:0], i)
			}
		})
		key := k.Key(123_456_789)
		b.Run("invert/"+text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k.Index(key)
			}
		})
	}
}

// TestSeedOfKeys: {seed} is the same in all keys of a data set, differs between seeds, and makes keys that belong to one seed.
func TestSeedOfKeys(t *testing.T) {
	keys := func(seed uint64) Keys { return NewKeys(Spec{Keys: "a/{seed}/{i}"}, seed, 1) }
	k := keys(1)
	name := regexp.MustCompile(`^a/([0-9a-f]{64})/[07]$`)
	first, second := name.FindStringSubmatch(k.Key(0)), name.FindStringSubmatch(k.Key(7))
	if first == nil || second == nil || first[1] != second[1] || first[1][:16] == first[1][16:32] {
		t.Fatalf("keys %q and %q", k.Key(0), k.Key(7))
	}
	if other := keys(2).Key(0); strings.Contains(other, first[1]) {
		t.Errorf("two seeds have the key %q", other)
	}
	if k.KeyForm() != "" || !k.PerClient() || !slices.Equal(k.Places(), []string{"a/" + first[1] + "/"}) {
		t.Errorf("form %q, places %q", k.KeyForm(), k.Places())
	}
	if i, ok := k.Index(k.Key(7)); !ok || i != 7 {
		t.Errorf("index %d, %t", i, ok)
	}
	if _, ok := keys(2).Index(k.Key(7)); ok {
		t.Error("the key of one seed is one of another's")
	}
}
