package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/compare"
	"warp/pkg/hist"
	"warp/pkg/observe"
	"warp/pkg/op"
	"warp/pkg/report"
)

// began is when all hand-made runs began.
var began = time.Date(2026, 11, 21, 0, 55, 2, 0, time.UTC)

// spread is a histogram of n values evenly spread from low to high.
func spread(p hist.Precision, n int, low, high time.Duration) *hist.Histogram {
	h := hist.New(p)
	for i := range n {
		h.Record(int64(low) + int64(high-low)*int64(i)/int64(n))
	}
	return h
}

// made is a kind of operations with segments of a length.
func made(kind op.Kind, segments int, length time.Duration, hosts int) *aggregate.Group {
	g := &aggregate.Group{
		Kind: kind, Requests: int64(100 * segments), Considered: int64(100 * segments), First: began, Last: began.Add(time.Duration(segments+1) * length),
		Threads: 4, Clients: []string{"a"}, OpSizes: aggregate.OpSizes{MinObjects: 1, MaxObjects: 1, MinSize: 4096, MaxSize: 4096}, ByHost: make(map[string]*aggregate.Part),
		Window: aggregate.Window{Start: began, End: began.Add(time.Duration(segments) * length)},
		Part:   aggregate.Part{Bytes: float64(4096 * segments), Objects: float64(segments), Ops: float64(segments), Latency: spread(hist.Fine, 10000, time.Millisecond, 2*time.Second)},
	}
	for i := range segments {
		s := aggregate.Segment{Bytes: float64(4096 * (i + 1)), Objects: float64(i + 1), Ended: int64(i + 1), Latency: spread(hist.Coarse, 30+i%40, 500*time.Microsecond, time.Duration(100+i)*time.Millisecond)}
		s.TTFB = s.Latency
		if i%5 == 0 {
			s.Errors, s.ErrorsByClass = 3, map[string]int64{"503 SlowDown": 2, "network: timeout": 1}
		}
		g.Segments = append(g.Segments, s)
	}
	for i := range hosts {
		name := fmt.Sprintf("http://host-%d:9000", i)
		g.Hosts = append(g.Hosts, name)
		g.ByHost[name] = &aggregate.Part{Bytes: 1, Objects: 1, Ops: 1, Total: 100, Latency: g.Latency, Series: g.Segments}
	}
	return g
}

func snapshot(length time.Duration, groups ...*aggregate.Group) *aggregate.Snapshot {
	return &aggregate.Snapshot{Version: aggregate.Version, Segment: length, Groups: groups}
}

var block = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// written returns a page, and its data.
func written(t *testing.T, run Run) (text string, d struct {
	data
	Charts []map[string]any `json:"charts"`
	Client map[string]any   `json:"client"`
},
) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, run); err != nil {
		t.Fatal(err)
	}
	found := block.FindAllSubmatch(b.Bytes(), -1)
	if len(found) != 1 {
		t.Fatalf("%d blocks of data", len(found))
	}
	if err := json.Unmarshal(found[0][1], &d); err != nil {
		t.Fatal(err)
	}
	return b.String(), d
}

