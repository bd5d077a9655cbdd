package compare

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/op"
)

var get = Name{Kind: op.Get}

func TestRunAgainstItself(t *testing.T) {
	s := gets(1, 5*time.Millisecond).snapshot(t)
	s.Groups[0].Own.All = s.Groups[0].Latency.Clone()
	for _, c := range []*Comparison{
		compared(t, snapshots{s}, snapshots{s}, Options{}),
		compared(t, snapshots{s, s, s, s, s}, snapshots{s, s, s, s, s}, Options{}),
		compared(t, snapshots{s}, snapshots{s, s}, Options{}),
	} {
		if len(c.Kinds) != 1 || len(c.Kinds[0].Changes) != len(metrics) {
			t.Fatalf("%s: %d types", c.Method, len(c.Kinds))
		}
		for _, ch := range c.Kinds[0].Changes {
			if ch.Absolute != 0 || ch.Relative == nil || *ch.Relative != 0 || ch.Significant || ch.Verdict != Unclear {
				t.Errorf("%s of a run against itself: %+v", ch.Metric, ch)
			}
			if m, _ := Lookup(ch.Metric); m.OwnPart() && c.Method == Bootstrap && (ch.P != nil || ch.Note == "") {
				t.Errorf("%s of two single runs is tested: %+v", ch.Metric, ch)
			}
			if ch.P != nil && *ch.P != 1 {
				t.Errorf("%s: p = %v, want 1", ch.Metric, *ch.P)
			}
			if ch.CI != nil && (ch.CI.Low > 0 || ch.CI.High < 0) {
				t.Errorf("%s: the interval %v does not hold 0", ch.Metric, *ch.CI)
			}
		}
	}
}

func TestSameResultEachTime(t *testing.T) {
	before, after := gets(1, 5*time.Millisecond).snapshot(t), gets(2, 5100*time.Microsecond).snapshot(t)
	a := compared(t, snapshots{before}, snapshots{after}, Options{})
	b := compared(t, snapshots{before}, snapshots{after}, Options{})
	if !reflect.DeepEqual(a, b) {
		t.Error("comparing twice gives two results")
	}
}

func TestSwappedSides(t *testing.T) {
	testkit.SkipSerial(t)
	sets := [2]snapshots{}
	for i := range 6 {
		sets[0] = append(sets[0], gets(uint64(10+i), 5*time.Millisecond).snapshot(t))
		sets[1] = append(sets[1], gets(uint64(20+i), 5200*time.Microsecond).snapshot(t))
	}
	for _, n := range []int{1, 6} {
		there := compared(t, sets[0][:n], sets[1][:n], Options{})
		back := compared(t, sets[1][:n], sets[0][:n], Options{})
		for i, ch := range there.Kinds[0].Changes {
			other := back.Kinds[0].Changes[i]
			if !near(1+*ch.Relative, 1/(1+*other.Relative), 1e-9) || ch.Significant != other.Significant {
				t.Errorf("%d runs: %s changes by %v there and %v back", n, ch.Metric, *ch.Relative, *other.Relative)
			}
			if ch.P == nil {
				continue
			}
			if !near(*ch.P, *other.P, 1e-9) || !near(1+ch.CI.Low, 1/(1+other.CI.High), 1e-9) {
				t.Errorf("%d runs: %s is p %v in %v there and %v in %v back", n, ch.Metric, *ch.P, *ch.CI, *other.P, *other.CI)
			}
			if ch.Significant && (ch.Verdict == Improved) != (other.Verdict == Regressed) {
				t.Errorf("%d runs: %s is %s there and %s back", n, ch.Metric, ch.Verdict, other.Verdict)
			}
		}
	}
}

// Measured in other units, nothing changes. Buckets of histograms keep their shape only under powers of two.
func TestScale(t *testing.T) {
	scaled := func(l load, by int64) *aggregate.Snapshot {
		s := l.snapshot(t)
		for _, g := range s.Groups {
			g.Bytes *= float64(by)
			for i := range g.Segments {
				g.Segments[i].Bytes *= float64(by)
			}
		}
		return s
	}
	b, a := gets(1, 5*time.Millisecond), gets(2, 5200*time.Microsecond)
	one := change(t, compared(t, snapshots{scaled(b, 1)}, snapshots{scaled(a, 1)}, Options{}), get, "throughput")
	many := change(t, compared(t, snapshots{scaled(b, 1000)}, snapshots{scaled(a, 1000)}, Options{}), get, "throughput")
	if !near(*one.Relative, *many.Relative, 1e-9) || !near(*one.P, *many.P, 1e-6) || !near(one.CI.Low, many.CI.Low, 1e-6) {
		t.Errorf("p %v and %v, interval %v and %v", *one.P, *many.P, *one.CI, *many.CI)
	}
}

func TestThreshold(t *testing.T) {
	before, after := gets(1, 5*time.Millisecond).snapshot(t), gets(2, 6*time.Millisecond).snapshot(t)
	c := compared(t, snapshots{before}, snapshots{after}, Options{Threshold: 0.5})
	for _, ch := range c.Kinds[0].Changes {
		if ch.Significant || ch.Verdict != Unclear {
			t.Errorf("%s is significant within the threshold", ch.Metric)
		}
	}
	for _, o := range []Options{{Threshold: -1}, {Threshold: math.NaN()}, {Threshold: math.Inf(1)}, {Confidence: 1}, {Confidence: -0.5}, {Confidence: math.NaN()}} {
		if _, err := Compare(snapshots{before}, snapshots{after}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestRefused(t *testing.T) {
	good := &aggregate.Snapshot{Version: aggregate.Version}
	for name, bad := range map[string]snapshots{
		"none": nil, "nil": {nil}, "version": {{Version: 99}}, "group": {{Version: aggregate.Version, Groups: []*aggregate.Group{nil}}},
	} {
		if _, err := Compare(bad, snapshots{good}, Options{}); err == nil {
			t.Errorf("before: %s is accepted", name)
		}
		if _, err := Compare(snapshots{good}, bad, Options{}); err == nil {
			t.Errorf("after: %s is accepted", name)
		}
	}
}

func TestJSON(t *testing.T) {
	c := compared(t, snapshots{gets(1, 5*time.Millisecond).snapshot(t)}, snapshots{gets(2, 6*time.Millisecond).snapshot(t)}, Options{})
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back Comparison
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*c, back) {
		t.Error("a comparison does not survive JSON")
	}
}

func BenchmarkCompare400(b *testing.B) {
	l := gets(1, time.Millisecond)
	l.seconds = 402
	before := l.snapshot(b)
	l.seed = 2
	after := l.snapshot(b)
	if n := len(before.Groups[0].Segments); n < 400 {
		b.Fatalf("only %d segments", n)
	}
	for b.Loop() {
		compared(b, snapshots{before}, snapshots{after}, Options{})
	}
}
