package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"

	"warp/pkg/aggregate/live"
	"warp/pkg/hist"
	"warp/pkg/observe"
)

// times is a histogram of n random values, which are returned in ascending order.
func times(n int) (*hist.Histogram, []int64) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	h := hist.New(hist.Fine)
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(rng.ExpFloat64() * 5e6)
		h.Record(list[i])
	}
	slices.Sort(list)
	return h, list
}

func figures(hosts int) Figures {
	latency, _ := times(1000)
	c := live.Count{
		Kind: "GET", Requests: 1010, Errors: 10, Resent: 7, Ops: 1000, Bytes: 4096 * 1000, Objects: 1000, Busy: 5 * time.Second, Latency: latency,
		ErrorsByClass: map[string]int64{"503 SlowDown": 9, "timeout": 1},
	}
	for i := range hosts {
		c.Responses = append(c.Responses, live.Response{Host: fmt.Sprintf("http://h%d:1", i), Status: 200, Ops: 10, Bytes: 40960}, live.Response{Host: fmt.Sprintf("http://h%d:1", i), Ops: 1})
	}
	c.Own.All, c.Own.Late = hist.New(hist.Coarse), hist.New(hist.Coarse)
	for i, v := range []time.Duration{20 * time.Microsecond, 70 * time.Microsecond, 3 * time.Millisecond} {
		c.Own.All.Record(int64(v))
		if i < 2 {
			c.Own.Late.Record(int64(v))
		}
	}
	prepare := live.Count{Phase: "prepare", Kind: "PUT", Requests: 5, Ops: 5, Objects: 5, Latency: hist.New(hist.Fine)}
	return Figures{
		Counts: []live.Count{prepare, c}, InFlight: 3.5, Phase: "read", PhaseStart: time.Unix(1000, 0), Command: "get", Version: "devel", Store: "azure",
		Samples: []observe.Sample{{CPU: &observe.CPU{Percent: 40}, Lateness: &observe.Lateness{P99Millis: 0.5}}},
	}
}

// gathered returns the metrics of a family by their labels.
func gathered(t *testing.T, f Figures) map[string]map[string]*dto.Metric {
	t.Helper()
	families, err := Registry(NewCollector(func() Figures { return f })).Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]map[string]*dto.Metric)
	for _, family := range families {
		all[family.GetName()] = make(map[string]*dto.Metric)
		for _, m := range family.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			all[family.GetName()][strings.Join(labels, " ")] = m
		}
	}
	return all
}

