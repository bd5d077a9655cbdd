package metrics

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/s2"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/encoding/protowire"
)

// writer makes a message of remote write 1.0: time series, each with its labels and one value.
type writer struct {
	message []byte
	about   About
	at      uint64 // ms
}

// remoteWrite returns metrics as a compressed message.
func remoteWrite(families []*dto.MetricFamily, about About, now time.Time) []byte {
	w := writer{about: about, at: uint64(now.UnixMilli())}
	for _, f := range families {
		for _, m := range f.Metric {
			if h := m.Histogram; h != nil {
				w.histogram(f.GetName(), m, h)
				continue
			}
			w.sample(f.GetName(), m, "", valueOf(m))
		}
	}
	return s2.EncodeSnappy(nil, w.message)
}

// histogram adds both forms: collectors that know no native ones have the classic one.
func (w *writer) histogram(name string, m *dto.Metric, h *dto.Histogram) {
	w.series(name, m, "", func(b []byte) []byte {
		return appendMessage(b, 4, func(b []byte) []byte { return w.native(b, h) })
	})
	for _, bucket := range h.Bucket {
		w.sample(name+"_bucket", m, strconv.FormatFloat(bucket.GetUpperBound(), 'g', -1, 64), float64(bucket.GetCumulativeCount()))
	}
	w.sample(name+"_bucket", m, "+Inf", float64(h.GetSampleCount()))
	w.sample(name+"_count", m, "", float64(h.GetSampleCount()))
	w.sample(name+"_sum", m, "", h.GetSampleSum())
}

// sample adds a series with a number; le is the bound of a bucket, or empty.
func (w *writer) sample(name string, m *dto.Metric, le string, v float64) {
	w.series(name, m, le, func(b []byte) []byte {
		return appendMessage(b, 2, func(b []byte) []byte {
			return appendVarint(appendDouble(b, 1, v), 2, w.at)
		})
	})
}

// series adds a series with its labels, which must be in order.
func (w *writer) series(name string, m *dto.Metric, le string, value func([]byte) []byte) {
	labels := [][2]string{{"__name__", name}, {"job", "warp"}, {"instance", w.about.Hostname}, {"run", w.about.ID}}
	for _, l := range m.Label {
		labels = append(labels, [2]string{l.GetName(), l.GetValue()})
	}
	if le != "" {
		labels = append(labels, [2]string{"le", le})
	}
	slices.SortFunc(labels, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	w.message = appendMessage(w.message, 1, func(b []byte) []byte {
		for _, l := range labels {
			b = appendMessage(b, 1, func(b []byte) []byte { return appendString(appendString(b, 1, l[0]), 2, l[1]) })
		}
		return value(b)
	})
}

// native writes a native histogram.
func (w *writer) native(b []byte, h *dto.Histogram) []byte {
	b = appendDouble(appendVarint(b, 1, h.GetSampleCount()), 3, h.GetSampleSum())
	b = appendZigZag(b, 4, int64(h.GetSchema()))
	b = appendVarint(appendDouble(b, 5, h.GetZeroThreshold()), 6, h.GetZeroCount())
	for _, s := range h.PositiveSpan {
		b = appendMessage(b, 11, func(b []byte) []byte {
			return appendVarint(appendZigZag(b, 1, int64(s.GetOffset())), 2, uint64(s.GetLength()))
		})
	}
	b = appendMessage(b, 12, func(b []byte) []byte {
		for _, d := range h.PositiveDelta {
			b = protowire.AppendVarint(b, protowire.EncodeZigZag(d))
		}
		return b
	})
	return appendVarint(b, 15, w.at)
}
