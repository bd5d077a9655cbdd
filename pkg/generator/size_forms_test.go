package generator

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sizeFiles are the files that tests read.
func sizeFiles(name string) ([]byte, error) {
	files := map[string]string{
		"sizes.csv": "size,weight\n4KiB,3\n# the large ones\n1MiB,1\n\n", "plain.txt": "1000\n2000\n", "empty": "\n", "broken": "1KiB\nbig\n", "long": strings.Repeat("1\n", maxSizeFile),
	}
	if text, ok := files[name]; ok {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func TestParseSizeForms(t *testing.T) {
	for _, c := range []struct {
		text string
		want Sizes
		form string // empty: the text
	}{
		{"uniform(1KiB,1MiB)", Sizes{Law: lawUniform, Min: 1 << 10, Max: 1 << 20}, ""},
		{"uniform(10,1000,step=10)", Sizes{Law: lawUniform, Min: 10, Max: 1000, Step: 10}, "uniform(10,1KB,step=10)"},
		{"uniform(max=1MiB, min=0)", Sizes{Law: lawUniform, Max: 1 << 20}, "uniform(0,1MiB)"},
		{"log2(1MiB)", Sizes{Random: true, Max: 1 << 20}, "random, up to 1MiB"},
		{"log2(1KiB,1MiB)", Sizes{Random: true, Min: 1 << 10, Max: 1 << 20}, "random, 1KiB to 1MiB"},
		{"lognormal(median=1MiB,sigma=0.8,max=64MiB)", Sizes{Law: lawLogNormal, Center: 1 << 20, Spread: 0.8, Min: 1, Max: 64 << 20}, "lognormal(median=1MiB,sigma=0.8,min=1,max=64MiB)"},
		{"normal(1000,100)", Sizes{Law: lawNormal, Center: 1000, Spread: 100, Min: 1, Max: 1600}, "normal(1KB,100,min=1,max=1600)"},
		{"normal(146600628,68341808,min=1MiB)", Sizes{Law: lawNormal, Center: 146600628, Spread: 68341808, Min: 1 << 20, Max: 556651476}, "normal(146600628,68341808,min=1MiB,max=556651476)"},
		{"hist(4KiB:60, 64KiB:30)", Sizes{Buckets: []Bucket{{4 << 10, 60}, {64 << 10, 30}}}, "4KiB:60,64KiB:30"},
		{"choice(4KiB:1,1MiB:1)", Sizes{Exact: true, Buckets: []Bucket{{4 << 10, 1}, {1 << 20, 1}}}, ""},
		{"sequence(1MiB:2,2MiB:3)", Sizes{Law: lawSequence, Exact: true, Buckets: []Bucket{{1 << 20, 2}, {2 << 20, 3}}}, ""},
		{"choice(0,10)", Sizes{Exact: true, Buckets: []Bucket{{0, 1}, {10, 1}}}, "choice(0:1,10:1)"},
		{"file(sizes.csv)", Sizes{Exact: true, Buckets: []Bucket{{4 << 10, 3}, {1 << 20, 1}}}, "choice(4KiB:3,1MiB:1)"},
		{"file(plain.txt)", Sizes{Exact: true, Buckets: []Bucket{{1000, 1}, {2000, 1}}}, "choice(1KB:1,2KB:1)"},
		{"preset(mlperf-retinanet)", Sizes{Max: 322957}, "322957"},
	} {
		got, err := ReadSizes(c.text, false, sizeFiles)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q is read as %+v, %v; want %+v", c.text, got, err, c.want)
			continue
		}
		form := c.form
		if form == "" {
			form = c.text
		}
		if got.String() != form {
			t.Errorf("%q is written %q, want %q", c.text, got, form)
		}
		data, err := json.Marshal(got)
		var back Sizes
		if err != nil || json.Unmarshal(data, &back) != nil || !reflect.DeepEqual(back, got) {
			t.Errorf("JSON of %q is %s, read as %+v (%v)", c.text, data, back, err)
		}
	}
	for _, name := range listPresets() {
		if _, err := ParseSizes("preset("+name+")", false); err != nil {
			t.Errorf("preset %s: %v", name, err)
		}
	}
}

func TestParseSizeFormErrors(t *testing.T) {
	for text, want := range map[string]string{
		"gauss(1,2)":                             "unknown distribution",
		"uniform(1KiB)":                          "empty size",
		"uniform(2,1)":                           "smallest first",
		"uniform(1,9TiB)":                        "at most 5 TiB",
		"uniform(1,2,3)":                         "2 is no multiple of step 3 above 1",
		"uniform(1,2,3,4)":                       "invalid arguments",
		"uniform(0,10,step=-1)":                  "negative size",
		"log2(100)":                              "at least 256",
		"normal(10,1,min=20,max=30)":             "only",
		"normal(10,1,sigma=2)":                   `unknown argument "sigma"`,
		"normal(10,0,min=20,max=30)":             "outside of its bounds",
		"normal(0,1)":                            "out of range",
		"lognormal(median=10,sigma=x)":           "invalid number",
		"lognormal(median=10,sigma=21,max=5TiB)": "out of range",
		"choice()":                               "empty size",
		"choice(1:x)":                            "invalid weight",
		"choice(1:0)":                            "weights are 0",
		"choice(1:-1)":                           "out of range",
		"file(none)":                             "does not exist",
		"file(empty)":                            "no sizes",
		"file(broken)":                           "broken, line 2",
		"file(long)":                             "at most 1MiB",
		"preset(none)":                           "want mlperf-",
	} {
		if _, err := ReadSizes(text, false, sizeFiles); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v does not say %q", text, err, want)
		}
	}
	if _, err := ParseSizes("file(sizes.csv)", false); err == nil {
		t.Error("no error, although no files can be read")
	}
	if _, err := ParseSizes("uniform(1,2)", true); err == nil {
		t.Error("a distribution is taken with --obj.randsize")
	}
	if (Sizes{Law: lawNormal, Random: true}).Validate() == nil || (Sizes{Law: "x", Max: 1}).Validate() == nil {
		t.Error("invalid sizes are valid")
	}
}

