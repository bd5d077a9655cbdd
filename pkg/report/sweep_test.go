package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/op"
	"warp/pkg/search"
)

// swept returns a sweep over threads of a store that performs eight operations at a time, in 4 ms each, for two sizes. Each point is
// measured repeatedly.
func swept(repeats int) (*search.Sweep, *aggregate.Snapshot) {
	sw := &search.Sweep{Over: []string{"threads", "obj.size"}}
	s := &aggregate.Snapshot{Segment: time.Second}
	for _, size := range []int64{1 << 10, 1 << 20} {
		for _, threads := range []int{1, 2, 4, 8, 16, 32} {
			for round := range repeats {
				n := 250 * min(threads, 8)
				latency := time.Duration(max(1, threads/8)) * 4 * time.Millisecond
				g := group("GET", n-round, size, 1)
				g.Phase = fmt.Sprintf("threads=%d,obj.size=%d#%d", threads, size, round)
				g.Latency = spread(10*n, latency/2, 3*latency/2)
				g.Window.End = g.Window.Start.Add(time.Duration(len(g.Segments)) * time.Second)
				for i := range g.Segments {
					g.Segments[i].Latency = spread(n-i, latency/2, 3*latency/2)
				}
				if threads == 32 && size > 1<<10 {
					g.Errors = 7
				}
				s.Groups = append(s.Groups, g)
				sw.Points = append(sw.Points, search.SweepPoint{Phase: g.Phase, Values: []search.Value{{Text: fmt.Sprint(threads), Number: float64(threads)}, {Text: fmt.Sprint(size), Number: float64(size)}}})
			}
		}
	}
	return sw, s
}

func TestSweep(t *testing.T) {
	sw, s := swept(1)
	s.Groups = append(s.Groups, group(op.Put, 100, 1024, 1)) // of no point
	var out bytes.Buffer
	if err := Sweep(&out, sw, s, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/sweep.txt", out.String())
	out.Reset()
	if err := Sweep(&out, sw, s, TextOptions{Width: 50}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/sweep.narrow.txt", out.String())
}

// Points that failed, or were never measured, have no figures and spoil no fit.
func TestSweepOfFailures(t *testing.T) {
	sw, s := swept(1)
	failed := allFailed().Groups[0]
	failed.Kind, failed.Phase = "GET", s.Groups[0].Phase
	s.Groups[0] = failed
	var out bytes.Buffer
	if err := Sweep(&out, sw, s, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/sweep.failures.txt", out.String())
	out.Reset()
	if err := Sweep(&out, sw, &aggregate.Snapshot{}, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := rule + "\nSweep: no point was measured.\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestSweepJSON(t *testing.T) {
	for _, repeats := range []int{1, 3} {
		sw, s := swept(repeats)
		var out bytes.Buffer
		if err := JSON(&out, Document{Snapshot: s, Sweeps: []search.Sweep{*sw}}); err != nil {
			t.Fatal(err)
		}
		var doc struct{ Sweep sweepJSON }
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Sweep.Curves) != 2 || len(doc.Sweep.Curves[0].Points) != 6 || doc.Sweep.Curves[1].Fixed["obj.size"] != "1048576" {
			t.Fatalf("%+v", doc.Sweep)
		}
		c := doc.Sweep.Curves[0]
		p := c.Points[3]
		if p.Value != "8" || len(p.Phases) != repeats || len(p.CI) != 2 || p.CI[0] > p.Ops || p.CI[1] < p.Ops-10 || p.Latency == nil {
			t.Errorf("%+v", p)
		}
		if repeats == 3 && math.Abs(p.CI[1]-p.CI[0]) > 10 {
			t.Errorf("interval %v of repeats that hardly differ", p.CI)
		}
		if c.Knee == nil || c.Knee.Level != 8 || c.Servers == nil || c.USL != nil || c.Limit == nil || c.Trend != "flat" || c.Best != "8" || c.Size != nil {
			t.Errorf("fits %+v %+v %+v", c.Knee, c.Servers, c.USL)
		}
		testkit.Near(t, "servers", c.Servers.Count, 8, 0.1)
		testkit.Near(t, "limit", c.Limit.Threads, 8, 0.01)
		testkit.Near(t, "service", c.Servers.Service, 4, 0.1)
	}
}
