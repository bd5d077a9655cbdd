package report

import (
	"maps"
	"slices"
	"strconv"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// parts prints tables by host, if there are several, and if Verbose by client and by bucket.
func (r *textReport) parts(g *aggregate.Group) {
	r.partTable("host", g, g.ByHost)
	if r.o.Verbose {
		r.partTable("client", g, g.ByClient)
		r.partTable("bucket", g, g.ByBucket)
	}
}

// partTable prints a line for each part of a group.
func (r *textReport) partTable(what string, g *aggregate.Group, parts map[string]*aggregate.Part) {
	if len(parts) < 2 {
		return
	}
	firstByte, span := firstByteName(g, "TTFB"), units.Span(r.s.Segment)
	rows := [][]string{{
		"By " + what + ":", "requests", "errors", "MiB/s", "obj/s", "op/s", "p50", "p99", "max", firstByte + " p50", "p99 ",
		"fastest " + span, "median " + span, "slowest " + span,
	}}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		rows = append(rows, r.partRow(name, g, parts[name]))
	}
	drop := rows[0][9:]
	dropEmpty(rows, slices.Clone(rows[0][1:])...)
	r.blank()
	r.table(rows, firstColumn, append(slices.Clone(drop), "max", "op/s", "p50", "errors")...)
}

// partRow returns the cells of a part of a group.
func (r *textReport) partRow(name string, g *aggregate.Group, p *aggregate.Part) []string {
	row := []string{units.Line(name), strconv.FormatInt(p.Total, 10), strconv.FormatInt(p.Failed, 10)}
	v := partRate(p, g.Window)
	for _, rate := range []struct {
		known bool
		v     float64
	}{{g.MovesBytes(), v.bytes / units.MiB}, {g.CountsObjects(), v.objects}, {differPerOp(g) || !g.CountsObjects(), v.ops}} {
		if rate.known {
			row = append(row, shortRate(rate.v))
		} else {
			row = append(row, missing)
		}
	}
	row = append(row, summaryPercentile(p.Latency, 50), summaryPercentile(p.Latency, 99), missing,
		summaryPercentile(p.TTFB, 50), summaryPercentile(p.TTFB, 99), missing, missing, missing)
	if p.Latency.Count() > 0 {
		row[8] = duration(p.Latency.Max())
	}
	if ranks, ok := rank(g, p.Series); ok && len(p.Series) > 1 {
		for k, at := range []int{ranks.fastest, ranks.median, ranks.slowest} {
			row[11+k] = segmentText(g, segmentRate(&p.Series[at], r.s.Segment))
		}
		if len(p.Series) == 2 {
			row[12] = missing // it is one of the others
		}
	}
	return row
}
