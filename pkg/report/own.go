package report

import (
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// ownPart prints the client's own part of latencies next to these; nothing where it is not known.
func (r *textReport) ownPart(g *aggregate.Group) {
	share, ok := aggregate.ShareOf("", g.Latency, &g.Own)
	if !ok || !g.Own.Known() {
		return
	}
	items := []string{"p50: " + ownText(g, 50)}
	if share.Percentile > 50 {
		items = append(items, fmt.Sprintf("p%g: %s", share.Percentile, ownText(g, share.Percentile)))
	}
	what := "latency"
	if g.Service.Count() > 0 {
		what = "response time"
	}
	items[len(items)-1] += fmt.Sprintf(" (of %s p%g: %s)", what, share.Percentile, units.Duration(share.Latency))
	if g.Own.LatenessKnown() && share.Measured {
		if v, enough := g.Own.Late.Percentile(share.Percentile); enough {
			items = append(items, fmt.Sprintf("sent late p%g: %s", share.Percentile, duration(v)))
		}
	}
	switch n := g.Own.All.Count(); {
	case n == 0:
		items = append(items, "without the time responses lay unread, which is not known")
	case n < g.Considered*9/10:
		items = append(items, "measured in "+units.Percent(n, g.Considered)+" of them")
	}
	r.list(nil, " * Client's own part: ", items)
}

// ownText returns the own part at a percentile.
func ownText(g *aggregate.Group, percentile float64) string {
	own, all, ok := g.Own.At(percentile)
	switch {
	case !ok:
		return missing
	case !all:
		return "at least " + units.Duration(own)
	}
	return units.Duration(own)
}
