package aggregate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// TestClassesByHostAndSegment: each failure counts with its class for its host, its client, its segment (by end), and that of
// its host; in one pass, in two, and merged.
func TestClassesByHostAndSegment(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	classes := []string{"", "", "503 SlowDown: busy", "timeout: no response within 1s", "connection refused: dial", "connection reset: read", "TLS error: alert", "no such host: lookup"}
	var ops []op.Op
	for i := range 4000 {
		o := optest.Get(float64(i)/100, float64(i)/100+0.02)
		o.Thread, o.Client, o.Endpoint = uint32(i%2), fmt.Sprint("c", i%2), fmt.Sprint("http://h", random.IntN(3))
		if o.Err = classes[random.IntN(len(classes))]; o.Err != "" {
			o.Bytes, o.Objects = 0, 0
		}
		ops = append(ops, o)
	}
	opts := Options{Segment: time.Second, HostSegments: true}
	check := func(t *testing.T, g *Group) {
		hosts, clients := map[string]map[string]int64{}, map[string]map[string]int64{}
		segments, series := make([]map[string]int64, len(g.Segments)), map[string][]map[string]int64{}
		count := func(m *map[string]int64, class string) {
			if *m == nil {
				*m = map[string]int64{}
			}
			(*m)[class]++
		}
		for i := range ops {
			o := &ops[i]
			if !o.Failed() {
				continue
			}
			class, h, c := op.Class(o.Err), hosts[o.Endpoint], clients[o.Client]
			count(&h, class)
			count(&c, class)
			hosts[o.Endpoint], clients[o.Client] = h, c
			n := int((o.End.Sub(g.Window.Start) - 1) / time.Second)
			if o.End.After(g.Window.Start) && n < len(segments) {
				count(&segments[n], class)
				if series[o.Endpoint] == nil {
					series[o.Endpoint] = make([]map[string]int64, len(segments))
				}
				count(&series[o.Endpoint][n], class)
			}
		}
		same := func(what string, got, want map[string]int64) {
			if !maps.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		if len(g.Segments) < 30 || len(hosts) != 3 {
			t.Fatalf("%d segments, %d hosts", len(g.Segments), len(hosts))
		}
		for name, want := range hosts {
			same(name, g.ByHost[name].ErrorsByClass, want)
			for i := range segments {
				same(fmt.Sprint(name, " segment ", i), g.ByHost[name].Series[i].ErrorsByClass, series[name][i])
			}
		}
		for name, want := range clients {
			same(name, g.ByClient[name].ErrorsByClass, want)
		}
		for i, want := range segments {
			same(fmt.Sprint("segment ", i), g.Segments[i].ErrorsByClass, want)
		}
	}
	check(t, analyze(t, opts, ops).Groups[0])

	bounds := NewBounds(opts)
	for i := range ops {
		if err := bounds.Write(ops[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	w := bounds.Windows()
	var parts []*Snapshot
	for half := range 2 {
		a := New(opts, w)
		for i := range ops {
			if i%2 == half {
				if err := a.Write(ops[i : i+1]); err != nil {
					t.Fatal(err)
				}
			}
		}
		parts = append(parts, a.Snapshot())
	}
	if err := parts[0].Merge(parts[1]); err != nil {
		t.Fatal(err)
	}
	check(t, parts[0].Groups[0])
}

// TestTooManyClasses: hosts and segments keep the first classes by name, and count the rest.
func TestTooManyClasses(t *testing.T) {
	var ops []op.Op
	for i := range 1000 {
		o := optest.Get(float64(i)/100, float64(i)/100+0.01)
		o.Thread, o.Err = uint32(i%2), fmt.Sprintf("class %d: text", i)
		ops = append(ops, o)
	}
	g := analyze(t, Options{Segment: time.Second}, ops).Groups[0]
	sum := func(m map[string]int64) (n int64) {
		for _, v := range m {
			n += v
		}
		return n
	}
	for name, p := range g.ByHost {
		if len(p.ErrorsByClass) != decode.MaxPartClasses+1 || sum(p.ErrorsByClass) != 1000 || p.ErrorsByClass["class 0"] != 1 {
			t.Errorf("%s: %v", name, p.ErrorsByClass)
		}
	}
	for i := range g.Segments {
		if seg := &g.Segments[i]; len(seg.ErrorsByClass) > decode.MaxPartClasses+1 || sum(seg.ErrorsByClass) != seg.Errors {
			t.Errorf("segment %d: %v of %d", i, seg.ErrorsByClass, seg.Errors)
		}
	}
}
