package report

import (
	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// ownPercentiles are those of the client's own part of latencies.
var ownPercentiles = []percentile{{"50%", 50}, {"99%", 99}}

// ownPart prints the client's own part of latencies next to these; nothing where it is not known.
func (r *textReport) ownPart(g *aggregate.Group) {
	own, all := g.Own.Measured()
	if own == nil {
		return
	}
	items := appendPercentiles(nil, own, ownPercentiles)
	if len(items) == 0 { // too few operations
		items = []string{"Avg: " + nanoseconds(own.Mean())}
	}
	if all && g.Own.LateKnown() {
		if text := lastOf(appendPercentiles(nil, g.Own.Late, ownPercentiles)); text != "" {
			items = append(items, "of which sent late "+text)
		}
	}
	what := "latency "
	if g.Service.Count() > 0 {
		what = "response time "
	}
	if text := lastOf(appendPercentiles(nil, g.Latency, ownPercentiles)); text != "" {
		items[len(items)-1] += " (of " + what + text + ")"
	}
	prefix := " * Client's own part: "
	if !all {
		prefix = " * Client's own part, as far as it is known (sent late): "
	}
	if n := own.Count(); n < g.Considered*9/10 {
		items = append(items, "measured in "+units.Percent(n, g.Considered)+" of them")
	}
	r.list(nil, prefix, items)
}

func lastOf(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return items[len(items)-1]
}

// ownTimes returns the client's own part of latencies, and how late requests were sent, as far as they are known.
func ownTimes(p *aggregate.OwnPart) (own, late *latencyJSON) {
	var lates *hist.Histogram
	if p.LateKnown() {
		lates = p.Late
	}
	return latencyOf(p.All), latencyOf(lates)
}
