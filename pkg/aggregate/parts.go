package aggregate

import (
	"slices"

	"warp/pkg/hist"
)

// fineParts is up to how many hosts, and clients, the times of each have three significant precision in their histograms, which
// then take some 100 KiB for each of them in each kind. If there are more, those of all of them have two.
const fineParts = 32

// partTimes says where the times of a group's hosts, or clients, are. As long as there is only one, its times are those of
// the group, which need not be counted twice.
type partTimes struct {
	only    int // number of the part of which all requests were so far, and 1; 0: there were none
	several bool
	timed   int // parts with times of their own
}

// measure counts the times of a considered request of part number i. It comes before the times of the whole group are
// counted.
func (t *partTimes) measure(whole *Part, parts []*Part, i int, r *record) {
	if !t.several {
		if t.only == 0 {
			t.only = i + 1
		}
		if t.only == i+1 {
			return
		}
		p := parts[t.only-1]
		p.Latency, p.TTFB = whole.Latency.Clone(), whole.TTFB.Clone()
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

// all is the parts with their times.
func (t *partTimes) all(whole *Part, parts []*Part) []*Part {
	if t.several || t.only == 0 {
		return parts
	}
	parts = slices.Clone(parts)
	p := *parts[t.only-1]
	p.Latency, p.TTFB = whole.Latency, whole.TTFB
	parts[t.only-1] = &p
	return parts
}

// part is number i of parts, which is made when it is asked for first.
func part(parts *[]*Part, i int) *Part {
	*parts = grown(*parts, i)
	if (*parts)[i] == nil {
		(*parts)[i] = new(Part)
	}
	return (*parts)[i]
}

// add counts the share of a successful operation that lies in the window.
func (p *Part) add(share float64, r *record) {
	p.Bytes += share * float64(r.bytes)
	p.Objects += share * float64(r.objects)
	p.Ops += share
}

// measure counts the times of a considered request.
func (p *Part) measure(r *record, precision hist.Precision) {
	if p.Latency == nil {
		p.Latency = hist.New(precision)
	}
	p.Latency.Record(r.latency)
	if r.hasTTFB {
		if p.TTFB == nil {
			p.TTFB = hist.New(precision)
		}
		p.TTFB.Record(r.ttfb)
	}
}

// coarsen leaves two significant precision of the times; nothing of a nil Part.
func (p *Part) coarsen() {
	if p != nil {
		p.Latency.Coarsen(hist.Coarse)
		p.TTFB.Coarsen(hist.Coarse)
	}
}

// named is the parts that there are by name, and the names in order.
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
