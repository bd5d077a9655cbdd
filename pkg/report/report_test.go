package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/op"
)

func TestText(t *testing.T) {
	for name, s := range fixtures() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Text(&out, s, TextOptions{Location: time.UTC}); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, "testdata/"+name+".txt", out.String())
		})
	}
}

func TestTextVerbose(t *testing.T) {
	for name, s := range map[string]*aggregate.Snapshot{"two-hosts": twoHosts(), "failures": failures(), "all-failed": allFailed()} {
		var out bytes.Buffer
		if err := Text(&out, s, TextOptions{Location: time.UTC, Verbose: true}); err != nil {
			t.Fatal(err)
		}
		testkit.Golden(t, "testdata/"+name+".verbose.txt", out.String())
	}
}

func TestTextFolded(t *testing.T) {
	s := twoHosts()
	s.Warnings = mixed().Warnings
	var out bytes.Buffer
	o := TextOptions{Location: time.UTC, Width: 80, Warnings: []string{"a warning of the run\nin two lines"}}
	if err := Text(&out, s, o); err != nil {
		t.Fatal(err)
	}
	testkit.Golden(t, "testdata/folded.txt", out.String())
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestTextColorAddsOnlyEscapes(t *testing.T) {
	t.Setenv("NO_COLOR", "1") // the caller has decided already
	for name, s := range fixtures() {
		for _, width := range []int{0, 80} {
			var plain, colored bytes.Buffer
			if err := Text(&plain, s, TextOptions{Location: time.UTC, Width: width}); err != nil {
				t.Fatal(err)
			}
			if err := Text(&colored, s, TextOptions{Location: time.UTC, Width: width, Color: true}); err != nil {
				t.Fatal(err)
			}
			if bytes.ContainsRune(plain.Bytes(), 0x1b) {
				t.Errorf("%s: escapes without Color", name)
			}
			if len(s.Groups) > 0 && !escape.Match(colored.Bytes()) {
				t.Errorf("%s: no colour with Color", name)
			}
			if got := escape.ReplaceAll(colored.Bytes(), nil); !bytes.Equal(got, plain.Bytes()) {
				t.Errorf("%s: colour changes the text:\n%s", name, got)
			}
		}
	}
}

// impossible are figures that a report must never show.
var impossible = regexp.MustCompile(`NaN|Inf|%!|\b0s\b`)

func TestTextShowsNoImpossibleFigure(t *testing.T) {
	for name, s := range fixtures() {
		var out bytes.Buffer
		if err := Text(&out, s, TextOptions{Location: time.UTC, Verbose: true}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if name == "one-operation" {
				line = strings.ReplaceAll(line, "StdDev: 0s", "") // of one value, exactly
			}
			if m := impossible.FindString(line); m != "" {
				t.Errorf("%s: %q in %q", name, m, line)
			}
		}
	}
}

func document(s *aggregate.Snapshot) Document {
	return Document{
		WarpVersion: "1.0.0", Command: "get", Engine: "lean", Plan: json.RawMessage(`{"seed":7}`),
		Environment: json.RawMessage(`{"hostname":"client","os":"linux","arch":"amd64","cpus":8,"go_version":"go1.26.0"}`), Warnings: []string{"of the run"}, Snapshot: s,
	}
}

func TestJSON(t *testing.T) {
	for name, s := range fixtures() {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := JSON(&out, document(s)); err != nil {
				t.Fatal(err)
			}
			var back map[string]any
			if err := json.Unmarshal(out.Bytes(), &back); err != nil {
				t.Fatal(err)
			}
			testkit.Golden(t, "testdata/"+name+".json", out.String())
		})
	}
}

func TestJSONWithoutSnapshot(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, Document{}); err != nil {
		t.Fatal(err)
	}
	const want = `{"version":1,"warp_version":"","command":"","warnings":[],"operations":[]}`
	var got bytes.Buffer
	if err := json.Compact(&got, out.Bytes()); err != nil || got.String() != want {
		t.Errorf("got %s, %v", got.String(), err)
	}
}

func TestJSONRejectsBrokenPlan(t *testing.T) {
	if err := JSON(&bytes.Buffer{}, Document{Plan: json.RawMessage("{")}); err == nil {
		t.Error("no error for a plan that is not JSON")
	}
}

type brokenWriter struct{}

var errDiskFull = errors.New("disk full")

func (brokenWriter) Write([]byte) (int, error) { return 0, errDiskFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	for name, err := range map[string]error{
		"Text": Text(brokenWriter{}, list(), TextOptions{}), "JSON": JSON(brokenWriter{}, document(list())),
	} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestTotalOnlyOfWhatRanTogether(t *testing.T) {
	const length = 10.7 // of the windows, in seconds
	sequence := snapshot(group(op.Put, 100, 1, 1), group(op.Get, 300, 1, 1))
	for _, tt := range []struct {
		name string
		s    *aggregate.Snapshot
		want float64 // operations; 0: no total
	}{
		{"one type", list(), 370},
		{"one type after preparation", twoHosts(), 43560},
		{"several types", mixed(), 10000},
		{"several phases", scenario(), 0},
		{"one after the other", sequence, 0},
		{"preparation", snapshot(preparation()), 0},
		{"nothing", snapshot(), 0},
	} {
		total := totalThroughput(tt.s)
		if total == nil != (tt.want == 0) {
			t.Errorf("%s: total is %v", tt.name, total)
		} else if total != nil && math.Abs(total.Throughput.Ops-tt.want/length) > 1e-6 {
			t.Errorf("%s: %g operations per second, want %g", tt.name, total.Throughput.Ops, tt.want/length)
		}
	}
}

func TestPercentilesOfTooFewSamplesAreLeftOut(t *testing.T) {
	g := group(op.Get, 10, 1000, 1)
	g.Segments[0].Latency = nil
	for _, tt := range []struct {
		samples       int
		p90, p99, far bool
	}{{99, false, false, false}, {100, true, false, false}, {999, true, false, false}, {1000, true, true, false}, {10000, true, true, true}} {
		g.Latency = spread(tt.samples, time.Millisecond, 2*time.Millisecond)
		l := latencyOf(g.Latency)
		if l.P50 == nil || l.P90 != nil != tt.p90 || l.P99 != nil != tt.p99 || l.P999 != nil != tt.far {
			t.Errorf("JSON of %d samples: %+v", tt.samples, l)
		}
		var out bytes.Buffer
		if err := Text(&out, snapshot(g), TextOptions{}); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{" 50%: ": true, " 90%: ": tt.p90, " 99%: ": tt.p99, " 99.9%: ": tt.far} {
			if got := strings.Contains(out.String(), name); got != want {
				t.Errorf("text of %d samples: %q shown is %v, want %v", tt.samples, name, got, want)
			}
		}
		// A throughput reached has enough samples if ten are below it.
		if _, enough := reached(g.Latency, 99); enough != tt.p99 {
			t.Errorf("%d samples: reached by 99 %% is enough: %v", tt.samples, enough)
		}
	}
}

func TestReachedIsSlowSide(t *testing.T) {
	h := hist.New(hist.Fine)
	for i := int64(1); i <= 1000; i++ {
		h.Record(i)
	}
	for p, want := range map[float64]int64{50: 500, 90: 100, 99: 10} {
		if v, _ := reached(h, p); v != want {
			t.Errorf("%g %% reached %d, want %d", p, v, want)
		}
	}
}
