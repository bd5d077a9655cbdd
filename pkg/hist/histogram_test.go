package hist

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"warp/internal/testkit"
)

// distributions are distributions of latency.
var distributions = map[string]func(*rand.Rand) int64{
	"constant":    func(*rand.Rand) int64 { return 1_234_567 },
	"uniform":     func(r *rand.Rand) int64 { return r.Int64N(int64(time.Second)) },
	"exponential": func(r *rand.Rand) int64 { return int64(r.ExpFloat64() * 5e6) },
	"lognormal":   func(r *rand.Rand) int64 { return int64(math.Exp(r.NormFloat64()*1.5) * 3e6) },
	"two points":  func(r *rand.Rand) int64 { return []int64{1e6, 1e9}[r.IntN(100)/99] },
	"nanoseconds": func(r *rand.Rand) int64 { return r.Int64N(2000) },
	"whole range": func(r *rand.Rand) int64 { return int64(math.Exp(r.Float64() * math.Log(3.5e12))) },
}

func TestHistogramPercentiles(t *testing.T) {
	tolerance := map[Precision]float64{Fine: 0.001, Coarse: 0.01, Live: 1. / 32}
	for name, draw := range distributions {
		for kind, make := range histogramKinds {
			for _, n := range []int{1, 2, 13, 100, 20_000} {
				t.Run(fmt.Sprint(name, "/", kind, "/", n), func(t *testing.T) {
					r := rand.New(rand.NewPCG(1, uint64(n)))
					h, values := make(), slices.Repeat([]time.Duration{0}, n)
					for i := range values {
						values[i] = time.Duration(draw(r))
						h.Record(int64(values[i]))
					}
					slices.Sort(values)
					testkit.CompareTimes(t, name, h, values, tolerance[h.counts.kept])
				})
			}
		}
	}
}

func TestHistogramMerge(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b func() *Histogram
	}{
		{"fine", func() *Histogram { return New(Fine) }, func() *Histogram { return New(Fine) }},
		{"coarse", histogramKinds["coarse"], histogramKinds["coarse"]},
		{"fine and coarse", func() *Histogram { return New(Fine) }, histogramKinds["coarse"]},
		{"coarse and fine", histogramKinds["coarse"], func() *Histogram { return New(Fine) }},
		{"live and fine", func() *Histogram { return New(Live) }, func() *Histogram { return New(Fine) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, 2))
			parts := []*Histogram{c.a(), c.b(), c.b()}
			all := c.a()
			for range 10_000 {
				v := r.Int64N(32) // exact with any digits
				parts[r.IntN(3)].Record(v)
				all.Record(v)
			}
			forward, backward := c.a(), c.a()
			for i := range parts {
				forward.Merge(parts[i])
				backward.Merge(parts[len(parts)-1-i])
			}
			for _, got := range []*Histogram{forward, backward} {
				sameHistogram(t, got, all)
			}
		})
	}
}

// A histogram that loses digits equals one that never had them.
func TestHistogramCoarsens(t *testing.T) {
	for name, draw := range distributions {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 3))
			got, want := New(Fine), New(Coarse)
			for i := range 2000 {
				if i == 1000 {
					got.Coarsen(Coarse)
				}
				v := draw(r)
				got.Record(v)
				want.Record(v)
			}
			sameHistogram(t, got, want)
			if got.counts.kept != Coarse {
				t.Errorf("precision %d", got.counts.kept)
			}
		})
	}
}

func TestHistogramJSON(t *testing.T) {
	for name, make := range histogramKinds {
		for _, values := range [][]int64{nil, {5, 7e6, 9e9, -3, 7e12}} {
			t.Run(fmt.Sprint(name, "/", len(values)), func(t *testing.T) {
				h := make()
				for _, v := range values {
					h.Record(v)
				}
				b, err := json.Marshal(h)
				if err != nil {
					t.Fatal(err)
				}
				var back Histogram
				if err := json.Unmarshal(b, &back); err != nil {
					t.Fatal(err)
				}
				sameHistogram(t, &back, h)
				h.Record(1e6) // what was read can go on
				back.Record(1e6)
				sameHistogram(t, &back, h)
			})
		}
	}
}

// wire is the form of a histogram as its parts are given, with the figures of one value, 7.
func wire(kept byte, clamped, sum, least, most int64, sq float64, counts ...byte) string {
	b := []byte{kept}
	for _, figure := range []int64{clamped, sum, least, most} {
		b = binary.AppendVarint(b, figure)
	}
	b = binary.BigEndian.AppendUint64(b, math.Float64bits(sq))
	return `"` + base64.StdEncoding.EncodeToString(append(b, counts...)) + `"`
}

