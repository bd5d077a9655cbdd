package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/gate"
	"warp/pkg/op"
)

// title is what a report is about, with long names.
func title() *Title {
	return &Title{
		Command: "warp mixed", Hosts: []string{"store-1.example.com:9000", "store-2.example.com:9000", "store-3.example.com:9000", "store-4:9000"},
		Bucket: "warp-benchmark-bucket", Shape: []string{"2500 objects", "10MiB", "20 threads", "4 clients"},
		Start: began, Length: 5 * time.Minute, Version: "0123456+changes",
	}
}

// kinds are operations of n kinds with large figures, and their total.
func kinds(n int) *aggregate.Snapshot {
	list := []op.Kind{op.Get, op.Put, op.Delete, op.Stat, op.List, op.Copy}
	s := snapshot(preparation())
	for _, kind := range list[:n] {
		g := group(kind, 12345, 1<<20, 1)
		g.Errors = 12345
		g.Own.All = spread(12345, 50*time.Microsecond, 99*time.Millisecond)
		s.Groups = append(s.Groups, g)
	}
	total := group("", 6*12345, 1<<20, 1)
	total.Errors = 6 * 12345
	s.Totals = []*aggregate.Group{total}
	return s
}

// brief prints a brief report.
func brief(t *testing.T, s *aggregate.Snapshot, o TextOptions) string {
	t.Helper()
	o.Form, o.Location, o.Title = Brief, time.UTC, title()
	o.Verdict = "74070 of 740700 operations failed (10.0%). 1 of 3 rules not met. The client was not the limit"
	o.Next = "warp analyze --report=full warp-mixed-2026-11-21-005502-Xk3f.csv.zst"
	return textOf(t, s, o)
}

// textOf prints a report.
func textOf(t *testing.T, s *aggregate.Snapshot, o TextOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := Text(&out, s, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestBriefFitsOnAScreen: a report on up to six kinds fits on 80 x 24 characters, whatever warnings there are.
func TestBriefFitsOnAScreen(t *testing.T) {
	long := strings.Repeat("the client was the limit for a long reason, ", 5)
	for n := 1; n <= 6; n++ {
		for warnings := range 6 {
			o := TextOptions{Width: 80, Expected: []Expectation{{Rule: "GET.p99 < 50ms", Verdict: gate.Broken, Found: "119ms"}}}
			for i := range warnings {
				o.Warnings = append(o.Warnings, fmt.Sprint(long, i))
			}
			text := brief(t, kinds(n), o)
			if lines := strings.Count(text, "\n"); lines > 23 {
				t.Errorf("%d kinds, %d warnings: %d lines", n, warnings, lines)
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && !strings.HasPrefix(line, "warp-") {
					t.Errorf("%d characters: %s", n, line)
				}
			}
			for _, want := range []string{"warp mixed on store-1", "GET", "total", "fastest", "not met", "Next: warp analyze"} {
				if !strings.Contains(text, want) {
					t.Errorf("%d kinds, %d warnings: %q is missing in\n%s", n, warnings, want, text)
				}
			}
			if hidden := warnings > 0 && !strings.Contains(text, "arning"); hidden {
				t.Errorf("%d kinds: the warnings are not mentioned in\n%s", n, text)
			}
		}
	}
	testkit.Golden(t, "testdata/brief.six.txt", brief(t, kinds(6), TextOptions{Width: 80}))
	testkit.Golden(t, "testdata/brief.scenario.txt", brief(t, scenario(), TextOptions{Width: 80, Histogram: true}))
}

// TestSegmentsOfAnOverview: no row says the same twice.
func TestSegmentsOfAnOverview(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "", 2: "fastest slowest", 3: "fastest median slowest"} {
		g := group(op.Get, 100, 4000, 1)
		g.Segments = g.Segments[:n]
		text, got := brief(t, snapshot(g), TextOptions{}), ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "segments of ") {
				got = strings.Join(strings.Fields(strings.ReplaceAll(line, " at", ""))[3:], " ")
			}
		}
		if got != want {
			t.Errorf("%d segments: %q, want %q in\n%s", n, got, want, text)
		}
	}
}

// TestForms: the forms of a report have the overview, the blocks, or both.
func TestForms(t *testing.T) {
	for form, want := range map[Form][2]bool{Brief: {true, false}, Full: {true, true}, "": {true, true}, Classic: {false, true}} {
		var out bytes.Buffer
		if err := Text(&out, mixed(), TextOptions{Form: form, Location: time.UTC, Title: title()}); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if got := [2]bool{strings.Contains(text, "warp mixed on "), strings.Contains(text, "Operation: GET")}; got != want {
			t.Errorf("%q: overview, blocks: %v, want %v", form, got, want)
		}
	}
}

// TestWarningsAreSaidOnce: the details have the warnings that the overview has no place for.
func TestWarningsAreSaidOnce(t *testing.T) {
	var out bytes.Buffer
	o := TextOptions{Location: time.UTC, Warnings: []string{"one", "two", "three", "four", "five"}}
	if err := Text(&out, mixed(), o); err != nil {
		t.Fatal(err)
	}
	for _, w := range append(o.Warnings, mixed().Warnings...) {
		if n := strings.Count(out.String(), "Warning: "+w+"\n"); n != 1 {
			t.Errorf("%q: %d times", w, n)
		}
	}
}