func TestMetrics(t *testing.T) {
	all := gathered(t, figures(2))
	for name, want := range map[string]float64{
		"warp_requests_total host=http://h0:1 op=GET stage=benchmark status=200": 10, "warp_requests_total host=http://h1:1 op=GET stage=benchmark status=none": 1,
		"warp_bytes_total host=http://h1:1 op=GET stage=benchmark": 40960, "warp_errors_total class=503 SlowDown op=GET stage=benchmark": 9,
		"warp_objects_total op=PUT stage=prepare": 5, "warp_busy_seconds_total op=GET stage=benchmark": 5, "warp_late_total op=GET stage=benchmark": 0, "warp_resent_total op=GET stage=benchmark": 7,
		"warp_inflight ": 3.5, "warp_phase_info phase=read": 1, "warp_phase_start_timestamp_seconds ": 1000, "warp_build_info command=get store=azure version=devel": 1,
		"warp_client_cpu_ratio ": 0.4, "warp_client_lateness_p99_seconds ": 0.0005, "warp_client_limited ": 0,
	} {
		family, labels, _ := strings.Cut(name, " ")
		m := all[family][labels]
		if m == nil {
			t.Errorf("no %s; there are %v", name, all[family])
			continue
		}
		if v := m.GetGauge().GetValue() + m.GetCounter().GetValue(); v != want {
			t.Errorf("%s: %v, want %v", name, v, want)
		}
	}
	for name, want := range map[string]uint64{"warp_own_seconds": 3, "warp_own_late_seconds": 2} {
		if m := all[name]; len(m) != 1 || m["op=GET stage=benchmark"].GetHistogram().GetSampleCount() != want {
			t.Errorf("%s: %v", name, m)
		} else if b := m["op=GET stage=benchmark"].GetHistogram().Bucket[1]; b.GetUpperBound() != 25e-6 || b.GetCumulativeCount() != 1 {
			t.Errorf("%s: %v up to 25 µs", name, b)
		}
	}
	problems, err := testutil.CollectAndLint(NewCollector(func() Figures { return figures(1) }))
	for _, p := range problems {
		if !strings.HasSuffix(p.Metric, "_info") && p.Metric != "warp_inflight" {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// TestHostsAreLimited: beyond some hosts, one series covers all others; nothing gets lost.
func TestHostsAreLimited(t *testing.T) {
	all := gathered(t, figures(100))
	series := all["warp_requests_total"]
	if len(series) != 2*(maxHosts+1) {
		t.Errorf("%d series", len(series))
	}
	if n := series["host=other op=GET stage=benchmark status=200"].GetCounter().GetValue(); n != 10*(100-maxHosts) {
		t.Errorf("%v requests of other hosts", n)
	}
}

// TestHistograms: both forms count every value, and percentiles of the native one are within its resolution of the exact ones.
func TestHistograms(t *testing.T) {
	latency, values := times(20000)
	f := figures(1)
	f.Counts[1].Latency = latency
	h := gathered(t, f)["warp_response_seconds"]["op=GET stage=benchmark"].GetHistogram()
	if h.GetSampleCount() != 20000 || math.Abs(h.GetSampleSum()-seconds(latency.Sum())) > 1e-9 || h.GetSchema() != schema {
		t.Errorf("%d values, sum %v, schema %d", h.GetSampleCount(), h.GetSampleSum(), h.GetSchema())
	}
	var counts []int64
	var index []int
	next, total := 0, int64(h.GetZeroCount())
	value, span := int64(0), 0
	for _, s := range h.PositiveSpan {
		next += int(s.GetOffset())
		for range s.GetLength() {
			value += h.PositiveDelta[span]
			span++
			counts, index = append(counts, value), append(index, next)
			total += value
			next++
		}
	}
	if total != 20000 || len(counts) > 200 {
		t.Errorf("%d values in %d buckets", total, len(counts))
	}
	for _, p := range []float64{50, 90, 99, 99.9} {
		rank := int64(math.Ceil(p / 100 * 20000))
		exact := float64(values[rank-1]) / 1e9
		seen := int64(h.GetZeroCount())
		for i, n := range counts {
			if seen += n; seen >= rank {
				upper := math.Exp2(float64(index[i]) / 8)
				if exact > upper*1.001 || exact < upper/math.Exp2(1.0/8)/1.001 {
					t.Errorf("p%v is %v, in a bucket up to %v", p, exact, upper)
				}
				break
			}
		}
	}
	for _, b := range h.Bucket {
		want := 0
		for _, v := range values {
			if float64(v)/1e9 <= b.GetUpperBound() {
				want++
			}
		}
		if got := int(b.GetCumulativeCount()); math.Abs(float64(got-want)) > 2+0.002*float64(want) {
			t.Errorf("up to %v: %d, want %d", b.GetUpperBound(), got, want)
		}
	}
}

// TestNothingFalls: as values come in, no count of a bucket falls, of both forms.
func TestNothingFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	h := hist.New(hist.Fine)
	before, classicBefore := map[int]int64{}, make([]uint64, len(bounds))
	for range 50 {
		for range 100 {
			h.Record(int64(rng.ExpFloat64() * 1e8))
		}
		now, _ := exponential(h, schema)
		for i, n := range before {
			if now[i] < n {
				t.Fatalf("bucket %d falls from %d to %d", i, n, now[i])
			}
		}
		before = now
		for i, b := range classic(h, bounds) {
			if b.GetCumulativeCount() < classicBefore[i] {
				t.Fatalf("bucket up to %v falls", b.GetUpperBound())
			}
			classicBefore[i] = b.GetCumulativeCount()
		}
	}
}

func TestHandler(t *testing.T) {
	answer := httptest.NewRecorder()
	Handler(NewCollector(func() Figures { return figures(1) })).ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`warp_requests_total{host="http://h0:1",op="GET",stage="benchmark",status="200"} 10`, `warp_response_seconds_bucket{op="GET",stage="benchmark",le="+Inf"} 1000`, "process_cpu_seconds_total"} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("no %s in\n%.3000s", want, answer.Body)
		}
	}
	own := []string{"cpu_seconds_total", "max_fds", "open_fds", "resident_memory_bytes", "start_time_seconds", "virtual_memory_bytes", "virtual_memory_max_bytes"}
	for line := range strings.Lines(answer.Body.String()) {
		name, found := strings.CutPrefix(strings.Fields(line)[0], "process_")
		if found && !slices.Contains(own, name) {
			t.Errorf("process_%s is there, which may not be of this process alone", name)
		}
	}
}
