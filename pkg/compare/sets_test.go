package compare

import (
	"strings"
	"testing"
	"time"
)

func TestSets(t *testing.T) {
	var before, after snapshots
	for i := range 6 {
		l := gets(uint64(30+i), 5*time.Millisecond)
		l.seconds = 6 // segments do not matter
		before = append(before, l.snapshot(t))
		l = gets(uint64(40+i), 6*time.Millisecond)
		l.seconds = 6
		after = append(after, l.snapshot(t))
	}
	c := compared(t, before, after, Options{})
	if c.Method != Ranks || c.Family != 3 {
		t.Errorf("method %s, family of %d", c.Method, c.Family)
	}
	for _, metric := range []string{"throughput", "p50", "p99", "ttfb.p50", "slowest"} {
		ch := change(t, c, get, metric)
		if ch.P == nil || !near(*ch.P, 2.0/924, 1e-9) || ch.CI == nil || ch.Before.CI == nil || ch.After.CI == nil || ch.Verdict != Regressed {
			t.Errorf("%s: %+v", metric, ch)
		}
		if ch.CI != nil && (*ch.Relative < ch.CI.Low || *ch.Relative > ch.CI.High) {
			t.Errorf("%s: %v is not in %v", metric, *ch.Relative, *ch.CI)
		}
	}
	few := compared(t, before[:3], after[:3], Options{})
	ch := change(t, few, get, "p50")
	if ch.Significant || !ch.TooFew || !strings.Contains(ch.Note, "at least 5") || ch.CI != nil {
		t.Errorf("3 runs a side: %+v", ch)
	}
	mixed := compared(t, before[:1], after, Options{})
	ch = change(t, mixed, get, "p50")
	if mixed.Method != Untested || ch.P != nil || ch.Note == "" || ch.Relative == nil || len(mixed.Notes) != 1 {
		t.Errorf("one run against several: %+v, notes %q", ch, mixed.Notes)
	}
}
