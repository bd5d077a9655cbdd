package aggregate

import (
	"time"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/observe"
	"warp/pkg/op"
)

// OwnPart is the client's own part of the latencies of operations, those that Latency covers: how much later than it was due the client
// sent a request although a worker was idle (OwnLate of op.Op), and how long the last response lay unread in the client's kernel (Unread).
// What a retry spent on attempts before the last is not in it, so it is a lower bound. Operations that stand for several requests, such as
// a multipart upload as a whole, have none: their parts have. Histograms are Coarse.
type OwnPart struct {
	All  *hist.Histogram `json:"all,omitempty"`  // both together, of the operations whose response has a known arrival; nil: not known
	Late *hist.Histogram `json:"late,omitempty"` // how late they were sent, of all operations of an open loop
}

// Record counts an operation that succeeded.
func (p *OwnPart) Record(r *decode.Record) {
	if r.Open || r.Own != decode.Unknown { // inlined, since most recordings have neither
		p.record(r)
	}
}

// record is the part of Record that is not inlined.
func (p *OwnPart) record(r *decode.Record) {
	if r.Open {
		hist.RecordIn(&p.Late, hist.Coarse, r.Late)
	}
	if r.Own != decode.Unknown {
		hist.RecordIn(&p.All, hist.Coarse, r.Own)
	}
}

// Add counts an operation that succeeded.
func (p *OwnPart) Add(o *op.Op) {
	r := decode.Record{Open: !o.Due.IsZero()}
	r.Late, r.Own = decode.OwnPart(o, int64(o.Latency()))
	p.Record(&r)
}

// LatenessKnown reports whether it is known how late requests were sent. Recordings of other programs do not say: as if all were
// punctual to the nanosecond.
func (p *OwnPart) LatenessKnown() bool {
	return p.Late.Count() > 0 && (p.Late.Max() > 0 || p.All.Count() > 0)
}

// Known reports whether anything is known of the client's own part.
func (p *OwnPart) Known() bool { return p.All.Count() > 0 || p.LatenessKnown() }

// Merge adds the own part of other operations.
func (p *OwnPart) Merge(o *OwnPart) {
	p.All, p.Late = hist.Join(p.All, o.All), hist.Join(p.Late, o.Late)
}

// Reset removes all operations, and keeps the memory.
func (p *OwnPart) Reset() {
	for _, h := range []*hist.Histogram{p.All, p.Late} {
		if h != nil {
			h.Reset()
		}
	}
}

// Clone returns an independent copy.
func (p *OwnPart) Clone() OwnPart { return OwnPart{p.All.Clone(), p.Late.Clone()} }

// With returns the own part of both operations; p and o stay as they are.
func (p *OwnPart) With(o OwnPart) OwnPart {
	return OwnPart{hist.Sum(p.All, o.All), hist.Sum(p.Late, o.Late)}
}

// At returns the own part at a percentile, and whether that is all of it: with too few known arrivals it is only how late requests were
// sent, which is less. ok is false if there are too few operations for either.
func (p *OwnPart) At(percentile float64) (own time.Duration, all, ok bool) {
	if v, enough := p.All.Percentile(percentile); enough {
		return time.Duration(v), true, true
	}
	if v, enough := p.Late.Percentile(percentile); enough && p.LatenessKnown() {
		return time.Duration(v), false, true
	}
	return 0, false, false
}

// sharePercentiles are those at which an own part is compared with the latency: the highest for which there are enough operations.
var sharePercentiles = []float64{99, 90, 50}

// Allowed returns the client's own part next to what an objective allows for a percentile, at that percentile or the next lower one for
// which there are enough operations.
func (p *OwnPart) Allowed(name string, percentile float64, limit time.Duration) observe.Share {
	s := observe.Share{Of: name, Percentile: percentile, Latency: limit, Objective: true}
	for _, at := range append([]float64{percentile}, sharePercentiles...) {
		if own, all, ok := p.At(at); ok && at <= percentile {
			s.Percentile, s.Own, s.Measured = at, own, all
			break
		}
	}
	return s
}

// ShareOf returns the client's own part next to the latencies of the same operations, at the highest percentile for which both have enough
// operations, or that of the latencies if nothing is known of the own part; false if there are not even enough for the median.
func ShareOf(name string, latency *hist.Histogram, own *OwnPart) (observe.Share, bool) {
	known := own.Known()
	for _, p := range sharePercentiles {
		l, enough := latency.Percentile(p)
		if !enough {
			continue
		}
		s := observe.Share{Of: name, Percentile: p, Latency: time.Duration(l)}
		ok := !known
		if known {
			s.Own, s.Measured, ok = own.At(p)
		}
		if ok {
			return s, true
		}
	}
	return observe.Share{}, false
}
