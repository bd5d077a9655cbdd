package aggregate

import "warp/pkg/hist"

// Segment is a slice of the window, or what lies outside of all slices.
type Segment struct {
	Bytes   float64         `json:"bytes"`   // shares, as in Part
	Objects float64         `json:"objects"` // shares, as in Part
	Full    int64           `json:"full"`    // operations wholly inside
	Partial int64           `json:"partial"` // operations partly inside
	Started int64           `json:"started"`
	Ended   int64           `json:"ended"`
	Errors  int64           `json:"errors"`            // failed operations that ended in it
	Latency *hist.Histogram `json:"latency,omitempty"` // with Options.SegmentTimes; of operations that started in it (Classic: that ended in it)
	TTFB    *hist.Histogram `json:"ttfb,omitempty"`    // likewise, of those that have a first byte; nil without any

	ErrorsByClass map[string]int64 `json:"errors_by_class,omitempty"` // of Errors
}

// parted is where operations are shared out in time: segments, and what lies outside of them.
type parted struct {
	segments []Segment
	outside  *Segment
	times    bool // histograms of each segment
	byEnd    bool // of operations that ended in it, instead of those that started
	tables   *tables
}

// spread counts an operation in the segments that it overlaps; a failed one only where it ended.
func (p *parted) spread(t timeline, r *record) {
	if i := t.around(r.start, r.end); i >= 0 && !r.failed {
		p.segments[i].addWhole(r, p.times)
		return
	}
	started, ended := p.at(t.startedIn(r.start)), p.at(t.endedIn(r.start, r.end))
	if r.failed {
		ended.Errors++
		countClass(&ended.ErrorsByClass, p.tables.classes.list[r.class], 1, maxPartClasses)
		return
	}
	started.Started++
	ended.Ended++
	if p.times && p.byEnd {
		ended.measure(r)
	} else if p.times {
		started.measure(r)
	}
	if t.n > 0 && r.end >= t.from {
		for i := max(0, r.start-t.from) / t.length; i < int64(t.n); i++ {
			from := t.from + i*t.length
			if from > r.end {
				break
			}
			p.segments[i].add(r, from, from+t.length)
		}
	}
	if started == p.outside || ended == p.outside {
		p.outside.rest(r, share(r.start, r.end, t.from, t.from+int64(t.n)*t.length))
	}
}

// at returns a segment by its number; -1: what lies outside.
func (p *parted) at(i int) *Segment {
	if i < 0 {
		return p.outside
	}
	return &p.segments[i]
}

// rest counts what is left of a successful operation of which the segments have a part.
func (s *Segment) rest(r *record, inside float64) {
	if inside == 1 {
		return
	}
	s.Bytes += (1 - inside) * float64(r.bytes)
	s.Objects += (1 - inside) * float64(r.objects)
	if inside == 0 {
		s.Full++
	} else {
		s.Partial++
	}
}

// addWhole counts a successful operation that lies in the segment.
func (s *Segment) addWhole(r *record, times bool) {
	s.Started++
	s.Ended++
	s.Full++
	s.Bytes += float64(r.bytes)
	s.Objects += float64(r.objects)
	if times {
		s.measure(r)
	}
}

// measure counts the times of a successful operation of the segment.
func (s *Segment) measure(r *record) {
	hist.RecordIn(&s.Latency, hist.Coarse, r.latency)
	if r.hasTTFB {
		hist.RecordIn(&s.TTFB, hist.Coarse, r.ttfb)
	}
}

// add counts the part of a successful operation between from and to.
func (s *Segment) add(r *record, from, to int64) {
	part := share(r.start, r.end, from, to)
	if part == 0 {
		return
	}
	s.Bytes += part * float64(r.bytes)
	s.Objects += part * float64(r.objects)
	if r.start >= from && r.end <= to {
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
	mergeClasses(&s.ErrorsByClass, o.ErrorsByClass, maxPartClasses)
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
