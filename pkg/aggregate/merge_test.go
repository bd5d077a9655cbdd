package aggregate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// split deals operations out to n parts.
func split(ops []op.Op, n int, to func(i int, o *op.Op) int) [][]op.Op {
	parts := make([][]op.Op, n)
	for i := range ops {
		p := to(i, &ops[i])
		parts[p] = append(parts[p], ops[i])
	}
	return parts
}

func boundsOf(t *testing.T, opts Options, ops []op.Op) *Bounds {
	t.Helper()
	b := NewBounds(opts)
	if err := b.Write(ops); err != nil {
		t.Fatal(err)
	}
	return b
}

func snapshotOf(t *testing.T, opts Options, w *Windows, ops []op.Op) *Snapshot {
	t.Helper()
	a := New(opts, w)
	for len(ops) > 0 {
		n := min(100, len(ops))
		if err := a.Write(ops[:n]); err != nil {
			t.Fatal(err)
		}
		ops = ops[n:]
	}
	return a.Snapshot()
}

// travelled is s after a journey as JSON.
func travelled[T any](t *testing.T, s *T) *T {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	back := new(T)
	if err := json.Unmarshal(b, back); err != nil {
		t.Fatal(err)
	}
	return back
}

func mergeAll(t *testing.T, parts ...*Snapshot) *Snapshot {
	t.Helper()
	s := &Snapshot{}
	for _, p := range parts {
		if err := s.Merge(p); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestMergeIsWhole deals runs out to parts in every way, brings windows and snapshots together, in several orders and by
// way of JSON, and compares with the run in one piece.
func TestMergeIsWhole(t *testing.T) {
	const n = 4
	opts := Options{HostSegments: true, SegmentTimes: true, Segment: 500 * time.Millisecond}
	for _, name := range sortedStreams() {
		s := optest.Streams()[name]
		r := rand.New(rand.NewPCG(s.Seed, 1))
		for how, to := range map[string]func(int, *op.Op) int{
			"by client": func(_ int, o *op.Op) int { return int(o.Client[len(o.Client)-1]-'0') % n },
			"at random": func(int, *op.Op) int { return r.IntN(n) },
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				ops := s.Make()
				parts := split(ops, n, to)
				whole := boundsOf(t, opts, ops)
				bounds := NewBounds(opts)
				for _, p := range parts {
					if err := bounds.Merge(travelled(t, boundsOf(t, opts, p))); err != nil {
						t.Fatal(err)
					}
				}
				windows := whole.Windows()
				same(t, bounds.Windows(), windows)
				want := snapshotOf(t, opts, windows, ops)
				p := make([]*Snapshot, n)
				for i := range p {
					p[i] = snapshotOf(t, opts, travelled(t, windows), parts[i])
				}
				if how != "by client" { // else an object is read in several parts
					forgetAccesses(want)
				}
				flatWant := flat(want)
				for _, got := range []*Snapshot{
					mergeAll(t, p[3], p[2], p[1], p[0]),
					mergeAll(t, travelled(t, p[0]), mergeAll(t, p[2], travelled(t, mergeAll(t, p[3], p[1])))),
				} {
					if how != "by client" {
						forgetAccesses(got)
					}
					sameFlat(t, flat(got), flatWant)
				}
			})
		}
	}
}

func forgetAccesses(s *Snapshot) {
	for _, g := range slices.Concat(s.Groups, s.Totals) {
		g.InFlight = 0 // of each client
		g.RepeatReads, g.FirstAccess, g.FirstAccessTTFB, g.LastAccess, g.LastAccessTTFB = 0, nil, nil, nil, nil
	}
}

// TestMergeKeeps checks that a merge takes nothing from the other side, nor ties the two together.
func TestMergeKeeps(t *testing.T) {
	opts := Options{HostSegments: true, SegmentTimes: true}
	ops := optest.Streams()["mixed, failures, hosts, clients"].Make()
	w := boundsOf(t, opts, ops).Windows()
	other := snapshotOf(t, opts, w, ops)
	before := travelled(t, other)
	s := mergeAll(t, other)
	if err := s.Merge(other); err != nil {
		t.Fatal(err)
	}
	same(t, other, before)
	if s.Groups[0].Requests != 2*other.Groups[0].Requests {
		t.Error("not merged")
	}
}

