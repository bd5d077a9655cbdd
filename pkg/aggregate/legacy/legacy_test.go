package legacy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"warp/internal/testkit"
	"warp/pkg/aggregate"
	"warp/pkg/hist"
)

func read(t testing.TB, text string) *Recording {
	t.Helper()
	a, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestReadAggregatedOfTheEstablishedTool reads a file that it made. The throughput that the file states in addition to its segments
// is another way to the same figures.
func TestReadAggregatedOfTheEstablishedTool(t *testing.T) {
	f, err := os.Open("../../../../shared/recordings/upstream-get.json.zst")
	if err != nil {
		t.Skip("no recordings next to the checkout")
	}
	defer f.Close()
	a, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	s := a.Snapshot
	if len(s.Groups) != 1 || len(s.Totals) != 0 || s.Segment != time.Second || !strings.Contains(a.CommandLine, " get ") || len(s.Warnings) > 0 {
		t.Fatalf("%+v", a)
	}
	g := s.Groups[0]
	if g.Kind != "GET" || g.Requests != 34912 || g.Errors != 0 || g.Threads != 6 || len(g.Hosts) != 1 || len(g.Clients) != 1 ||
		g.MinSize != 16384 || g.MaxSize != 16384 || g.MinObjects != 1 || g.MaxObjects != 1 || g.Considered != 34912 || g.Latency != nil {
		t.Errorf("%+v", g)
	}
	start := time.Date(2026, 11, 21, 4, 29, 10, 0, time.UTC)
	if !g.Window.Start.Equal(start) || !g.Window.End.Equal(start.Add(7*time.Second)) || len(g.Segments) != 7 {
		t.Errorf("window %v with %d segments", g.Window, len(g.Segments))
	}
	testkit.Near(t, "bytes", g.Bytes, 426651089.99371946, 1e-6)
	testkit.Near(t, "objects", g.Objects, 26040.71594199948, 1e-6)
	testkit.Near(t, "operations", g.Ops, 26040.71594199948, 1e-6)
	if fastest, median, slowest, byBytes, ok := g.Rank(); fastest != 2 || median != 3 || slowest != 5 || !byBytes || !ok {
		t.Errorf("ranks %d, %d, %d", fastest, median, slowest)
	}
	testkit.Near(t, "bytes of the host", g.ByHost[g.Hosts[0]].Bytes, 571998208*7/10.002, 1e-6)
	l := g.Approx.Latency
	testkit.Near(t, "average", float64(l.Mean), (32919*1.648259e6+1993*2.856573e6)/34912, 1e-6)
	testkit.Near(t, "99%", float64(l.P99), (32919*5.525073e6+1993*30.144786e6)/34912, 1e-6)
	if l.Requests != 34912 || l.Min != 315339 || l.Max != 131150638 || g.Approx.TTFB.Max != 131124268 {
		t.Errorf("%+v", g.Approx)
	}
	if len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "approximate") {
		t.Errorf("warnings %q", a.Warnings)
	}
}

// TestObjectsOfAggregatedOperations: where operations did not all touch as many objects, it is known between which numbers
// their average lies.
func TestObjectsOfAggregatedOperations(t *testing.T) {
	for _, c := range []struct{ objects, least, most int }{{30, 3, 3}, {38, 3, 4}, {39, 3, 4}, {40, 4, 4}, {1, 1, 1}} {
		g := read(t, fmt.Sprintf(`{"v":2,"final":true,"total":{},"by_op_type":{"LIST":{"total_requests":10,"total_objects":%d}}}`, c.objects)).Snapshot.Groups[0]
		if g.MinObjects != c.least || g.MaxObjects != c.most {
			t.Errorf("%d objects in 10 operations: %d to %d, want %d to %d", c.objects, g.MinObjects, g.MaxObjects, c.least, c.most)
		}
	}
}

const aggregatedOps = `{"v":1,"final":true,"total":{"total_requests":30,"total_objects":120,"throughput":{}},"by_op_type":{
"LIST":{"total_requests":10,"total_objects":100,"total_errors":2,"first_errors":["boom"],"start_time":"2026-01-01T00:00:00Z",
  "throughput":{"segmented":{"segment_duration_millis":1000,"segments":[
    {"start":"2026-01-01T00:00:01Z","obj_per_sec":5,"errors":2},{"start":"2026-01-01T00:00:00Z","obj_per_sec":20}]}},
  "requests_by_client":{"a":[{"single_sized_requests":{"requests":1,"dur_avg_millis":10,"dur_median_millis":8,"fastest_millis":2,"slowest_millis":12,"std_dev_millis":1}}],
    "b":[{},{"single_sized_requests":{"requests":3,"merged_entries":2,"dur_avg_millis":40,"dur_median_millis":8,"fastest_millis":1,"slowest_millis":30,"std_dev_millis":2}}]}},
"GET":{"total_requests":20,"total_objects":20,"total_bytes":4000,"start_time":"2026-01-01T00:00:05Z","clients":["b","a","a"],"hosts":["x","y"],
  "throughput":{"measure_duration_millis":500,"bytes":4000,"objects":20},
  "throughput_by_client":{"a":{"measure_duration_millis":1000,"bytes":5000,"ops":30,"errors":1}},
  "requests_by_client":{"a":[{"multi_sized_requests":{"by_size":[{"min_size":10,"max_size":100,"requests":15,"avg_duration_millis":1,"first_byte":{"average_millis":0.5}},
    {"min_size":101,"max_size":900,"requests":5,"avg_duration_millis":5}]}}]}}}}`

