package metrics

import (
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// cumulative is the temporality of totals.
const cumulative = 2

// otlp returns metrics as a message of OTLP, in protobuf: some receivers take no JSON. Numbers of fields are those of
// opentelemetry/proto/metrics/v1.
func otlp(families []*dto.MetricFamily, about About, now time.Time) []byte {
	return field(nil, 1, func(b []byte) []byte {
		b = field(b, 1, func(b []byte) []byte {
			for _, a := range [][2]string{{"service.name", "warp"}, {"service.version", about.Version}, {"service.instance.id", about.ID}, {"host.name", about.Hostname}} {
				b = otlpAttribute(b, 1, a[0], a[1])
			}
			return b
		})
		return field(b, 2, func(b []byte) []byte {
			b = field(b, 1, func(b []byte) []byte { return text(text(b, 1, "warp"), 2, about.Version) })
			for _, f := range families {
				b = field(b, 2, func(b []byte) []byte { return otlpMetric(b, f, about.Start, now) })
			}
			return b
		})
	})
}

// otlpMetric writes a metric: a sum, an exponential histogram or a gauge.
func otlpMetric(b []byte, f *dto.MetricFamily, start, now time.Time) []byte {
	b = text(text(b, 1, f.GetName()), 2, f.GetHelp())
	points := func(b []byte) []byte {
		for _, m := range f.Metric {
			b = field(b, 1, func(b []byte) []byte {
				if m.Histogram != nil {
					return otlpHistogram(b, m, start, now)
				}
				return otlpNumber(b, m, f.GetType(), start, now)
			})
		}
		return b
	}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		return field(b, 7, func(b []byte) []byte { return number(number(points(b), 2, cumulative), 3, protowire.EncodeBool(true)) })
	case dto.MetricType_HISTOGRAM:
		return field(text(b, 3, "s"), 10, func(b []byte) []byte { return number(points(b), 2, cumulative) })
	}
	return field(b, 5, points)
}

// otlpNumber writes a data point. Gauges have no start.
func otlpNumber(b []byte, m *dto.Metric, t dto.MetricType, start, now time.Time) []byte {
	if t != dto.MetricType_GAUGE {
		b = fixed(b, 2, uint64(start.UnixNano()))
	}
	b = double(fixed(b, 3, uint64(now.UnixNano())), 4, valueOf(m))
	for _, l := range m.Label {
		b = otlpAttribute(b, 7, l.GetName(), l.GetValue())
	}
	return b
}

// otlpHistogram writes a data point of an exponential histogram.
func otlpHistogram(b []byte, m *dto.Metric, start, now time.Time) []byte {
	h := m.Histogram
	for _, l := range m.Label {
		b = otlpAttribute(b, 1, l.GetName(), l.GetValue())
	}
	b = fixed(fixed(b, 2, uint64(start.UnixNano())), 3, uint64(now.UnixNano()))
	b = double(fixed(b, 4, h.GetSampleCount()), 5, h.GetSampleSum())
	b = fixed(number(b, 6, protowire.EncodeZigZag(int64(h.GetSchema()))), 7, h.GetZeroCount())
	return field(b, 8, func(b []byte) []byte { return otlpBuckets(b, h) })
}

// otlpBuckets writes buckets without gaps. An index of OTLP names the lower bound of a bucket, one of Prometheus the upper.
func otlpBuckets(b []byte, h *dto.Histogram) []byte {
	var counts []byte
	count, deltas := int64(0), h.PositiveDelta
	for i, s := range h.PositiveSpan {
		if i == 0 {
			b = number(b, 1, protowire.EncodeZigZag(int64(s.GetOffset())-1))
		} else {
			counts = append(counts, make([]byte, s.GetOffset())...) // zeroes
		}
		for range s.GetLength() {
			count += deltas[0]
			deltas = deltas[1:]
			counts = protowire.AppendVarint(counts, uint64(count))
		}
	}
	return protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), counts)
}

func otlpAttribute(b []byte, n protowire.Number, key, value string) []byte {
	return field(b, n, func(b []byte) []byte {
		return field(text(b, 1, key), 2, func(b []byte) []byte { return text(b, 1, value) })
	})
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