func TestHistogramJSONRefuses(t *testing.T) {
	if err := json.Unmarshal([]byte(wire(byte(Fine), 0, 7, 7, 7, 49, 7, 1)), new(Histogram)); err != nil {
		t.Fatal(err)
	}
	huge := binary.AppendUvarint([]byte{7}, maxCount)
	for name, text := range map[string]string{
		"object": `{}`, "list": `[]`, "nothing": `""`, "no base64": `"!"`, "cut": `"BwA="`,
		"other bits":         wire(8, 0, 7, 7, 7, 49, 7, 1),
		"no squares":         wire(byte(Fine), 0, 7, 7, 7, math.NaN(), 7, 1),
		"endless squares":    wire(byte(Fine), 0, 7, 7, 7, math.Inf(1), 7, 1),
		"more than there":    wire(byte(Fine), 2, 7, 7, 7, 49, 7, 1),
		"below zero":         wire(byte(Fine), 0, -7, 7, 7, 49, 7, 1),
		"upside down":        wire(byte(Fine), 0, 7, 8, 7, 49, 7, 1),
		"a count is cut":     wire(byte(Fine), 0, 7, 7, 7, 49, 7),
		"no values":          wire(byte(Fine), 0, 7, 7, 7, 49, 7, 0),
		"beyond an hour":     wire(byte(Coarse), 0, 7, 7, 7, 49, 0xff, 0xff, 0x03, 1),
		"far beyond":         wire(byte(Fine), 0, 7, 7, 7, 49, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1),
		"too many":           wire(byte(Fine), 0, 7, 7, 7, 49, append(huge, 0, 1)...),
		"the form of before": `{"hdr":"AAAA","sum":0,"sum_of_squares":0,"min":0,"max":0}`,
	} {
		if err := json.Unmarshal([]byte(text), new(Histogram)); err == nil {
			t.Errorf("%s: %s was taken", name, text)
		}
	}
	if _, err := json.Marshal(new(Histogram)); err == nil {
		t.Error("a histogram that is not ready was written")
	}
}

func FuzzHistogramJSON(f *testing.F) {
	for _, h := range []*Histogram{New(Fine), New(Coarse), New(Live)} {
		h.Record(1e6)
		b, err := json.Marshal(h)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(wire(byte(Fine), 0, 7, 7, 7, 49, 7, 1)))
	f.Fuzz(func(t *testing.T, b []byte) {
		var h Histogram
		if json.Unmarshal(b, &h) != nil {
			return
		}
		again, err := json.Marshal(&h)
		var back Histogram
		if err != nil || json.Unmarshal(again, &back) != nil || !reflect.DeepEqual(back, h) {
			t.Fatalf("%s came back as %s (%v)", b, again, err)
		}
		all := New(Fine)
		all.Merge(&h)
		all.Percentile(99)
		if all.Count() != h.Count() {
			t.Errorf("%d values became %d", h.Count(), all.Count())
		}
	})
}

func TestHistogramEmpty(t *testing.T) {
	for name, h := range map[string]*Histogram{"nil": nil, "fine": New(Fine), "coarse": New(Coarse)} {
		p, enough := h.Percentile(50)
		if h.Count() != 0 || h.Clamped() != 0 || h.Mean() != 0 || h.StdDev() != 0 || h.Min() != 0 || h.Max() != 0 || p != 0 || enough {
			t.Errorf("%s histogram is not empty", name)
		}
	}
	h := New(Fine)
	h.Merge(nil)
	if h.Count() != 0 {
		t.Error("nothing added is not nothing")
	}
}

func TestHistogramSound(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want bool
	}{
		{1, 50, true}, {99, 90, false}, {100, 90, true}, {999, 99, false}, {1000, 99, true}, {9999, 99.9, false}, {10_000, 99.9, true},
	} {
		h := New(Fine)
		for i := range c.n {
			h.Record(int64(i))
		}
		if _, enough := h.Percentile(c.p); enough != c.want {
			t.Errorf("p%g of %d values is enough: %v, want %v", c.p, c.n, enough, c.want)
		}
	}
}

func TestHistogramClamps(t *testing.T) {
	h := New(Fine)
	for _, v := range []int64{-5, 0, int64(time.Hour), int64(2 * time.Hour)} {
		h.Record(v)
	}
	if h.Clamped() != 2 || h.Min() != -5 || h.Max() != int64(2*time.Hour) || h.Mean() != float64(time.Hour)/2 {
		t.Errorf("clamped %d, %d to %d, average %v", h.Clamped(), h.Min(), h.Max(), h.Mean())
	}
}

// TestPercentilesAreNotAveraged: 50,000 requests of 1 ms, and 100 of 1 s in one stalled part. An average over parts of
// their percentiles would say 167 ms.
func TestPercentilesAreNotAveraged(t *testing.T) {
	all := New(Fine)
	for part := range 6 {
		h := New(Fine)
		for range map[bool]int{true: 10_000, false: 100}[part < 5] {
			h.Record(int64(map[bool]time.Duration{true: time.Millisecond, false: time.Second}[part < 5]))
		}
		all.Merge(h)
	}
	for p, want := range map[float64]time.Duration{50: time.Millisecond, 90: time.Millisecond, 99: time.Millisecond, 99.9: time.Second} {
		v, enough := all.Percentile(p)
		testkit.Near(t, fmt.Sprintf("p%g", p), float64(v), float64(want), 0.001)
		if !enough {
			t.Errorf("p%g has too few samples", p)
		}
	}
	testkit.Near(t, "average", all.Mean(), (50_000*1e6+100*1e9)/50_100, 1e-12)
}

// sameHistogram compares everything that two histograms hold; sums of squares depend on the order in their last digits.
func sameHistogram(t *testing.T, got, want *Histogram) {
	t.Helper()
	testkit.Near(t, "sum of squares", got.sq, want.sq, 1e-9)
	if got.sum != want.sum || got.min != want.min || got.max != want.max || got.clamped != want.clamped {
		t.Errorf("got sum %d, %d to %d, %d clamped, want %d, %d to %d, %d", got.sum, got.min, got.max, got.clamped, want.sum, want.min, want.max, want.clamped)
	}
	if g, w := maps.Collect(got.Buckets), maps.Collect(want.Buckets); !maps.Equal(g, w) {
		t.Errorf("got counts %v, want %v", g, w)
	}
}
