package report

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

// throughput prints the throughput over the whole window.
func (r *textReport) throughput(g *aggregate.Group) {
	r.blank()
	r.line(r.title, "Throughput:")
	r.list(nil, " * Average: ", averageItems(g, partRate(&g.Part, g.Window)))
}

// averageItems formats a rate like "16.62 MiB/s, 4356.26 obj/s", as far as it applies to g.
func averageItems(g *aggregate.Group, v rate) (items []string) {
	if g.MovesBytes() {
		items = append(items, units.Throughput(v.bytes))
	}
	items = append(items, perSec(v.objects, "obj"))
	if manyPerOp(g) {
		items = append(items, perSec(v.ops, "op"))
	}
	return items
}

// segmentItems formats a rate like "19.6MiB/s, 5141.23 obj/s".
func segmentItems(g *aggregate.Group, v rate) (items []string) {
	if g.MovesBytes() {
		items = append(items, units.MiBs(v.bytes, 1)+"MiB/s")
	}
	return append(items, perSec(v.objects, "obj"))
}

// segments prints the fastest, median and slowest segment, unless there was no throughput or there is only one segment.
func (r *textReport) segments(g *aggregate.Group) {
	ranks, ok := rank(g, g.Segments)
	if !ok || len(g.Segments) == 1 || g.Bytes == 0 && g.Objects == 0 {
		return
	}
	length := r.s.Segment
	r.blank()
	r.line(r.title, fmt.Sprintf("Throughput, split into %d x %s:", len(g.Segments), units.Span(length)))
	show := func(name string, i int) {
		items := segmentItems(g, segmentRate(&g.Segments[i], length))
		start := r.clock(segmentStart(g, i, length), clockLayout(length))
		items[len(items)-1] += fmt.Sprintf(" (%s, starting %s)", units.Span(length), start)
		r.list(nil, " * "+name+": ", items)
	}
	show("Fastest", ranks.fastest)
	show("50% Median", ranks.median)
	show("Slowest", ranks.slowest)
}

// clockLayout is precise enough to distinguish segments.
func clockLayout(segment time.Duration) string {
	if segment%time.Second != 0 {
		return "15:04:05.000"
	}
	return "15:04:05"
}

// shares prints the contribution of each kind to the total t of its phase.
func (r *textReport) shares(t *aggregate.Group) {
	for _, g := range r.s.Groups {
		if g.Phase != t.Phase {
			continue
		}
		items := []string{units.Percent(g.Requests, t.Requests) + " of operations"}
		if g.Window.Duration() > 0 {
			items = append(items, averageItems(g, partRate(&g.Part, g.Window))...)
		}
		r.list(nil, fmt.Sprintf("   - %s: ", g.Kind), items)
	}
}

// hosts prints throughput by host if there are several; with details if Verbose.
func (r *textReport) hosts(g *aggregate.Group) {
	if len(g.ByHost) < 2 {
		return
	}
	r.partThroughput("host", g, g.ByHost)
	if r.o.Verbose {
		r.partRequests("host", g.ByHost)
	}
}

// clients prints the same by client if there are several and Verbose is set.
func (r *textReport) clients(g *aggregate.Group) {
	if len(g.ByClient) < 2 || !r.o.Verbose {
		return
	}
	r.partThroughput("client", g, g.ByClient)
	r.partRequests("client", g.ByClient)
}

func (r *textReport) partThroughput(what string, g *aggregate.Group, parts map[string]*aggregate.Part) {
	r.blank()
	r.line(r.title, "Throughput by "+what+":")
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part := parts[name]
		items := averageItems(g, partRate(part, g.Window))
		items[0] = "Avg: " + items[0]
		if part.Failed > 0 {
			items = append(items, units.Plural(part.Failed, "error"))
		}
		r.list(nil, " * "+name+": ", items)
		r.series(g, part)
	}
}

// series prints the fastest, median and slowest segment of one host if Verbose.
func (r *textReport) series(g *aggregate.Group, part *aggregate.Part) {
	ranks, ok := rank(g, part.Series)
	if !ok || !r.o.Verbose {
		return
	}
	show := func(name string, i int) {
		items := averageItems(g, segmentRate(&part.Series[i], r.s.Segment))
		items[len(items)-1] += " (" + units.Span(r.s.Segment) + ")"
		r.list(nil, "        - "+name+": ", items)
	}
	show("Fastest", ranks.fastest)
	show("50% Median", ranks.median)
	show("Slowest", ranks.slowest)
}

func (r *textReport) partRequests(what string, parts map[string]*aggregate.Part) {
	r.blank()
	r.line(r.title, "Requests by "+what+":")
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part := parts[name]
		text := fmt.Sprintf(" * %s - %s", name, units.Plural(part.Total, "request"))
		if part.Failed > 0 {
			text += ", " + units.Plural(part.Failed, "error")
		}
		if part.Latency.Count() == 0 {
			r.line(nil, text+".")
			continue
		}
		r.line(nil, text+":")
		r.latency("        - ", part.Latency)
		r.ttfb("        - TTFB: ", part.TTFB)
	}
}
