package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/hist"
)

// written returns a time series of a snapshot.
func written(t *testing.T, s *aggregate.Snapshot, format SeriesFormat, perHost bool) string {
	t.Helper()
	var out bytes.Buffer
	if err := Series(&out, s, format, perHost); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSeries(t *testing.T) {
	for name, s := range fixtures() {
		for _, perHost := range []bool{false, true} {
			part := ""
			if perHost {
				part = ".hosts"
			}
			text := written(t, s, TSV, perHost)
			if name == "two-hosts" || !perHost && (name == "list" || name == "huge" || name == "mixed" || name == "scenario") {
				testkit.Golden(t, "testdata/"+name+part+".tsv", text)
			}
			if name == "two-hosts" && perHost {
				testkit.Golden(t, "testdata/"+name+part+".csv", written(t, s, CSV, perHost))
				testkit.Golden(t, "testdata/"+name+part+".jsonl", written(t, s, JSONLines, perHost))
			}
			for line := range strings.Lines(text) {
				if n := strings.Count(line, "\t"); n != len(seriesColumns())-1 {
					t.Errorf("%s: %d tabs in %q", name, n, line)
				}
			}
		}
	}
}

// The columns of MinIO warp come first, then those that have been there before, whose places do not change.
// works: MinIO warp: `--analyze.out=FILE` writes a time series of 16 columns
func TestColumnsOfSeriesKeepTheirPlaces(t *testing.T) {
	before := strings.Fields("index op host duration_s objects_per_op bytes full_ops partial_ops ops_started ops_ended errors mb_per_sec " +
		"ops_ended_per_sec objs_per_sec start_time end_time latency_p50_ms latency_p99_ms errors_by_class")
	if got := seriesColumns()[:len(before)]; !reflect.DeepEqual(got, before) {
		t.Errorf("columns are %q, want %q", got, before)
	}
}

// TestTablesHaveNoFormulas: no text of a table is a formula in a spreadsheet. Numbers stay numbers, and JSON has texts as they are.
func TestTablesHaveNoFormulas(t *testing.T) {
	s := twoHosts()
	g := s.Groups[len(s.Groups)-1]
	g.Phase, g.Kind = "@SUM(1)", "-GET"
	g.Segments[0].ErrorsByClass = map[string]int64{"=1+1": 2}
	g.Segments[0].Errors = 2
	for format, comma := range map[SeriesFormat]rune{TSV: '\t', CSV: ','} {
		text := written(t, s, format, false)
		for _, want := range []string{"'@SUM(1)", "'-GET", "'=1+1=2"} {
			if !strings.Contains(text, string(comma)+want+string(comma)) {
				t.Errorf("%s: no cell %s in\n%s", format, want, text)
			}
		}
	}
	if got := (&seriesRow{Index: -1, MiB: -2.5}).cells(); got[0] != "-1" || !slices.Contains(got, "-2.5") {
		t.Errorf("numbers became texts: %q", got)
	}
	if text := written(t, s, JSONLines, false); !strings.Contains(text, `"op":"-GET"`) || !strings.Contains(text, `"phase":"@SUM(1)"`) {
		t.Errorf("JSON has other texts: %s", text)
	}
	for text, want := range map[string]string{
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", " =1": "' =1", "\uff1d1": "'\uff1d1",
		"": "", "GET": "GET", "a=b": "a=b", "503 x": "503 x", "'": "'", "\"": "\"",
	} {
		if got := tableText(text); got != want {
			t.Errorf("%q: cell %q, want %q", text, got, want)
		}
	}
}

// All formats have the same rows.
func TestFormatsOfSeriesAgree(t *testing.T) {
	s := twoHosts()
	segment := &s.Groups[len(s.Groups)-1].Segments[0]
	segment.Errors, segment.ErrorsByClass = 3, map[string]int64{`503 "slow, down"`: 2, "timeout": 1}
	segment.TTFB = spread(20_000, time.Microsecond, 20*time.Millisecond)
	rows := func(format SeriesFormat, comma rune) [][]string {
		r := csv.NewReader(strings.NewReader(written(t, s, format, true)))
		r.Comma = comma
		list, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	tabs, commas := rows(TSV, '\t'), rows(CSV, ',')
	if !reflect.DeepEqual(tabs, commas) {
		t.Errorf("rows with tabs are\n%q\nwith commas\n%q", tabs, commas)
	}
	lines := strings.Split(strings.TrimSuffix(written(t, s, JSONLines, true), "\n"), "\n")
	if len(lines) != len(tabs)-1 {
		t.Fatalf("%d lines, %d rows", len(lines), len(tabs)-1)
	}
	for i, line := range lines {
		var row seriesRow
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if got := row.cells(); !reflect.DeepEqual(got, tabs[i+1]) {
			t.Errorf("line %d is\n%q\nwant\n%q", i, got, tabs[i+1])
		}
	}
}

// Percentiles cover the operations, the longest time is exact, and what has too few samples is empty.
func TestSeriesHasPercentiles(t *testing.T) {
	g := group("GET", 100, 1, 1)
	seg := &g.Segments[0]
	seg.Latency, seg.TTFB = hist.New(hist.Coarse), hist.New(hist.Coarse)
	for i := range int64(20_000) {
		seg.Latency.Record((i + 1) * int64(time.Microsecond))
		if i < 150 {
			seg.TTFB.Record((i + 1) * int64(time.Millisecond))
		}
	}
	row := seriesRowOf(g, "", seg, 0, time.Second)
	for _, tt := range []struct {
		name string
		got  *float64
		want float64 // 0: too few
	}{
		{"latency_p50_ms", row.P50, 10},
		{"latency_p90_ms", row.P90, 18},
		{"latency_p99_ms", row.P99, 19.8},
		{"latency_p99_9_ms", row.P999, 19.98},
		{"ttfb_p50_ms", row.TTFB50, 75},
		{"ttfb_p90_ms", row.TTFB90, 135},
		{"ttfb_p99_ms", row.TTFB99, 0},
		{"ttfb_p99_9_ms", row.TTFB999, 0},
	} {
		switch {
		case (tt.got != nil) != (tt.want > 0):
			t.Errorf("%s is there: %v", tt.name, tt.got != nil)
		case tt.got != nil && math.Abs(*tt.got-tt.want) > tt.want/100:
			t.Errorf("%s is %v, want %v", tt.name, *tt.got, tt.want)
		}
	}
	if *row.Max != 20 || *row.TTFBMax != 150 {
		t.Errorf("the longest are %v and %v, want 20 and 150", *row.Max, *row.TTFBMax)
	}
	empty := seriesRowOf(g, "", &aggregate.Segment{}, 0, time.Second)
	if empty.P50 != nil || empty.Max != nil || empty.TTFB50 != nil || empty.TTFBMax != nil {
		t.Errorf("times of no operation: %+v", empty)
	}
}

func TestSeriesOfOneHostHasNoRowsByHost(t *testing.T) {
	if all, byHost := written(t, list(), TSV, false), written(t, list(), TSV, true); all != byHost {
		t.Error("rows of the only host repeat the rows of all hosts")
	}
}

func TestSeriesFormatOf(t *testing.T) {
	for path, want := range map[string]SeriesFormat{
		"a.tsv": TSV, "a.csv": CSV, "b.d/a.JSONL": JSONLines, "series": TSV, "/dev/null": TSV, "-": TSV,
		"a.json": "", "a.csv.zst": "", "a.txt": "", "a.": "",
	} {
		if f, ok := SeriesFormatOf(path); f != want || ok != (want != "") {
			t.Errorf("%s: format %q, %v (want %q)", path, f, ok, want)
		}
	}
}

// A full disk is reported, however many rows fit into buffers.
func TestSeriesReportsThatTheDiskIsFull(t *testing.T) {
	g := group("GET", 100, 1, 1)
	for len(g.Segments) < 1000 {
		g.Segments = append(g.Segments, g.Segments[0])
	}
	for _, s := range []*aggregate.Snapshot{list(), snapshot(g)} {
		for _, format := range []SeriesFormat{TSV, CSV, JSONLines} {
			if err := Series(brokenWriter{}, s, format, false); !errors.Is(err, errDiskFull) {
				t.Errorf("%s: error is %v", format, err)
			}
		}
	}
}
