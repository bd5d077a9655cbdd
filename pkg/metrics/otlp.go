package metrics

import (
	"time"

	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// cumulative is the temporality of totals.
const cumulative = 2

// otlpRequest returns metrics as a message of OTLP, in protobuf: some receivers take no JSON. Numbers of fields are from
// opentelemetry/proto/metrics/v1.
func otlpRequest(families []*dto.MetricFamily, about About, now time.Time) []byte {
	return appendMessage(nil, 1, func(b []byte) []byte {
		b = appendMessage(b, 1, func(b []byte) []byte {
			for _, a := range [][2]string{
				{"service.name", "warp"},
				{"service.version", about.Version},
				{"service.instance.id", about.ID},
				{"host.name", about.Hostname},
			} {
				b = appendOTLPAttribute(b, 1, a[0], a[1])
			}
			return b
		})
		return appendMessage(b, 2, func(b []byte) []byte {
			b = appendMessage(b, 1, func(b []byte) []byte { return appendString(appendString(b, 1, "warp"), 2, about.Version) })
			for _, f := range families {
				b = appendMessage(b, 2, func(b []byte) []byte { return appendOTLPMetric(b, f, about.Start, now) })
			}
			return b
		})
	})
}

// appendOTLPMetric appends a metric: a sum, an exponential histogram or a gauge.
func appendOTLPMetric(b []byte, f *dto.MetricFamily, start, now time.Time) []byte {
	b = appendString(appendString(b, 1, f.GetName()), 2, f.GetHelp())
	points := func(b []byte) []byte {
		for _, m := range f.Metric {
			b = appendMessage(b, 1, func(b []byte) []byte {
				if m.Histogram != nil {
					return appendOTLPHistogram(b, m, start, now)
				}
				return appendOTLPNumber(b, m, f.GetType(), start, now)
			})
		}
		return b
	}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		return appendMessage(b, 7, func(b []byte) []byte {
			return appendVarint(appendVarint(points(b), 2, cumulative), 3, protowire.EncodeBool(true))
		})
	case dto.MetricType_HISTOGRAM:
		return appendMessage(appendString(b, 3, "s"), 10, func(b []byte) []byte { return appendVarint(points(b), 2, cumulative) })
	}
	return appendMessage(b, 5, points)
}

// appendOTLPNumber appends a data point. Gauges have no start.
func appendOTLPNumber(b []byte, m *dto.Metric, t dto.MetricType, start, now time.Time) []byte {
	if t != dto.MetricType_GAUGE {
		b = appendFixed64(b, 2, uint64(start.UnixNano()))
	}
	b = appendDouble(appendFixed64(b, 3, uint64(now.UnixNano())), 4, valueOf(m))
	return appendOTLPLabels(b, 7, m)
}

// appendOTLPHistogram appends a data point of an exponential histogram.
func appendOTLPHistogram(b []byte, m *dto.Metric, start, now time.Time) []byte {
	h := m.Histogram
	b = appendOTLPLabels(b, 1, m)
	b = appendFixed64(appendFixed64(b, 2, uint64(start.UnixNano())), 3, uint64(now.UnixNano()))
	b = appendDouble(appendFixed64(b, 4, h.GetSampleCount()), 5, h.GetSampleSum())
	b = appendFixed64(appendZigZag(b, 6, int64(h.GetSchema())), 7, h.GetZeroCount())
	return appendMessage(b, 8, func(b []byte) []byte { return appendOTLPBuckets(b, h) })
}

// appendOTLPBuckets appends buckets without gaps. An index of OTLP names the lower bound of a bucket, one of Prometheus the upper.
func appendOTLPBuckets(b []byte, h *dto.Histogram) []byte {
	var counts []byte
	count, deltas := int64(0), h.PositiveDelta
	for i, s := range h.PositiveSpan {
		if i == 0 {
			b = appendZigZag(b, 1, int64(s.GetOffset())-1)
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

func appendOTLPLabels(b []byte, n protowire.Number, m *dto.Metric) []byte {
	for _, l := range m.Label {
		b = appendOTLPAttribute(b, n, l.GetName(), l.GetValue())
	}
	return b
}

func appendOTLPAttribute(b []byte, n protowire.Number, key, value string) []byte {
	return appendMessage(b, n, func(b []byte) []byte {
		return appendMessage(appendString(b, 1, key), 2, func(b []byte) []byte { return appendString(b, 1, value) })
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
