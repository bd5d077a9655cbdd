package aggregate

import (
	"slices"
	"time"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
)

// Part is throughput and latency of the whole group, of one host or of one client, in the group's window. Bytes,
// Objects and Ops are shares: an operation that lies partly in the window counts by the part of its time in it.
type Part struct {
	Bytes   float64         `json:"bytes"`
	Objects float64         `json:"objects"`
	Ops     float64         `json:"ops"`
	Total   int64           `json:"total"`  // operations, inside the window or not (zero in a Group: see Requests)
	Failed  int64           `json:"failed"` // failed operations among them (zero in a Group: see Errors)
	Latency *hist.Histogram `json:"latency,omitempty"`
	TTFB    *hist.Histogram `json:"ttfb,omitempty"`
	Own     OwnPart         `json:"own,omitzero"`     // the client's own part of Latency
	Series  []Segment       `json:"series,omitempty"` // by segment, for hosts, with Options.HostSegments
	Rest    *Segment        `json:"rest,omitempty"`   // what lies outside of them, likewise

	ErrorsByClass map[string]int64 `json:"errors_by_class,omitempty"` // of Failed (nil in a Group, which has its own)
}

// partTimes tracks where the times of a group's hosts, or clients, are. If there is only one, its times are the
// times of the group, which are not counted twice.
type partTimes struct {
	only    int // index plus 1 of the part that all requests so far belong to; 0: no requests yet
	several bool
	timed   int // number of parts with times of their own
	parts   int
}

// measure counts the times of a considered request of part number i. It must be called before the times of the whole
// group are counted.
func (t *partTimes) measure(whole *Part, parts []*Part, i int, r *decode.Record) {
	if !t.several {
		if t.only == 0 {
			t.only = i + 1
		}
		if t.only == i+1 {
			return
		}
		p := parts[t.only-1]
		p.Latency, p.TTFB, p.Own = whole.Latency.Clone(), whole.TTFB.Clone(), whole.Own.Clone()
		t.several, t.timed = true, 1
	}
	if parts[i].Latency == nil {
		if t.timed++; t.timed == fineParts+1 {
			for _, p := range parts {
				p.coarsen()
			}
		}
	}
	precision := hist.Fine
	if t.timed > fineParts {
		precision = hist.Coarse
	}
	parts[i].measure(r, precision)
}

// all returns the parts with their times.
func (t *partTimes) all(whole *Part, parts []*Part) []*Part {
	if t.several || t.only == 0 {
		return parts
	}
	parts = slices.Clone(parts)
	p := *parts[t.only-1]
	p.Latency, p.TTFB, p.Own = whole.Latency, whole.TTFB, whole.Own
	parts[t.only-1] = &p
	return parts
}

// add counts the share of a successful operation that lies in the window.
func (p *Part) add(share float64, r *decode.Record) {
	p.Bytes += share * float64(r.Bytes)
	p.Objects += share * float64(r.Objects)
	p.Ops += share
}

// fail counts a failed operation.
func (p *Part) fail(class string) {
	p.Failed++
	decode.CountClass(&p.ErrorsByClass, class, 1, decode.MaxPartClasses)
}

// measure counts the times of a considered request.
func (p *Part) measure(r *decode.Record, precision hist.Precision) {
	hist.RecordIn(&p.Latency, precision, r.Latency)
	p.Own.Record(r)
	if r.HasTTFB {
		hist.RecordIn(&p.TTFB, precision, r.TTFB)
	}
}

// coarsen reduces the times to two significant digits. It does nothing to a nil Part.
func (p *Part) coarsen() {
	if p != nil {
		p.Latency.Coarsen(hist.Coarse)
		p.TTFB.Coarsen(hist.Coarse)
	}
}

// named returns the existing parts by name, and the names in order.
func named(parts []*Part, list []string) (map[string]*Part, []string) {
	m := make(map[string]*Part)
	var keys []string
	for i, p := range parts {
		if p != nil {
			m[list[i]] = p
			keys = append(keys, list[i])
		}
	}
	slices.Sort(keys)
	return m, keys
}

// PerSecond returns the averages of a part in a window of length d; all 0 if d is not positive.
func (p *Part) PerSecond(d time.Duration) (bytes, objects, ops float64) {
	if d <= 0 {
		return 0, 0, 0
	}
	s := d.Seconds()
	return p.Bytes / s, p.Objects / s, p.Ops / s
}

// merge adds o.
func (p *Part) merge(o *Part) {
	p.Bytes += o.Bytes
	p.Objects += o.Objects
	p.Ops += o.Ops
	p.Total += o.Total
	p.Failed += o.Failed
	decode.MergeClasses(&p.ErrorsByClass, o.ErrorsByClass, decode.MaxPartClasses)
	p.Latency = hist.Join(p.Latency, o.Latency)
	p.TTFB = hist.Join(p.TTFB, o.TTFB)
	p.Own.Merge(&o.Own)
	p.Series = mergeSegments(p.Series, o.Series)
	if o.Rest != nil {
		if p.Rest == nil {
			p.Rest = new(Segment)
		}
		p.Rest.Merge(o.Rest)
	}
}

func mergeParts(a, b map[string]*Part) map[string]*Part {
	if a == nil && len(b) > 0 {
		a = make(map[string]*Part, len(b))
	}
	for name, p := range b {
		if a[name] == nil {
			a[name] = new(Part)
		}
		a[name].merge(p)
	}
	timed := 0
	for _, p := range a {
		if p.Latency != nil {
			timed++
		}
	}
	if timed > fineParts {
		for _, p := range a {
			p.coarsen()
		}
	}
	return a
}
