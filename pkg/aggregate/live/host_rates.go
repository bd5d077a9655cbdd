package live

import (
	"slices"
	"time"

	"warp/pkg/op"
)

// HostRates computes the recent figures of hosts from counts of a run in progress. Its zero value is ready for use.
type HostRates struct {
	order []string // hosts, as they appeared
	known map[string]bool
	kept  []hostSums
}

// hostSums are the counts of hosts at a time.
type hostSums struct {
	at   time.Time
	sums map[string]Response
}

// keptSums is how many sums are kept, which are a second apart: clients count at different times within a second.
const keptSums = 4

// Add adds what was counted until a time, and returns the figures of hosts in order of appearance. Rates and mean times are those
// since the oldest counts that are kept; preparation does not count.
func (h *HostRates) Add(at time.Time, counts []Count) []HostFigures {
	if h.known == nil {
		h.known = make(map[string]bool)
	}
	now := hostSums{at, make(map[string]Response)}
	for i := range counts {
		if counts[i].Phase == op.PhasePrepare || counts[i].Kind.IsComposite() {
			continue
		}
		for j := range counts[i].Responses {
			r := &counts[i].Responses[j]
			if !h.known[r.Host] {
				h.known[r.Host] = true
				h.order = append(h.order, r.Host)
			}
			sum := now.sums[r.Host]
			sum.add(r)
			now.sums[r.Host] = sum
		}
	}
	if len(h.kept) == keptSums {
		h.kept = slices.Delete(h.kept, 0, 1)
	}
	h.kept = append(h.kept, now)
	list := make([]HostFigures, 0, len(h.order))
	for _, host := range h.order {
		list = append(list, h.figures(host))
	}
	return list
}

// figures returns the figures of a host between the oldest counts and the newest.
func (h *HostRates) figures(host string) HostFigures {
	first, last := &h.kept[0], &h.kept[len(h.kept)-1]
	a, b := first.sums[host], last.sums[host]
	f := HostFigures{Host: host, Figures: Figures{Ops: b.Ops, Errors: b.Errors}}
	succeeded := (b.Ops - b.Errors) - (a.Ops - a.Errors)
	if span := last.at.Sub(first.at).Seconds(); span > 0 && succeeded > 0 {
		f.OpsPerSec, f.BytesPerSec, f.ObjectsPerSec = float64(succeeded)/span, float64(b.Bytes-a.Bytes)/span, float64(b.Objects-a.Objects)/span
		f.Mean = (b.Time - a.Time) / time.Duration(succeeded)
	}
	return f
}
