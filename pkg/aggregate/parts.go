package aggregate

import "slices"

// Limits on how much memory the times of hosts, and of clients, take in each kind: half a megabyte for each of a few, some
// 100 KiB for each of the usual number, where it costs time to keep them small, and some 10 KiB where there are very many,
// with two significant digits instead of three.
const (
	quickParts = 4
	fineParts  = 32
)

// newTimes makes an empty Histogram for one of n parts.
func newTimes(n int) *Histogram {
	switch {
	case n <= quickParts:
		return newDense(fineDigits)
	case n <= fineParts:
		return newSparse(fineDigits)
	}
	return newSparse(coarseDigits)
}

// fit gives the times of a part the form that newTimes makes for one of n; nothing of a nil Part.
func (p *Part) fit(n int) {
	if p == nil || n <= quickParts {
		return
	}
	for _, h := range []*Histogram{p.Latency, p.TTFB} {
		h.pack()
		if n > fineParts {
			h.coarsen()
		}
	}
}

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
		p.Latency, p.TTFB = whole.Latency.clone(), whole.TTFB.clone()
		t.several, t.timed = true, 1
	}
	if parts[i].Latency == nil {
		if t.timed++; t.timed == quickParts+1 || t.timed == fineParts+1 {
			for _, p := range parts {
				p.fit(t.timed)
			}
		}
	}
	parts[i].measure(r, t.timed)
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

// measure counts the times of a considered request of one of n parts.
func (p *Part) measure(r *record, n int) {
	if p.Latency == nil {
		p.Latency = newTimes(n)
	}
	p.Latency.Record(r.latency)
	if r.hasTTFB {
		if p.TTFB == nil {
			p.TTFB = newTimes(n)
		}
		p.TTFB.Record(r.ttfb)
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
