package report

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"warp/pkg/aggregate"
)

// anyFigure matches a number with its unit, a time, or a length of time.
var anyFigure = regexp.MustCompile(`\b\d[\d.:]*(µs|ms|ns|s|%)?`)

// shape returns the lines of an overview without figures, blank lines, and the number of blanks between columns.
func shape(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(anyFigure.ReplaceAllString(line, "#")), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// TestSampleOfTheGuide: the report that the guide explains is like those that are printed.
func TestSampleOfTheGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/guide/read-a-report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, sample, _ := strings.Cut(string(page), "```text\n")
	sample, _, found := strings.Cut(sample, "```")
	if !found {
		t.Fatal("the guide has no sample")
	}
	s := mixed()
	s.Groups = []*aggregate.Group{s.Groups[1], s.Groups[3], s.Groups[4], s.Groups[2]}
	for i, g := range s.Groups {
		n := 20000
		if i == 1 || i == 2 {
			n = 6000 // too few for p99.9
		}
		g.Latency = spread(n, time.Millisecond, 5*time.Millisecond)
		g.Own.All = spread(n, time.Microsecond, time.Millisecond)
	}
	s.Warnings = nil
	got := shape(textOf(t, s, TextOptions{
		Form: Brief, Location: time.UTC, Verdict: "The client was the limit, not the store", Next: "warp analyze --report=full example.csv.zst",
		Title: &Title{
			Command: "warp mixed", Hosts: []string{"127.0.0.1:9000"}, Bucket: "warp-benchmark-bucket", Shape: []string{"200 objects", "64KiB", "8 threads"},
			Start: began, Length: 9990 * time.Millisecond, Version: "devel",
		},
	}))
	want := shape(sample)
	for i := 0; i < len(want); i++ {
		if strings.HasPrefix(want[i], "Warning: ") {
			want = append(want[:i], want[i+1:]...)
			i--
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("printed:\n%s\n\nin the guide:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, column := range []string{"ops", "op/s", "obj/s", "MiB/s", "p50", "max", "errors", "client"} {
		if !strings.Contains(string(page), "`"+column+"`") {
			t.Errorf("the guide does not explain the column %s", column)
		}
	}
}