func TestMergeRefuses(t *testing.T) {
	ops := optest.Streams()["get"].Make()
	make := func(o Options, change func(*Snapshot)) *Snapshot {
		s := snapshotOf(t, o, boundsOf(t, o, ops).Windows(), ops)
		change(s)
		return s
	}
	nothing := func(*Snapshot) {}
	for name, c := range map[string]struct {
		other *Snapshot
		want  string
	}{
		"version":  {make(Options{}, func(s *Snapshot) { s.Version = 9 }), "versions"},
		"segment":  {make(Options{Segment: 2 * time.Second}, nothing), "segment lengths 1s and 2s"},
		"window":   {make(Options{Skip: time.Second}, nothing), "window"},
		"segments": {make(Options{}, func(s *Snapshot) { s.Groups[0].Segments = nil }), "segments"},
		"no group": {make(Options{}, func(s *Snapshot) { s.Groups[0] = nil }), "null"},
		"no part":  {make(Options{}, func(s *Snapshot) { s.Groups[0].ByHost["x"] = nil }), "null"},
		"series": {make(Options{HostSegments: true, SegmentTimes: true}, func(s *Snapshot) {
			p := s.Groups[0].ByHost["http://host0:9000"]
			p.Series = p.Series[1:]
		}), "segments"},
	} {
		t.Run(name, func(t *testing.T) {
			s := make(Options{}, nothing)
			before := travelled(t, s)
			err := s.Merge(c.other)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %q", err, c.want)
			}
			same(t, s, before)
		})
	}
	b := NewBounds(Options{Op: "PUT"})
	if err := b.Merge(NewBounds(Options{})); err == nil {
		t.Error("bounds of other filters were merged")
	}
}

func TestBoundsJSONRefuses(t *testing.T) {
	for _, text := range []string{
		`[]`, `{"groups":[{"clients":[{"client":"c","threads":[[0,1,1,1,1,0]]}]}]}`, `{"groups":[{"clients":[{"threads":[[0,1,1,-1,1,1]]}]}]}`,
		`{"groups":[{"clients":[{"threads":[[-1,1,1,1,1,1]]}]}]}`, `{"groups":[{"clients":[{"threads":[[4294967296,1,1,1,1,1]]}]}]}`, `{"groups":[{"clients":[{"threads":[[1,1,1,1,1]]}]}]}`,
	} {
		if err := json.Unmarshal([]byte(text), NewBounds(Options{})); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

// FuzzBoundsJSON reads bounds that came over the network.
func FuzzBoundsJSON(f *testing.F) {
	f.Add([]byte(`{"groups":[{"op":"GET","clients":[{"client":"c","threads":[[4294967295,2,7,3,8,2]]}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		bounds := NewBounds(Options{})
		if json.Unmarshal(b, bounds) != nil {
			return
		}
		for _, w := range bounds.Windows().Groups {
			if w.End.Before(w.Start) {
				t.Errorf("window %v", w)
			}
		}
	})
}

// FuzzSnapshotJSON merges snapshots that came over the network.
func FuzzSnapshotJSON(f *testing.F) {
	o := Options{HostSegments: true, SegmentTimes: true}
	ops := optest.Stream{
		Ops: 5, Clients: 1, Threads: 1, Hosts: 1, Kinds: []op.Kind{op.Get}, KeysEachClient: 2,
		Sizes: func(*rand.Rand) int64 { return 5 }, Latency: func(*rand.Rand) time.Duration { return time.Second },
	}.Make()
	b := NewBounds(o)
	_ = b.Write(ops)
	a := New(o, b.Windows())
	_ = a.Write(ops)
	text, err := json.Marshal(a.Snapshot())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"version":2,"groups":[{"by_host":{"a":null}},null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s Snapshot
		if json.Unmarshal(text, &s) != nil {
			return
		}
		all := &Snapshot{}
		for range 2 {
			if all.Merge(&s) != nil {
				return
			}
		}
		for _, g := range all.Groups {
			g.Rank()
			g.Classes()
			_ = fmt.Sprint(g.BytesPerSec(), g.ObjectsPerSec(), g.OpsPerSec())
		}
	})
}
