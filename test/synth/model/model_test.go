package model

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// runs are of many sorts.
func runs() map[string]Run {
	get := func(d Dist) []Kind { return []Kind{{Kind: op.Get, Latency: d, Sizes: []int64{1 << 20}}} }
	return map[string]Run{
		"constant":  {Ops: 20_000, Clients: 1, Threads: 4, Hosts: 1, Objects: 100, Kinds: get(Constant(time.Millisecond))},
		"uniform":   {Ops: 70_000, Clients: 1, Threads: 20, Hosts: 3, Objects: 1000, Kinds: get(Uniform(time.Millisecond, 9*time.Millisecond))},
		"lognormal": {Seed: 3, Ops: 70_000, Clients: 2, Threads: 10, Hosts: 2, Objects: 10, Gap: time.Millisecond, Kinds: get(LogNormal(time.Millisecond, 0.5))},
		"two-point": {Ops: 50_000, Clients: 1, Threads: 8, Hosts: 1, Kinds: get(TwoPoint(time.Millisecond, 50*time.Millisecond, 0.03))},
		"pareto":    {Seed: 9, Ops: 70_000, Clients: 1, Threads: 3, Hosts: 1, Objects: 5000, Kinds: get(Pareto(time.Millisecond, 3))},
		"open loop": {Ops: 70_000, Clients: 3, Threads: 5, Hosts: 2, Objects: 70, Late: 3 * time.Millisecond, Kinds: get(Uniform(time.Millisecond, 2*time.Millisecond))},
		"clocks":    {Ops: 70_000, Clients: 4, Threads: 5, Hosts: 2, Objects: 70, Skew: 40 * time.Millisecond, Kinds: get(LogNormal(2*time.Millisecond, 0.3))},
		"sizes":     {Ops: 70_000, Clients: 1, Threads: 5, Hosts: 2, Objects: 7, Kinds: []Kind{{Kind: op.Put, Latency: Uniform(1e6, 2e6), Sizes: []int64{1, 5000, 1 << 20, 5 << 30}}}},
		"mixed":     Typical(300_000, 2500),
	}
}

// recorded is the run as a recording in memory, and what was put in.
func recorded(t testing.TB, r Run, stated bool) (recording.Input, *Truth) {
	t.Helper()
	var b bytes.Buffer
	truth, err := r.Record(&b, recording.Header{}, stated)
	if err != nil {
		t.Fatal(err)
	}
	return inMemory(b.Bytes()), truth
}

