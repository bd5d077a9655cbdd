package aggregate

import (
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
)

// Segment is a slice of the window, or what lies outside of all slices.
type Segment struct {
	Bytes   float64         `json:"bytes"`   // shares, as in Part
	Objects float64         `json:"objects"` // shares, as in Part
	Full    int64           `json:"full"`    // operations wholly inside
	Partial int64           `json:"partial"` // operations partly inside
	Started int64           `json:"started"`
	Ended   int64           `json:"ended"`
	Errors  int64           `json:"errors"`            // failed operations that ended in it
	Latency *hist.Histogram `json:"latency,omitempty"` // with Options.SegmentTimes; of operations that started in it (Classic: ended)
	TTFB    *hist.Histogram `json:"ttfb,omitempty"`    // likewise, of operations with a first byte; nil if there are none

	ErrorsByClass map[string]int64 `json:"errors_by_class,omitempty"` // of Errors
}

// parted is where operations are shared out in time: segments, and what lies outside of them.
type parted struct {
	segments []Segment
	outside  *Segment
	times    bool // histograms of each segment
	byEnd    bool // of operations that ended in it, instead of those that started
	tables   *decode.Tables
}

// spread counts an operation in the segments that it overlaps; a failed one only where it ended.
func (p *parted) spread(t decode.Timeline, r *decode.Record) {
	if i := t.Around(r.Start, r.End); i >= 0 && !r.Failed {
		p.segments[i].addWhole(r, p.times)
		return
	}
	started, ended := p.at(t.StartedIn(r.Start)), p.at(t.EndedIn(r.Start, r.End))
	if r.Failed {
		ended.Errors++
		decode.CountClass(&ended.ErrorsByClass, p.tables.Classes.List[r.Class], 1, decode.MaxPartClasses)
		return
	}
	started.Started++
	ended.Ended++
	if p.times && p.byEnd {
		ended.measure(r)
	} else if p.times {
		started.measure(r)
	}
	if t.N > 0 && r.End >= t.From {
		for i := max(0, r.Start-t.From) / t.Length; i < int64(t.N); i++ {
			from := t.From + i*t.Length
			if from > r.End {
				break
			}
			p.segments[i].add(r, from, from+t.Length)
		}
	}
	if started == p.outside || ended == p.outside {
		p.outside.rest(r, decode.Share(r.Start, r.End, t.From, t.From+int64(t.N)*t.Length))
	}
}

// at returns a segment by its number; -1: what lies outside.
func (p *parted) at(i int) *Segment {
	if i < 0 {
		return p.outside
	}
	return &p.segments[i]
}

// rest counts the part of a successful operation that lies outside of the segments.
func (s *Segment) rest(r *decode.Record, inside float64) {
	if inside == 1 {
		return
	}
	s.Bytes += (1 - inside) * float64(r.Bytes)
	s.Objects += (1 - inside) * float64(r.Objects)
	if inside == 0 {
		s.Full++
	} else {
		s.Partial++
	}
}

// addWhole counts a successful operation that lies in the segment.
func (s *Segment) addWhole(r *decode.Record, times bool) {
	s.Started++
	s.Ended++
	s.Full++
	s.Bytes += float64(r.Bytes)
	s.Objects += float64(r.Objects)
	if times {
		s.measure(r)
	}
}

// measure counts the times of a successful operation of the segment.
func (s *Segment) measure(r *decode.Record) {
	hist.RecordIn(&s.Latency, hist.Coarse, r.Latency)
	if r.HasTTFB {
		hist.RecordIn(&s.TTFB, hist.Coarse, r.TTFB)
	}
}

// add counts the part of a successful operation between from and to.
func (s *Segment) add(r *decode.Record, from, to int64) {
	part := decode.Share(r.Start, r.End, from, to)
	if part == 0 {
		return
	}
	s.Bytes += part * float64(r.Bytes)
	s.Objects += part * float64(r.Objects)
	if r.Start >= from && r.End <= to {
		s.Full++
	} else {
		s.Partial++
	}
}

// Merge adds o.
func (s *Segment) Merge(o *Segment) {
	s.Bytes += o.Bytes
	s.Objects += o.Objects
	s.Full += o.Full
	s.Partial += o.Partial
	s.Started += o.Started
	s.Ended += o.Ended
	s.Errors += o.Errors
	decode.MergeClasses(&s.ErrorsByClass, o.ErrorsByClass, decode.MaxPartClasses)
	s.Latency = hist.Join(s.Latency, o.Latency)
	s.TTFB = hist.Join(s.TTFB, o.TTFB)
}

// mergeSegments adds the segments of b, whose number equals that of a unless a has none.
func mergeSegments(a, b []Segment) []Segment {
	if a == nil && b != nil {
		a = make([]Segment, len(b))
	}
	for i := range b {
		a[i].Merge(&b[i])
	}
	return a
}