// TestSizeLaws is the test of Kolmogorov and Smirnov: the greatest difference between the distribution of sizes and its law is below
// what one sample in ten thousand exceeds. Seeds are fixed.
func TestSizeLaws(t *testing.T) {
	normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	within := func(law func(float64) float64, low, high float64) func(float64) float64 {
		return func(x float64) float64 { return (law(x) - law(low)) / (law(high) - law(low)) }
	}
	for text, law := range map[string]func(size float64) float64{
		"uniform(1MiB,3MiB)":                    func(x float64) float64 { return (x - 1<<20) / (2 << 20) },
		"normal(100MB,5MB)":                     func(x float64) float64 { return normal((x - 100e6) / 5e6) },
		"normal(1MB,1MB,min=500KB,max=2MB)":     within(func(x float64) float64 { return normal((x - 1e6) / 1e6) }, 500e3, 2e6),
		"lognormal(median=1MB,sigma=0.8)":       func(x float64) float64 { return normal(math.Log(x/1e6) / 0.8) },
		"lognormal(median=1MB,sigma=2,max=1MB)": within(func(x float64) float64 { return normal(math.Log(max(x, 1)/1e6) / 2) }, 1, 1e6),
	} {
		s, err := ParseSizes(text, false)
		if err != nil {
			t.Fatal(err)
		}
		const n = 20_000
		sizes := make([]int64, n)
		for i := range sizes {
			sizes[i] = s.At(17, uint64(i))
		}
		slices.Sort(sizes)
		if sizes[0] < s.Min || sizes[n-1] > s.Max {
			t.Errorf("%s: sizes from %d to %d", text, sizes[0], sizes[n-1])
		}
		most := 0.0
		for i, size := range sizes {
			want := law(float64(size))
			most = max(most, want-float64(i)/n, float64(i+1)/n-want)
		}
		if limit := 2.23 / math.Sqrt(n); most > limit {
			t.Errorf("%s: the distribution is off by %.4f, want at most %.4f", text, most, limit)
		}
	}
}

