package compare

import (
	"strings"
	"testing"
	"time"
)

func TestTwoRuns(t *testing.T) {
	before, after := gets(1, 5*time.Millisecond).snapshot(t), gets(2, 6*time.Millisecond).snapshot(t)
	c := compared(t, snapshots{before}, snapshots{after}, Options{})
	if c.Method != Bootstrap || c.Family != 3 || len(c.Notes) != 1 {
		t.Errorf("method %s, family of %d, notes %q", c.Method, c.Family, c.Notes)
	}
	for _, tt := range []struct {
		metric  string
		low, up float64 // of the relative change
		tested  bool
		verdict Verdict
	}{
		{"throughput", -0.20, -0.13, true, Regressed},
		{"objects", -0.20, -0.13, true, Regressed},
		{"median", -0.22, -0.11, true, Regressed},
		{"slowest", -0.35, 0, false, Unclear},
		{"fastest", -0.35, 0, false, Unclear},
		{"avg", 0.15, 0.25, true, Regressed},
		{"p50", 0.15, 0.25, true, Regressed},
		{"p99", 0.10, 0.30, true, Regressed},
		{"max", -1, 1, false, Unclear},
		{"ttfb", 0.15, 0.25, true, Regressed},
		{"ttfb.p50", 0.15, 0.25, true, Regressed},
		{"ttfb.p90", 0.10, 0.30, true, Regressed},
		{"ttfb.p99", 0.10, 0.30, true, Regressed},
		{"ttfb.max", -1, 1, false, Unclear},
	} {
		ch := change(t, c, get, tt.metric)
		if ch.Relative == nil || *ch.Relative < tt.low || *ch.Relative > tt.up || ch.Verdict != tt.verdict {
			t.Errorf("%s: %s, %v, want %s and %v to %v", tt.metric, ch.Verdict, ch.Relative, tt.verdict, tt.low, tt.up)
		}
		if (ch.P != nil) != tt.tested || (ch.CI != nil) != tt.tested || (ch.Note == "") != tt.tested {
			t.Errorf("%s: p %v, interval %v, note %q", tt.metric, ch.P, ch.CI, ch.Note)
		}
		if tt.tested && (*ch.Relative < ch.CI.Low || *ch.Relative > ch.CI.High || ch.Before.N < 30 || *ch.Adjusted < *ch.P) {
			t.Errorf("%s: %+v", tt.metric, ch)
		}
	}
	side := c.Kinds[0].Before
	if side.Operations != before.Groups[0].Requests || side.Runs != 1 || side.Segments != len(before.Groups[0].Segments) || side.Duration < 39*time.Second {
		t.Errorf("before: %+v", side)
	}
	same := compared(t, snapshots{before}, snapshots{gets(3, 5*time.Millisecond).snapshot(t)}, Options{})
	for _, ch := range same.Kinds[0].Changes {
		if ch.Significant {
			t.Errorf("%s differs between runs of the same kind: %+v", ch.Metric, ch)
		}
	}
}

func TestUnsoundPercentile(t *testing.T) {
	l := gets(1, 40*time.Millisecond) // 8000 requests: 8 lie beyond p99.9
	c := compared(t, snapshots{l.snapshot(t)}, snapshots{gets(2, 5*time.Millisecond).snapshot(t)}, Options{})
	ch := change(t, c, get, "p99.9")
	if ch.Before.Enough || !ch.After.Enough || !ch.TooFew || ch.P != nil || !strings.Contains(ch.Note, "p99.9") {
		t.Errorf("%+v", ch)
	}
}