// The report in the page is the one that --json prints, but for the samples of the client.
func TestReportIsTheJSONReport(t *testing.T) {
	doc := report.Document{
		WarpVersion: "test", Command: "get", Snapshot: snapshot(time.Second, made(op.Get, 10, time.Second, 2)), Warnings: []string{"careful"},
		Client: map[string]any{"summary": map[string]any{"samples": 3}},
	}
	var printed bytes.Buffer
	if err := report.JSON(&printed, doc); err != nil {
		t.Fatal(err)
	}
	doc.Client = map[string]any{"summary": map[string]any{"samples": 3}, "samples": []int{1, 2, 3}}
	_, d := written(t, Run{Document: doc})
	var want, got any
	if err := json.Unmarshal(printed.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(d.Report, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page has\n%v\nthe JSON report is\n%v", got, want)
	}
}

// Columns of charts equal the time series, row by row.
func TestChartsAreTheTimeSeries(t *testing.T) {
	s := snapshot(time.Second, made(op.Get, 30, time.Second, 0))
	var rows bytes.Buffer
	if err := report.Series(&rows, s, report.TSV, false); err != nil {
		t.Fatal(err)
	}
	_, d := written(t, Run{Document: report.Document{Command: "get", Snapshot: s}})
	lines := strings.Split(strings.TrimSuffix(rows.String(), "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	c := d.Charts[0]
	if n := len(c["ops"].([]any)); n != len(lines)-1 {
		t.Fatalf("%d columns, %d rows", n, len(lines)-1)
	}
	for i, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		for key, name := range map[string]string{"ops": "ops_ended_per_sec", "objects": "objs_per_sec", "p50": "latency_p50_ms", "p99": "latency_p99_ms"} {
			at := slices.Index(names, name)
			if at < 0 {
				t.Fatalf("no column %s in %q", name, names)
			}
			text := ""
			if v := c[key].([]any)[i]; v != nil {
				text = fmt.Sprint(v)
			}
			if text != fields[at] {
				t.Errorf("row %d, %s: the chart has %s, the time series %s", i, key, text, fields[at])
			}
		}
	}
	var drawn float64
	for _, column := range c["heat"].(map[string]any)["cells"].([]any) {
		for _, n := range column.([]any)[1:] {
			drawn += n.(float64)
		}
	}
	var counted int64
	for i := range s.Groups[0].Segments {
		counted += s.Groups[0].Segments[i].Latency.Count()
	}
	if int64(drawn) != counted {
		t.Errorf("the heat map has %v operations, the segments %d", drawn, counted)
	}
}

// Columns that join segments have the percentiles of all their operations.
func TestColumnsMergeExactly(t *testing.T) {
	s := snapshot(time.Second, made(op.Get, 1000, time.Second, 0))
	_, d := written(t, Run{Document: report.Document{Command: "get", Snapshot: s}})
	c := d.Charts[0]
	if n, step := len(c["p50"].([]any)), c["step_s"].(float64); n != 334 || step != 3 {
		t.Fatalf("%d columns of %v s (want 334 of 3 s)", n, step)
	}
	for _, i := range []int{0, 100, 333} {
		all := hist.New(hist.Coarse)
		var bytes float64
		part := s.Groups[0].Segments[3*i : min(3*i+3, 1000)]
		for k := range part {
			all.Merge(part[k].Latency)
			bytes += part[k].Bytes
		}
		p50, _ := all.Percentile(50)
		if got := c["p50"].([]any)[i]; got != float64(p50)/1e6 {
			t.Errorf("column %d: 50%% is %v (want %v)", i, got, float64(p50)/1e6)
		}
		if got, want := c["bytes"].([]any)[i].(float64), bytes/float64(len(part)); got < want-1 || got > want+1 {
			t.Errorf("column %d: %v bytes/s (want %v)", i, got, want)
		}
	}
}

// Nothing that a store sends can become an element or a script.
func TestHostileTexts(t *testing.T) {
	const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(2)>` + "\u2028]]>" + testkit.HostileText
	g := made(op.Get, 5, time.Second, 0)
	g.Errors, g.ErrorsByClass = 1, map[string]int64{hostile: 1}
	g.Segments[0].ErrorsByClass = map[string]int64{hostile: 1}
	g.FirstErrors = []aggregate.ErrorSample{{Time: began, Host: hostile, Key: hostile, Err: hostile}}
	g.ByHost = map[string]*aggregate.Part{hostile: {}, "b" + hostile: {}}
	plain, _ := written(t, Run{Document: report.Document{Command: "get", Snapshot: snapshot(time.Second, made(op.Get, 5, time.Second, 0))}})
	text, d := written(t, Run{Document: report.Document{Command: hostile, Warnings: []string{hostile}, Snapshot: snapshot(time.Second, g)}, Remarks: []string{hostile}, ClientLines: []string{hostile}})
	for _, part := range []string{"<script", "</script", "<img", "<!--"} {
		if a, b := strings.Count(plain, part), strings.Count(text, part); a != b {
			t.Errorf("%s: %d times, %d with hostile texts", part, a, b)
		}
	}
	var r struct {
		Operations []struct {
			First []struct{ Key string } `json:"first_errors"`
		} `json:"operations"`
	}
	if err := json.Unmarshal(d.Report, &r); err != nil || r.Operations[0].First[0].Key != hostile {
		t.Errorf("the key is %q, %v", r.Operations[0].First[0].Key, err)
	}
}

// A day of five kinds on 24 hosts takes less than a megabyte, as does a run of many short phases.
func TestSizeOfAPage(t *testing.T) {
	var day, phases []*aggregate.Group
	for _, kind := range []op.Kind{op.Get, op.Put, op.Stat, op.Delete, op.List} {
		day = append(day, made(kind, 288, 5*time.Minute, 24))
	}
	for i := range 100 {
		g := made(op.Get, 60, time.Second, 0)
		g.Phase = fmt.Sprintf("phase-%d", i)
		phases = append(phases, g)
	}
	samples := make([]observe.Sample, 899)
	for i := range samples {
		samples[i] = observe.Sample{
			Start: began.Add(time.Duration(i) * 96 * time.Second), Seconds: 96, CPU: &observe.CPU{Percent: 100 / float64(i+3)}, Lateness: &observe.Lateness{P99Millis: 1 / float64(i+3)},
			GC: &observe.GC{PauseMillis: 1 / float64(i+7)}, Memory: &observe.Memory{HeapBytes: 123456789}, Network: &observe.Network{SentBytes: 123456789, ReceivedBytes: 98765432}, TCP: &observe.TCP{},
		}
	}
	for name, s := range map[string]*aggregate.Snapshot{"a day": snapshot(5*time.Minute, day...), "many phases": snapshot(time.Second, phases...)} {
		text, _ := written(t, Run{Document: report.Document{Command: "mixed", Snapshot: s}, Samples: samples})
		t.Logf("%s: %d bytes", name, len(text))
		if len(text) > 1<<20 {
			t.Errorf("%s: %d bytes (want at most a megabyte)", name, len(text))
		}
	}
}

func TestComparison(t *testing.T) {
	before, after := snapshot(time.Second, made(op.Get, 20, time.Second, 0)), snapshot(time.Second, made(op.Get, 25, time.Second, 0))
	result, err := compare.Compare([]*aggregate.Snapshot{before}, []*aggregate.Snapshot{after}, compare.Options{Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	doc := report.ComparisonDocument{WarpVersion: "test", Before: []string{"a"}, After: []string{"b"}, Comparison: result}
	var page, printed bytes.Buffer
	if err := WriteComparison(&page, Comparison{Documents: []report.ComparisonDocument{doc}, Sides: []Side{{"before", []*aggregate.Snapshot{before}}, {"after", []*aggregate.Snapshot{after}}}}); err != nil {
		t.Fatal(err)
	}
	if err := report.ComparisonJSON(&printed, doc); err != nil {
		t.Fatal(err)
	}
	var d struct {
		Comparison, Report any
		Sides              []struct{ Charts []any }
	}
	if err := json.Unmarshal(block.FindSubmatch(page.Bytes())[1], &d); err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(printed.Bytes(), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.Comparison, want) || d.Report != nil || len(d.Sides) != 2 || len(d.Sides[0].Charts) != 1 || len(d.Sides[1].Charts) != 1 {
		t.Errorf("the page has %v, and charts %v", d.Comparison, d.Sides)
	}
}

// Eight recordings of a day each fit into a megabyte too.
func TestSizeOfSeveral(t *testing.T) {
	var sides []Side
	var docs []report.ComparisonDocument
	var short []*aggregate.Group
	for i := range 8 {
		var groups []*aggregate.Group
		for _, kind := range []op.Kind{op.Get, op.Put, op.Stat, op.Delete, op.List} {
			groups = append(groups, made(kind, 288-i, 5*time.Minute, 24))
			if i == 0 {
				short = append(short, made(kind, 12, time.Second, 0))
			}
		}
		sides = append(sides, Side{fmt.Sprintf("run-%d", i), []*aggregate.Snapshot{snapshot(5*time.Minute, groups...)}})
	}
	one := []*aggregate.Snapshot{snapshot(time.Second, short...)}
	result, err := compare.Compare(one, one, compare.Options{Confidence: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sides[1:] { // figures of short runs for all: there are as many, and they are computed sooner
		docs = append(docs, report.ComparisonDocument{Before: []string{"run-0"}, After: []string{s.Name}, Comparison: result})
	}
	var page bytes.Buffer
	if err := WriteComparison(&page, Comparison{Documents: docs, Sides: sides}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", page.Len())
	if page.Len() > 1<<20 {
		t.Errorf("%d bytes (want at most a megabyte)", page.Len())
	}
	var d struct {
		Comparison []any
		Sides      []struct{ Charts []any }
	}
	if err := json.Unmarshal(block.FindSubmatch(page.Bytes())[1], &d); err != nil || len(d.Comparison) != 7 || len(d.Sides) != 8 || len(d.Sides[7].Charts) != 5 {
		t.Errorf("%d comparisons, %d sides, %v", len(d.Comparison), len(d.Sides), err)
	}
}

// Operations without latencies, such as reads that all found nothing, have a chart without distributions, which the script relies on.
func TestNoLatencies(t *testing.T) {
	g := made(op.Get, 20, time.Second, 0)
	g.Latency, g.Service, g.TTFB, g.FirstAccess, g.LastAccess = nil, nil, nil, nil, nil
	text, err := json.Marshal(chartOf(g, time.Second, 100))
	if err != nil || !bytes.Contains(text, []byte(`"spectrum":{}`)) {
		t.Errorf("%v: %s", err, text)
	}
}

// A page without figures is one too.
func TestNothingMeasured(t *testing.T) {
	written(t, Run{Document: report.Document{Command: "get"}})
	g := &aggregate.Group{Kind: op.Get, Requests: 1}
	written(t, Run{Document: report.Document{Command: "get", Snapshot: snapshot(time.Second, g)}})
	if err := Write(failing{}, Run{}); err == nil {
		t.Error("no error about a file that cannot be written")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// The policy allows the scripts and the style of the page, and nothing else.
func TestPolicy(t *testing.T) {
	text, _ := written(t, Run{Document: report.Document{Command: "get"}})
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1]
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, m := range regexp.MustCompile(`(?s)<(?:script|script type="module"|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(policy, digest(m[1])) {
			t.Errorf("the policy does not allow %.60q", m[1])
		}
	}
	if !strings.Contains(text, "Permission is hereby granted") {
		t.Error("the licence of the library is missing")
	}
}

// Modules are one script in the page: no name may be there twice at their top, and each is joined.
func TestBundle(t *testing.T) {
	script := bundle()
	seen := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^(?:const|let|function|class|async function) (\w+)`).FindAllStringSubmatch(script, -1) {
		if seen[m[1]] {
			t.Errorf("%s is there twice", m[1])
		}
		seen[m[1]] = true
	}
	if m := regexp.MustCompile(`(?m)^(import|export)\b.*`).FindString(script); m != "" {
		t.Errorf("not joined: %q", m)
	}
	entries, err := os.ReadDir("web")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".js") && !strings.Contains(script, strings.SplitN(module(e.Name()), "\n", 2)[0]) {
			t.Errorf("%s is in no page", e.Name())
		}
	}
	for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("} {
		if strings.Contains(script, forbidden) {
			t.Errorf("%s could make elements of texts", forbidden)
		}
	}
}