func TestChoiceOfSizes(t *testing.T) {
	text := "choice(100:1,50:2,0:0,70:7)"
	s, err := ParseSizes(text, false)
	if err != nil {
		t.Fatal(err)
	}
	indexed, counts := s.Indexed(), make([]int, 4)
	for i := range uint64(50_000) {
		size := s.At(1, i)
		if again := indexed.At(1, i); again != size {
			t.Fatalf("object %d has %d bytes, indexed %d", i, size, again)
		}
		counts[slices.IndexFunc(s.Buckets, func(b Bucket) bool { return b.Size == size })]++
	}
	checkCounts(t, text, counts, func(i int) float64 { return float64(s.Buckets[i].Weight) })
	if s.Largest() != 100 {
		t.Errorf("the largest size is %d", s.Largest())
	}
	if size, fixed := (Sizes{Exact: true, Buckets: []Bucket{{7, 1}}}).Fixed(); !fixed || size != 7 {
		t.Error("a choice of one size is not fixed")
	}
}

// TestUniformSteps: each multiple of the step is as likely, and nothing else occurs.
// works: YCSB: lengths are drawn once for all fields of a record
func TestUniformSteps(t *testing.T) {
	s, err := ParseSizes("uniform(10,300,step=10)", false)
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, 30)
	for i := range uint64(50_000) {
		size := s.At(1, i)
		if size%10 != 0 {
			t.Fatalf("object %d has %d bytes", i, size)
		}
		counts[size/10-1]++
	}
	checkCounts(t, "uniform(10,300,step=10)", counts, func(int) float64 { return 1 })
}

// TestIndexedBuckets: the same sizes come from buckets with and without an index.
func TestIndexedBuckets(t *testing.T) {
	s, err := ParseSizes("4096:10740,8192:1685,1MiB:0,2MiB:575", false)
	if err != nil {
		t.Fatal(err)
	}
	indexed := s.Indexed()
	for i := range uint64(10_000) {
		if a, b := s.At(3, i), indexed.At(3, i); a != b {
			t.Fatalf("object %d has %d bytes, indexed %d", i, a, b)
		}
	}
}

// TestSizesOfLawsNeverChange holds values that were once given out, on all architectures.
func TestSizesOfLawsNeverChange(t *testing.T) {
	for text, want := range map[string][3]int64{
		"uniform(1KiB,1GiB)": {235304924, 31312792, 1031724128}, "normal(1GB,100MB)": {1080051222, 947623140, 841389916},
		"lognormal(median=1GB,sigma=1.5)": {3322668834, 455822002, 92629163}, "choice(1:1,2:1,3:1)": {1, 1, 3},
	} {
		s, err := ParseSizes(text, false)
		if err != nil {
			t.Fatal(err)
		}
		got := [3]int64{s.At(1, 0), s.At(1, 1), s.At(1, 1e9)}
		if got != want {
			t.Errorf("%q: {%d, %d, %d},", text, got[0], got[1], got[2])
		}
	}
}

func BenchmarkSizeLaws(b *testing.B) {
	var many []string
	for i := range maxBuckets {
		many = append(many, fmt.Sprintf("%d:%d", i*1000, i%7+1))
	}
	for name, text := range map[string]string{
		"uniform": "uniform(1KiB,1MiB)", "normal": "normal(1MiB,200KiB)", "lognormal": "lognormal(median=1MiB,sigma=0.8,max=64MiB)", "choice of 10000": "choice(" + strings.Join(many, ",") + ")",
	} {
		b.Run(name, func(b *testing.B) {
			s, err := ParseSizes(text, false)
			if err != nil {
				b.Fatal(err)
			}
			s = s.Indexed()
			b.ReportAllocs()
			for i := uint64(0); b.Loop(); i++ {
				s.At(1, i)
			}
		})
	}
}

// TestSequenceOfSizes: sizes follow the order of objects; the last one goes on.
func TestSequenceOfSizes(t *testing.T) {
	s, err := ParseSizes("sequence(10:2,30:1,20:3)", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []Sizes{s, s.Indexed()} {
		var got []int64
		for i := range uint64(8) {
			got = append(got, of.At(7, i))
		}
		if want := []int64{10, 10, 30, 20, 20, 20, 20, 20}; !slices.Equal(got, want) {
			t.Errorf("sizes %d, want %d", got, want)
		}
	}
	if s.Largest() != 30 {
		t.Errorf("the largest is %d", s.Largest())
	}
}
