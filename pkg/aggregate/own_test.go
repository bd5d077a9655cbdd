package aggregate

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"warp/pkg/aggregate/internal/optest"
	"warp/pkg/op"
)

// Two clients together have the own parts of both, and each its own.
func TestOwnPartOfClients(t *testing.T) {
	ops := optest.OwnLateness(true, func(i int, o *op.Op) {
		o.Client, o.OwnLate = "a", 100*time.Microsecond
		if o.Thread >= 2 {
			o.Client, o.OwnLate = "b", 900*time.Microsecond
		}
		o.Arrived = o.End.Add(-50 * time.Microsecond)
	})
	b := NewBounds(Options{})
	_ = b.Write(ops)
	all, merged := New(Options{}, b.Windows()), new(Snapshot)
	_ = all.Write(ops)
	for _, client := range []string{"a", "b"} {
		one := New(Options{}, b.Windows())
		for i := range ops {
			if ops[i].Client == client {
				_ = one.Write(ops[i : i+1])
			}
		}
		wire, err := json.Marshal(one.Snapshot())
		var sent Snapshot
		if err != nil || json.Unmarshal(wire, &sent) != nil {
			t.Fatal(err)
		}
		if err := merged.Merge(&sent); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*Snapshot{all.Snapshot(), merged} {
		g := s.Groups[0]
		if n := g.Own.All.Count(); n != g.Latency.Count() || time.Duration(g.Own.All.Min()) != 150*time.Microsecond || time.Duration(g.Own.All.Max()) != 950*time.Microsecond {
			t.Errorf("%d own parts from %v to %v", n, g.Own.All.Min(), g.Own.All.Max())
		}
		if a, b := g.ByClient["a"].Own, g.ByClient["b"].Own; time.Duration(a.All.Max()) != 150*time.Microsecond || time.Duration(b.Late.Min()) != 900*time.Microsecond {
			t.Errorf("clients: up to %v, and from %v", a.All.Max(), b.Late.Min())
		}
	}
	if got, want := merged.Groups[0].Own, all.Snapshot().Groups[0].Own; !reflect.DeepEqual(got, want) {
		t.Errorf("merged %v, want %v", got, want)
	}
}
