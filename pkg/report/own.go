package report

import (
	"fmt"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// printOwnPart prints the client's own part of latencies next to these; nothing where it is not known.
func printOwnPart(r *textReport, g *aggregate.Group) {
	own, all := g.Own.Measured()
	share, ok := aggregate.ShareOf("", g.Latency, &g.Own)
	if own == nil || !ok {
		return
	}
	median, _ := own.Percentile(50)
	items := []string{"50%: " + duration(median)}
	if share.Percentile > 50 {
		items = append(items, fmt.Sprintf("%g%%: %s", share.Percentile, units.Duration(share.Own)))
	}
	what := "latency"
	if g.Service.Count() > 0 {
		what = "response time"
	}
	items[len(items)-1] += fmt.Sprintf(" (of %s %g%%: %s)", what, share.Percentile, units.Duration(share.Latency))
	prefix := " * Client's own part: "
	switch {
	case !all:
		prefix = " * Client's own part, without the time responses lay unread, which is not known: "
	case g.Own.LateKnown():
		if v, enough := g.Own.Late.Percentile(share.Percentile); enough {
			items = append(items, fmt.Sprintf("sent late %g%%: %s", share.Percentile, duration(v)))
		}
	}
	if n := own.Count(); n < g.Considered*9/10 {
		items = append(items, "measured in "+units.Percent(n, g.Considered)+" of them")
	}
	r.list(nil, prefix, items)
}

// ownTimes returns the client's own part of latencies, and how late requests were sent, as far as they are known.
func ownTimes(p *aggregate.OwnPart) (own, late *latencyJSON) {
	var lates *hist.Histogram
	if p.LateKnown() {
		lates = p.Late
	}
	return latencyOf(p.All), latencyOf(lates)
}
