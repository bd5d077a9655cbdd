package compare

import (
	"strings"
	"testing"
	"time"
)

// TestFirstByteAlone: half of every latency is the time to first byte; where only that half grows, only it has changed for
// certain, and it adds nothing to the family.
func TestFirstByteAlone(t *testing.T) {
	before, ops := gets(1, 5*time.Millisecond).snapshot(t), gets(2, 5*time.Millisecond).ops()
	for i := range ops {
		o := &ops[i]
		o.FirstByte = o.Start.Add(o.End.Sub(o.Start) * 6 / 10)
	}
	c := compared(t, snapshots{before}, snapshots{snapshotOf(t, ops)}, Options{})
	for metric, want := range map[string]Verdict{
		"p50": Unclear, "p99": Unclear, "ttfb": Regressed, "ttfb.p50": Regressed, "ttfb.p90": Regressed, "ttfb.p99": Regressed,
	} {
		if ch := change(t, c, get, metric); ch.P == nil || ch.Verdict != want || ch.Primary && want == Regressed {
			t.Errorf("%s: %+v, want %s", metric, ch, want)
		}
	}
	if c.Family != 3 {
		t.Errorf("family of %d, want 3", c.Family)
	}
}

// TestTimesOnOneScale: first bytes that are the whole latency are tested exactly like it.
func TestTimesOnOneScale(t *testing.T) {
	side := func(l load) snapshots {
		ops := l.ops()
		for i := range ops {
			ops[i].FirstByte = ops[i].End
		}
		return snapshots{snapshotOf(t, ops)}
	}
	c := compared(t, side(gets(1, 5*time.Millisecond)), side(gets(2, 5050*time.Microsecond)), Options{})
	for first, whole := range map[string]string{"ttfb": "avg", "ttfb.p50": "p50", "ttfb.p90": "p90"} {
		a, b := change(t, c, get, first), change(t, c, get, whole)
		if a.P == nil || b.P == nil || !near(*a.P, *b.P, 0.1) || !near(a.CI.Low, b.CI.Low, 0.1) || !near(a.CI.High, b.CI.High, 0.1) {
			t.Errorf("%s: %+v, but %s: %+v", first, a, whole, b)
		}
	}
}

func TestWithoutFirstByteOfSegments(t *testing.T) {
	with, without := gets(1, 5*time.Millisecond).snapshot(t), gets(2, 6*time.Millisecond).snapshot(t)
	for i := range without.Groups[0].Segments {
		without.Groups[0].Segments[i].TTFB = nil
	}
	for _, pair := range [][2]snapshots{{{with}, {without}}, {{without}, {with}}} {
		c := compared(t, pair[0], pair[1], Options{})
		if ch := change(t, c, get, "ttfb"); ch.P != nil || ch.TooFew || !strings.Contains(ch.Note, "no times to first byte") {
			t.Errorf("%+v", ch)
		}
		if ch := change(t, c, get, "avg"); ch.P == nil || ch.Note != "" {
			t.Errorf("%+v", ch)
		}
	}
}

func TestWithoutLatencyOfSegments(t *testing.T) {
	s := gets(1, 5*time.Millisecond).snapshot(t)
	for i := range s.Groups[0].Segments {
		s.Groups[0].Segments[i].Latency = nil
	}
	c := compared(t, snapshots{s}, snapshots{gets(2, 6*time.Millisecond).snapshot(t)}, Options{})
	if ch := change(t, c, get, "p50"); ch.P != nil || ch.TooFew || ch.Note == "" || *ch.Relative < 0.1 {
		t.Errorf("%+v", ch)
	}
	if ch := change(t, c, get, "throughput"); ch.P == nil || c.Family != 1 {
		t.Errorf("%+v, family of %d", ch, c.Family)
	}
}
