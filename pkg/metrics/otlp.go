package metrics

import (
	"encoding/json"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// The messages of OTLP/HTTP as JSON, as far as totals need them. Integers of 64 bits are texts.
type (
	otlpRequest struct {
		Resource []otlpResource `json:"resourceMetrics"`
	}
	otlpResource struct {
		Resource struct {
			Attributes []otlpAttribute `json:"attributes"`
		} `json:"resource"`
		Scopes []otlpScope `json:"scopeMetrics"`
	}
	otlpScope struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version,omitempty"`
		} `json:"scope"`
		Metrics []otlpMetric `json:"metrics"`
	}
	otlpMetric struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitempty"`
		Unit        string         `json:"unit,omitempty"`
		Sum         *otlpSum       `json:"sum,omitempty"`
		Gauge       *otlpGauge     `json:"gauge,omitempty"`
		Histogram   *otlpHistogram `json:"exponentialHistogram,omitempty"`
	}
	otlpSum struct {
		Temporality int          `json:"aggregationTemporality"`
		Monotonic   bool         `json:"isMonotonic"`
		Points      []otlpNumber `json:"dataPoints"`
	}
	otlpGauge struct {
		Points []otlpNumber `json:"dataPoints"`
	}
	otlpHistogram struct {
		Temporality int               `json:"aggregationTemporality"`
		Points      []otlpExponential `json:"dataPoints"`
	}
	otlpPoint struct {
		Attributes []otlpAttribute `json:"attributes"`
		Start      string          `json:"startTimeUnixNano,omitempty"`
		Time       string          `json:"timeUnixNano"`
	}
	otlpNumber struct {
		otlpPoint
		Value float64 `json:"asDouble"`
	}
	otlpExponential struct {
		otlpPoint
		Count     string      `json:"count"`
		Sum       float64     `json:"sum"`
		Scale     int32       `json:"scale"`
		ZeroCount string      `json:"zeroCount"`
		Positive  otlpBuckets `json:"positive"`
	}
	otlpBuckets struct {
		Offset int      `json:"offset"`
		Counts []string `json:"bucketCounts"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		Text string `json:"stringValue"`
	}
)

// cumulative is the temporality of totals.
const cumulative = 2

// otlp returns metrics as a message of OTLP.
func otlp(families []*dto.MetricFamily, about About, now time.Time) ([]byte, error) {
	var r otlpResource
	for _, a := range [][2]string{{"service.name", "warp"}, {"service.version", about.Version}, {"service.instance.id", about.ID}, {"host.name", about.Hostname}} {
		r.Resource.Attributes = append(r.Resource.Attributes, otlpAttribute{a[0], otlpValue{a[1]}})
	}
	var s otlpScope
	s.Scope.Name, s.Scope.Version = "warp", about.Version
	for _, f := range families {
		s.Metrics = append(s.Metrics, otlpOf(f, about, now))
	}
	r.Scopes = []otlpScope{s}
	return json.Marshal(otlpRequest{[]otlpResource{r}})
}

func otlpOf(f *dto.MetricFamily, about About, now time.Time) otlpMetric {
	m := otlpMetric{Name: f.GetName(), Description: f.GetHelp()}
	var numbers []otlpNumber
	var histograms []otlpExponential
	for _, one := range f.Metric {
		at := otlpPoint{Attributes: []otlpAttribute{}, Time: nanoseconds(now)}
		for _, l := range one.Label {
			at.Attributes = append(at.Attributes, otlpAttribute{l.GetName(), otlpValue{l.GetValue()}})
		}
		if f.GetType() != dto.MetricType_GAUGE {
			at.Start = nanoseconds(about.Start)
		}
		if h := one.Histogram; h != nil {
			histograms = append(histograms, otlpExponential{
				otlpPoint: at, Count: strconv.FormatUint(h.GetSampleCount(), 10), Sum: h.GetSampleSum(), Scale: h.GetSchema(), ZeroCount: strconv.FormatUint(h.GetZeroCount(), 10), Positive: otlpBucketsOf(h),
			})
			continue
		}
		numbers = append(numbers, otlpNumber{at, valueOf(one)})
	}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		m.Sum = &otlpSum{cumulative, true, numbers}
	case dto.MetricType_HISTOGRAM:
		m.Unit, m.Histogram = "s", &otlpHistogram{cumulative, histograms}
	default:
		m.Gauge = &otlpGauge{numbers}
	}
	return m
}

// otlpBucketsOf returns buckets without gaps. An index of OTLP names the lower bound of a bucket, one of Prometheus the upper.
func otlpBucketsOf(h *dto.Histogram) otlpBuckets {
	b := otlpBuckets{Counts: []string{}}
	next, count := 0, int64(0)
	deltas := h.PositiveDelta
	for i, s := range h.PositiveSpan {
		if i == 0 {
			b.Offset = int(s.GetOffset()) - 1
			next = b.Offset
		} else {
			for range s.GetOffset() {
				b.Counts = append(b.Counts, "0")
				next++
			}
		}
		for range s.GetLength() {
			count += deltas[0]
			deltas = deltas[1:]
			b.Counts = append(b.Counts, strconv.FormatInt(count, 10))
			next++
		}
	}
	return b
}

// valueOf returns the value of a counter, a gauge or what has no type.
func valueOf(m *dto.Metric) float64 {
	switch {
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	}
	return m.Untyped.GetValue()
}

func nanoseconds(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }
