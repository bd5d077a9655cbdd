package generator

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestParseSizes(t *testing.T) {
	buckets := Sizes{Buckets: []Bucket{{4096, 10740}, {8192, 1685}}}
	for _, c := range []struct {
		text   string
		random bool
		want   Sizes
		says   string
	}{
		{"10MiB", false, Sizes{Max: 10 << 20}, "10MiB"},
		{"0", false, Sizes{}, "0"},
		{"10MiB", true, Sizes{Max: 10 << 20, Random: true}, "random, up to 10MiB"},
		{"1KiB,10MiB", true, Sizes{Min: 1 << 10, Max: 10 << 20, Random: true}, "random, 1KiB to 10MiB"},
		{"10MiB,10MiB", false, Sizes{Max: 10 << 20}, "10MiB"},
		{"1KiB, 1KiB", true, Sizes{Min: 1 << 10, Max: 1 << 10, Random: true}, "1KiB"},
		{"4096:10740,8192:1685", false, buckets, "4KiB:10740,8KiB:1685"},
		{"8KiB:1685, 4KiB:10740", true, buckets, "4KiB:10740,8KiB:1685"},
	} {
		got, err := ParseSizes(c.text, c.random)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("ParseSizes(%q, %t) = %+v, %v; want %+v", c.text, c.random, got, err, c.want)
		}
		if got.String() != c.says {
			t.Errorf("ParseSizes(%q, %t) says %q, want %q", c.text, c.random, got, c.says)
		}
		data, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var back Sizes
		if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, got) {
			t.Errorf("JSON of %+v is read as %+v, %v", got, back, err)
		}
	}
}

func TestParseSizesErrors(t *testing.T) {
	for _, c := range []struct {
		text   string
		random bool
		want   string
	}{
		{"", false, "empty"},
		{"10XB", false, "unknown unit"},
		{"10MiB,1KiB", true, "exceeds largest"},
		{"1KiB,10MiB", false, "are for random sizes (want one size, or --obj.randsize)"},
		{"1,2,3", true, "unknown unit"},
		{"255", true, "at least 256"},
		{"1,255", true, "at least 256"},
		{"4096:1,8192", false, "missing weight"},
		{"4096:x", false, "invalid weight"},
		{"4096:-1", false, "out of range"},
		{"4096:0,8192:0", false, "weights are 0"},
		{"0:1", false, "does not exceed the previous one, 0"},
		{"4KiB:1,4096:1", false, "does not exceed the previous one, 4096"},
		{"4096:9223372036854775807,8192:1", false, "out of range"},
		{":1", false, "empty"},
	} {
		if _, err := ParseSizes(c.text, c.random); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ParseSizes(%q, %t): %v does not say %q", c.text, c.random, err, c.want)
		}
	}
}

func TestValidateSizes(t *testing.T) {
	for _, s := range []Sizes{{Max: -1}, {Min: -1, Max: 1000, Random: true}, {Min: 2, Max: 1}, {Random: true}} {
		if s.Validate() == nil {
			t.Errorf("%+v is taken as valid", s)
		}
		s.At(1, 1) // must end, whatever it gives
	}
}

func TestFixedAndLargest(t *testing.T) {
	for _, c := range []struct {
		sizes   Sizes
		fixed   bool
		largest int64
	}{
		{Sizes{}, true, 0},
		{Sizes{Max: 100}, true, 100},
		{Sizes{Max: 1000, Random: true}, false, 1000},
		{Sizes{Min: 1000, Max: 1000, Random: true}, true, 1000},
		{Sizes{Buckets: []Bucket{{10, 1}, {20, 1}, {30, 0}}}, false, 19},
	} {
		if _, fixed := c.sizes.Fixed(); fixed != c.fixed || c.sizes.Largest() != c.largest {
			t.Errorf("%+v: fixed %t, largest %d", c.sizes, fixed, c.sizes.Largest())
		}
	}
}

func FuzzParseSizes(f *testing.F) {
	for _, s := range []string{"10MiB", "1KiB,10MiB", "4096:10740,8192:1685", "uniform(1,2KiB)", "normal(1MiB,1KiB,min=1)", "lognormal(median=1MiB,sigma=0.8,max=64MiB)", "choice(1:2,3)", "log2(1MiB)", ":", ",", "1:1,1:1", "0,256"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, random bool) {
		s, err := ParseSizes(text, random)
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("%q is read as %+v, which is wrong: %v", text, s, err)
		}
		if s.Law != "" || len(s.Buckets) > 0 {
			if again, err := ParseSizes(s.String(), false); err != nil || !reflect.DeepEqual(again, s) {
				t.Fatalf("%q is written %q, which is read as %+v, %v", text, s, again, err)
			}
		}
		for i := range uint64(20) {
			if size := s.At(1, i); size < s.Min || size < 0 || size > s.Largest() {
				t.Fatalf("%q: object %d has %d bytes", text, i, size)
			}
		}
	})
}