func inMemory(data []byte) recording.Input {
	return recording.Input{Name: "run.csv.zst", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

func analyzed(t testing.TB, opts aggregate.Options, inputs ...recording.Input) *aggregate.Snapshot {
	t.Helper()
	s, about, err := aggregate.AnalyzeAll(opts, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	if len(about.Warnings) > 0 {
		t.Errorf("warnings %q", about.Warnings)
	}
	return s
}

// Analysis gives back what was put in: counts exactly, percentiles within 0.1 % of the nearest rank. Only requests in the
// window count for times; those cut off may be any, so a rank may be off by their number.
func TestAnalysisGivesBackWhatWasPutIn(t *testing.T) {
	testkit.SkipSerial(t)
	for name, r := range runs() {
		t.Run(name, func(t *testing.T) {
			in, truth := recorded(t, r, true)
			s := analyzed(t, aggregate.Options{}, in)
			if len(s.Groups) != len(truth.Kinds) || truth.Ops != int64(r.Ops) {
				t.Fatalf("%d kinds, want %d; %d operations", len(s.Groups), len(truth.Kinds), truth.Ops)
			}
			for _, g := range s.Groups {
				k := truth.Kinds[g.Kind]
				sameCounts(t, g, k)
				late := time.Duration(0)
				times := g.Latency
				if r.Late > 0 {
					late = r.Late
					samePercentiles(t, "service", g.Service, k, 0)
				}
				samePercentiles(t, "latency", times, k, late)
				if threads := r.Clients * r.Threads; g.Threads != threads || g.Window.Loose {
					t.Errorf("%s: %d threads, want %d; window %v", g.Kind, g.Threads, threads, g.Window)
				}
			}
		})
	}
}

func sameCounts(t *testing.T, g *aggregate.Group, k *KindTruth) {
	t.Helper()
	if g.Requests != k.Requests || g.Errors != k.Errors || g.Broken != 0 {
		t.Errorf("%s: %d requests and %d errors, want %d and %d", g.Kind, g.Requests, g.Errors, k.Requests, k.Errors)
	}
	for what, parts := range map[string][2]any{
		"hosts":   {totals(g.ByHost), k.ByHost},
		"clients": {totals(g.ByClient), k.ByClient},
	} {
		if !reflect.DeepEqual(parts[0], parts[1]) {
			t.Errorf("%s: requests by %s are %v, want %v", g.Kind, what, parts[0], parts[1])
		}
	}
	if !maps.Equal(g.ErrorsByClass, k.ByClass) {
		t.Errorf("%s: errors %v, want %v", g.Kind, g.ErrorsByClass, k.ByClass)
	}
	// Throughput and requests are of the window, which cuts off the ends.
	cut := k.Requests - k.Errors - g.Considered
	if most := int64(3 * g.Threads); cut < 0 || cut > max(most, k.Requests/50) {
		t.Errorf("%s: %d of %d requests lie outside of the window", g.Kind, cut, k.Requests)
	}
	rest := float64(k.Bytes) * (1 - g.Ops/float64(k.Requests-k.Errors))
	if got := g.Bytes; math.Abs(got-(float64(k.Bytes)-rest)) > 0.001*float64(k.Bytes) {
		t.Errorf("%s: %.0f bytes in the window, want %.0f", g.Kind, got, float64(k.Bytes)-rest)
	}
}

func totals(parts map[string]*aggregate.Part) map[string]int64 {
	m := make(map[string]int64)
	for name, p := range parts {
		m[name] = p.Total
	}
	return m
}

func samePercentiles(t *testing.T, what string, h *hist.Histogram, k *KindTruth, late time.Duration) {
	t.Helper()
	n := k.Service.Count()
	cut := n - h.Count()
	for _, p := range []float64{1, 10, 25, 50, 75, 90, 99, 99.9} {
		got, enough := h.Percentile(p)
		rank := int64(math.Ceil(p / 100 * float64(n)))
		least := float64(k.Service.Rank(rank-cut)+late) * 0.999
		most := float64(k.Service.Rank(rank+cut)+late) * 1.001
		if float64(got) < least || float64(got) > most || !enough {
			t.Errorf("%s %g%%: %v, want %v to %v", what, p, time.Duration(got), time.Duration(least), time.Duration(most))
		}
	}
}

// A recording in parts, however it is divided and in whatever order the parts come, gives the snapshot of the whole.
func TestPartsAddUpToTheWhole(t *testing.T) {
	for name, r := range runs() {
		r.Ops /= 10
		t.Run(name, func(t *testing.T) {
			var all collected
			if _, err := r.Write(&all); err != nil {
				t.Fatal(err)
			}
			bounds := aggregate.NewBounds(aggregate.Options{})
			if err := bounds.Write(all); err != nil {
				t.Fatal(err)
			}
			part := func(ops []op.Op) *aggregate.Snapshot {
				a := aggregate.New(aggregate.Options{HostSegments: true, SegmentTimes: true}, bounds.Windows())
				if err := a.Write(ops); err != nil {
					t.Fatal(err)
				}
				s := a.Snapshot()
				for _, g := range slices.Concat(s.Groups, s.Totals) {
					g.InFlight = 0 // of whole clients
				}
				return s
			}
			want := text(t, part(all))
			rnd := rand.New(rand.NewPCG(r.Seed, 2))
			for range 2 {
				parts := make([][]op.Op, 1+rnd.IntN(5))
				for _, o := range all {
					// By object, since first and last access cover only one part otherwise.
					i := int(o.Start.UnixNano() % int64(len(parts)))
					if o.Key != "" {
						i = int(o.Key[len(o.Key)-5]) % len(parts)
					}
					parts[i] = append(parts[i], o)
				}
				sum := &aggregate.Snapshot{}
				for _, i := range rnd.Perm(len(parts)) {
					if err := sum.Merge(part(parts[i])); err != nil {
						t.Fatal(err)
					}
				}
				if got := text(t, sum); got != want {
					t.Errorf("%d parts: the sum is not the whole, %s", len(parts), difference(got, want))
				}
			}
		})
	}
}

// Recordings of several clients analyzed together, analyzed each by itself with common windows, and merged: all the same.
func TestClientsAddUpToTheRun(t *testing.T) {
	testkit.SkipSerial(t)
	for name, r := range runs() {
		r.Ops /= 10
		t.Run(name, func(t *testing.T) {
			var inputs []recording.Input
			bounds := aggregate.NewBounds(aggregate.Options{})
			var each []collected
			for i := range 3 {
				r.First, r.Seed = i*r.Clients, r.Seed+1
				in, _ := recorded(t, r, i == 1)
				inputs = append(inputs, in)
				var ops collected
				if _, err := r.Write(both{&ops, bounds}); err != nil {
					t.Fatal(err)
				}
				each = append(each, ops)
			}
			want := text(t, analyzed(t, aggregate.Options{}, inputs...))
			var merged bytes.Buffer
			if _, err := recording.Merge(context.Background(), &merged, recording.Header{}, inputs, bounds); err != nil {
				t.Fatal(err)
			}
			if got := text(t, analyzed(t, aggregate.Options{}, inMemory(merged.Bytes()))); got != want {
				t.Errorf("the merged recording gives other figures, %s", difference(got, want))
			}
			sum := &aggregate.Snapshot{}
			for _, i := range []int{2, 0, 1} {
				a := aggregate.New(aggregate.Options{}, bounds.Windows())
				if err := a.Write(each[i]); err != nil {
					t.Fatal(err)
				}
				if err := sum.Merge(a.Snapshot()); err != nil {
					t.Fatal(err)
				}
			}
			if got := text(t, sum); got != want {
				t.Errorf("the sum gives other figures, %s", difference(got, want))
			}
		})
	}
}

// collected keeps operations.
type collected []op.Op

func (c *collected) Write(ops []op.Op) error { *c = append(*c, ops...); return nil }
func (c *collected) Close() error            { return nil }

// text is all of a snapshot. The last digits of sums of fractions, which depend on the order, are left out.
func text(t *testing.T, s *aggregate.Snapshot) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(rounded(v))
}

func rounded(v any) any {
	switch v := v.(type) {
	case float64:
		return fmt.Sprintf("%.7g", v)
	case string:
		return roundedHistogram(v)
	case []any:
		for i := range v {
			v[i] = rounded(v[i])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = rounded(v[name])
		}
	}
	return v
}

// roundedHistogram rounds the sum of squares in the wire form of a histogram, if that is what text is. All else in it is exact.
func roundedHistogram(text string) string {
	if new(hist.Histogram).UnmarshalText([]byte(text)) != nil {
		return text
	}
	b, _ := base64.StdEncoding.DecodeString(text)
	at := 1
	for range 4 {
		_, n := binary.Varint(b[at:])
		at += n
	}
	squares := math.Float64frombits(binary.BigEndian.Uint64(b[at:]))
	return fmt.Sprintf("%x %.7g %x", b[:at], squares, b[at+8:])
}

// difference shows where two texts begin to differ.
func difference(got, want string) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	part := func(s string) string { return s[max(0, n-100):min(len(s), n+100)] }
	return fmt.Sprintf("from byte %d on:\n%s\nwant\n%s", n, part(got), part(want))
}

func TestRunSaysWhatItNeeds(t *testing.T) {
	if _, err := (Run{Ops: 1}).Write(&collected{}); err == nil {
		t.Error("no error of a run without anything")
	}
}

// Every value of the table is drawn as often as the others, in whatever order.
func TestShuffledIsAPermutation(t *testing.T) {
	for _, seed := range []uint64{0, 1, 12345678901} {
		seen := make([]bool, tableSize)
		for n := range uint64(tableSize) {
			seen[shuffled(n+tableSize*3+17, seed)] = true
		}
		if slices.Contains(seen, false) {
			t.Errorf("seed %d: not all values are drawn", seed)
		}
	}
}
