package aggregate

import (
	"math"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
)

// SizeClass is the operations whose bytes lie in [From, To).
type SizeClass struct {
	From       int64           `json:"from"`
	To         int64           `json:"to"`
	Requests   int64           `json:"requests"`
	Bytes      int64           `json:"bytes"`
	Latency    *hist.Histogram `json:"latency"`
	TTFB       *hist.Histogram `json:"ttfb,omitempty"`
	Throughput *hist.Histogram `json:"throughput"` // bytes per second of single requests; those that took no time have none
}

// minClassShare is the minimum share of requests in a displayed size class.
const minClassShare = 0.05

// sizeBounds are the lower bounds of the fine size classes: factors of ten with binary units (0, 10, 100, 1 KiB, 10
// KiB, ... 100 PiB); sizeBounds[i+1] is the upper bound of class i.
var sizeBounds = func() []int64 {
	b := []int64{0, 10, 100}
	for unit := int64(1 << 10); unit <= 1<<50; unit <<= 10 {
		b = append(b, unit, 10*unit, 100*unit)
	}
	return append(b, math.MaxInt64)
}()

// sizeClass returns the index of the fine class that contains n bytes.
func sizeClass(n int64) int {
	i := 0
	for n >= sizeBounds[i+1] && i+2 < len(sizeBounds) {
		i++
	}
	return i
}

// SizeFrom returns the lower bound of the fine size class that contains n bytes. Each class of Group.Classes joins some of these.
func SizeFrom(n int64) int64 { return sizeBounds[sizeClass(n)] }

func newSizeClass(i int) *SizeClass {
	return &SizeClass{From: sizeBounds[i], To: sizeBounds[i+1], Latency: hist.New(hist.Fine), Throughput: hist.New(hist.Fine)}
}

// add counts one considered request.
func (c *SizeClass) add(r *decode.Record) {
	c.Requests++
	c.Bytes += r.Bytes
	c.Latency.Record(r.Latency)
	if r.HasTTFB {
		hist.RecordIn(&c.TTFB, hist.Fine, r.TTFB)
	}
	if d := r.End - r.Start; d > 0 {
		c.Throughput.Record(int64(min(float64(r.Bytes)/float64(d)*1e9, float64(hist.MaxValue))))
	}
}

// merge adds o, whose range may differ: the class then spans both.
func (c *SizeClass) merge(o *SizeClass) {
	c.From, c.To = min(c.From, o.From), max(c.To, o.To)
	c.Requests += o.Requests
	c.Bytes += o.Bytes
	c.Latency = hist.Join(c.Latency, o.Latency)
	c.TTFB = hist.Join(c.TTFB, o.TTFB)
	c.Throughput = hist.Join(c.Throughput, o.Throughput)
}

// mergeSizes adds the fine classes of b to a, both in ascending order.
func mergeSizes(a, b []SizeClass) []SizeClass {
	out := make([]SizeClass, 0, max(len(a), len(b)))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].From < b[0].From:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || b[0].From < a[0].From:
			c := SizeClass{From: b[0].From, To: b[0].To}
			c.merge(&b[0])
			out, b = append(out, c), b[1:]
		default:
			a[0].merge(&b[0])
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
