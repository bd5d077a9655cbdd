package aggregate

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// checkPercentiles compares percentiles of h with the nearest ranks of the values, which may differ by a share of off.
func checkPercentiles(t *testing.T, what string, h *hist.Histogram, values []int64, off float64) {
	t.Helper()
	slices.Sort(values)
	if h.Count() != int64(len(values)) {
		t.Errorf("%s: %d values, want %d", what, h.Count(), len(values))
		return
	}
	for _, p := range []float64{10, 50, 90, 99} {
		got, _ := h.Percentile(p)
		want := float64(values[int(math.Ceil(p/100*float64(len(values))-1e-9))-1])
		if math.Abs(float64(got)-want) > off*want {
			t.Errorf("%s: %g%% is %v, want %v", what, p, time.Duration(got), time.Duration(want))
		}
	}
}

// The times of hosts and clients are as exact as the whole's while parts are few, and the same whether there is
// one aggregation or several that are merged.
func TestTimesOfParts(t *testing.T) {
	for _, hosts := range []int{1, 2, 4, 9, fineParts, fineParts + 1} {
		off := 0.001
		if hosts > fineParts {
			off = 0.01
		}
		s := optest.Stream{
			Seed: uint64(hosts), Ops: 300, Clients: 2, Threads: 8, Hosts: hosts, Kinds: []op.Kind{op.Get}, Failures: 0.05,
			Sizes: optest.Streams()["get"].Sizes, Latency: optest.Streams()["get"].Latency, KeysEachClient: 10,
		}
		ops := s.Make()
		w, whole := twoPasses(t, Options{}, ops)
		latency, ttfb := map[string][]int64{}, map[string][]int64{}
		g := whole.Groups[0]
		for i := range ops {
			o := &ops[i]
			if o.Failed() || o.Start.Before(g.Window.Start) || o.Start.After(g.Window.End) {
				continue
			}
			for _, name := range []string{o.Endpoint, o.Client} {
				latency[name] = append(latency[name], int64(o.Latency()))
				first, _ := o.TTFB()
				ttfb[name] = append(ttfb[name], int64(first))
			}
		}
		for name, p := range g.ByHost {
			checkPercentiles(t, fmt.Sprint(hosts, " hosts: ", name), p.Latency, latency[name], off)
			checkPercentiles(t, fmt.Sprint(hosts, " hosts: first byte of ", name), p.TTFB, ttfb[name], off)
		}
		for name, p := range g.ByClient {
			checkPercentiles(t, fmt.Sprint(hosts, " hosts: ", name), p.Latency, latency[name], 0.001)
		}
		for n := range 3 {
			parts := split(ops, n+2, func(i int, o *op.Op) int { return (int(o.Endpoint[len(o.Endpoint)-6]) + n*i) % (n + 2) })
			sum := &Snapshot{}
			for i := range parts {
				a := New(Options{}, w)
				_ = a.Write(parts[len(parts)-1-i])
				if err := sum.Merge(a.Snapshot()); err != nil {
					t.Fatal(err)
				}
			}
			for name, p := range g.ByHost {
				same(t, sum.Groups[0].ByHost[name].Latency, p.Latency)
				same(t, sum.Groups[0].ByHost[name].TTFB, p.TTFB)
			}
		}
	}
}

// With one host and one client, their times are the group's.
func TestTimesOfTheOnlyPart(t *testing.T) {
	ops := optest.Streams()["get"].Make()
	_, s := twoPasses(t, Options{}, ops)
	g := s.Groups[0]
	for name, p := range map[string]*Part{"host": g.ByHost[g.Hosts[0]], "client": g.ByClient[g.Clients[0]]} {
		same(t, p.Latency, g.Latency)
		same(t, p.TTFB, g.TTFB)
		if p.Latency == g.Latency {
			t.Errorf("%s: it is the same histogram, which a merge would change twice", name)
		}
	}
}
