package aggregate

import (
	"slices"
	"time"

	"warp/pkg/hist"
)

// fineParts is the number of hosts, or clients, up to which the histograms of each have three significant digits, which
// take some 100 KiB for each of them in each kind. With more, all of them have two.
const fineParts = 32

// partTimes tracks where the times of a group's hosts, or clients, are. With only one of them, its times are those of
// the group, which are not counted twice.
type partTimes struct {
	only    int // index plus 1 of the part that all requests so far belong to; 0: no requests yet
	several bool
	timed   int // number of parts with times of their own
	parts   int
}

// measure counts the times of a considered request of part number i. It must be called before the times of the whole
// group are counted.
func (t *partTimes) measure(whole *Part, parts []*Part, i int, r *record) {
	if !t.several {
		if t.only == 0 {
			t.only = i + 1
		}
		if t.only == i+1 {
			return
		}
		p := parts[t.only-1]
		p.Latency, p.TTFB, p.Own = whole.Latency.Clone(), whole.TTFB.Clone(), whole.Own.clone()
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

// part returns number i of parts, created on first use.
func (g *group) part(parts *[]*Part, times *partTimes, i int) *Part {
	*parts = grown(*parts, i)
	if (*parts)[i] == nil {
		(*parts)[i] = new(Part)
		if times.parts++; g.Kind != "" {
			g.tables.use.addPart(times.parts)
		}
	}
	return (*parts)[i]
}

// add counts the share of a successful operation that lies in the window.
func (p *Part) add(share float64, r *record) {
	p.Bytes += share * float64(r.bytes)
	p.Objects += share * float64(r.objects)
	p.Ops += share
}

// fail counts a failed operation.
func (p *Part) fail(class string) {
	p.Failed++
	countClass(&p.ErrorsByClass, class, 1, maxPartClasses)
}

// measure counts the times of a considered request.
func (p *Part) measure(r *record, precision hist.Precision) {
	if p.Latency == nil {
		p.Latency = hist.New(precision)
	}
	p.Latency.Record(r.latency)
	p.Own.measure(r)
	if r.hasTTFB {
		if p.TTFB == nil {
			p.TTFB = hist.New(precision)
		}
		p.TTFB.Record(r.ttfb)
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