func TestReadAggregated(t *testing.T) {
	a := read(t, aggregatedOps)
	s := a.Snapshot
	if len(s.Groups) != 2 || len(s.Totals) != 1 || s.Groups[0].Kind != "GET" {
		t.Fatalf("%+v", s)
	}
	get, list := s.Groups[0], s.Groups[1]
	if list.Window.Start.Second() != 2 || list.Window.Duration() != 2*time.Second || list.Segments[0].Objects != 20 || list.Segments[1].Errors != 2 ||
		list.Objects != 25 || list.Ops != 2.5 || list.MaxObjects != 10 || list.FirstErrors[0].Err != "boom" {
		t.Errorf("%+v", list)
	}
	// Client b's averages are sums of two entries: 20 ms and a median of 4 ms.
	if l := list.Approx.Latency; l.Requests != 4 || l.Mean != 17500*time.Microsecond || l.P50 != 5*time.Millisecond || l.P99 != 0 || l.Min != time.Millisecond || l.Max != 30*time.Millisecond {
		t.Errorf("%+v", l)
	}
	if !get.Window.Loose || get.Window.Duration() != 500*time.Millisecond || get.Bytes != 4000 || get.BytesPerSec() != 8000 ||
		get.MinSize != 10 || get.MaxSize != 900 || len(get.Clients) != 2 || get.Segments != nil {
		t.Errorf("%+v", get)
	}
	if p := get.ByClient["a"]; p.Bytes != 2500 || p.Ops != 15 || p.Total != 31 || p.Failed != 1 {
		t.Errorf("%+v", p)
	}
	if x := get.Approx; x.Latency.Mean != 2*time.Millisecond || x.Latency.Max != 0 || x.TTFB.Requests != 15 {
		t.Errorf("%+v", x)
	}
	if text := strings.Join(a.Warnings, "\n"); !strings.Contains(text, "LIST: segments") || !strings.Contains(text, "LIST: throughput") || len(a.Warnings) != 4 {
		t.Errorf("warnings:\n%s", text)
	}
	if err := new(aggregate.Snapshot).Merge(s); err == nil || !strings.Contains(err.Error(), "do not merge") {
		t.Errorf("merged: %v", err)
	}
}

// The deviation of all requests follows exactly from the deviations of parts.
func TestApproxTimesDeviation(t *testing.T) {
	h, all, part := hist.New(hist.Fine), aggregate.ApproxTimes{}, hist.New(hist.Fine)
	for i := range int64(3000) {
		v := i * i * 7919 % 90_000_000
		h.Record(v)
		part.Record(v)
		if i%700 == 699 || i == 2999 {
			add(&all, aggregate.ApproxTimes{Requests: part.Count(), Mean: time.Duration(part.Mean()), StdDev: time.Duration(part.StdDev()), Min: time.Duration(part.Min()), Max: time.Duration(part.Max())})
			part.Reset()
		}
	}
	testkit.Near(t, "average", float64(all.Mean), h.Mean(), 1e-6)
	testkit.Near(t, "deviation", float64(all.StdDev), h.StdDev(), 1e-6)
	if all.Requests != h.Count() || all.Min != time.Duration(h.Min()) || all.Max != time.Duration(h.Max()) {
		t.Errorf("%+v", all)
	}
}

func TestReadAggregatedFails(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "unexpected end",
		"idx\tthread":                "invalid character",
		"{}":                         "no operations",
		`{"operations":[{}]}`:        "before 1.1",
		`{"v":2,"by_op_type":{}}`:    "no operations",
		"\x28\xb5\x2f\xfd\x00":       "read aggregated recording",
		`{"v":2,"by_op_type":{"A":5`: "unexpected end",
		`{"by_op_type":{"A":{"throughput":{"segmented":{"segment_duration_millis":1,"segments":[{}]}}},"B":{"throughput":{"segmented":{"segment_duration_millis":2,"segments":[{}]}}}}}`: "one length",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

// FuzzReadAggregated: whatever it is given, what comes out can be shown, copied and written.
func FuzzReadAggregated(f *testing.F) {
	f.Add([]byte(aggregatedOps))
	f.Add([]byte(`{"v":2,"by_op_type":{"GET":{"total_requests":-1,"throughput":{"segmented":{"segment_duration_millis":1e300,"segments":[{"bytes_per_sec":1e308}]}}}}}`))
	if enc, err := zstd.NewWriter(nil); err == nil {
		f.Add(enc.EncodeAll([]byte(aggregatedOps), nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, g := range a.Snapshot.Groups {
			g.Rank()
			g.Classes()
			g.BytesPerSec()
		}
		if _, err := json.Marshal(a.Snapshot); err != nil {
			t.Error(err)
		}
	})
}
