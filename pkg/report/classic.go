package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// classic prints the blocks of the manual of MinIO warp, in its words. Its examples come from several versions: a mix has one line for each
// kind of operation; operations on one object without contents, and all with Requests, have a headline with the concurrency and times of
// day; others have the operations that ended.
func (r *textReport) classic() {
	var blocks []string
	for _, s := range sections(r.s) {
		mix := s.total != nil && !isPreparation(s.total)
		groups := slices.Clone(s.groups)
		if mix {
			slices.SortStableFunc(groups, func(a, b *aggregate.Group) int { return cmp.Compare(b.Requests, a.Requests) })
		}
		for i, g := range groups {
			text := string(r.capture(func() { r.classicKind(g, mix) }))
			if mix && i == 0 {
				text = "Mixed operations.\n\n" + text
			}
			blocks = append(blocks, text)
		}
	}
	r.buf.WriteString(strings.Join(blocks, "\n"))
}

// classicKind prints a kind of operation, by itself or in a mix.
func (r *textReport) classicKind(g *aggregate.Group, mix bool) {
	requests := r.o.Requests || r.o.Verbose
	if mix {
		r.classicShare(g)
		if requests && g.Window.Duration() > 0 {
			r.classicRequests(g)
		}
		r.errors(g)
		return
	}
	if !requests && (g.MovesBytes() || differPerOp(g)) {
		r.classicEnded(g)
	} else {
		r.classicTimed(g, requests)
	}
	r.errors(g)
}

// classicShare prints a kind of a mix with its share of the operations.
func (r *textReport) classicShare(g *aggregate.Group) {
	r.line(r.head, "Operation: "+string(g.Kind))
	if g.Window.Duration() <= 0 {
		r.noWindow()
		return
	}
	share := ""
	if t := totalOf(r.s, g.Phase); t != nil && !g.Kind.IsComposite() {
		share = " (" + units.Percent(g.Requests, t.Requests) + " of operations)"
	}
	r.line(nil, " * "+strings.Join(averageItems(g, partRate(&g.Part, g.Window)), ", ")+" "+r.classicWindow(g)+share)
}

// classicEnded prints a kind with the operations that ended.
func (r *textReport) classicEnded(g *aggregate.Group) {
	title := "Operation: " + string(g.Kind)
	if differPerOp(g) {
		objects, _, _ := perOp(g)
		title += fmt.Sprintf(" %.0f objects per operation", objects)
	}
	r.line(r.head, title)
	if g.Window.Duration() <= 0 {
		r.noWindow()
		return
	}
	ended := float64(g.Considered) / g.Window.Duration().Seconds()
	r.line(nil, "* Average: "+classicRate(g, partRate(&g.Part, g.Window), ended)+" ("+classicSpan(g.Window.Duration())+")")
	length := r.s.Segment
	r.classicSegments(g, "Aggregated, split into", "* ", func(i int) string {
		s := &g.Segments[i]
		return classicRate(g, segmentRate(s, length), float64(s.Ended)/length.Seconds()) + " (" + units.Span(length) + ")"
	})
	r.classicHosts(g)
}

// classicTimed prints a kind below a headline, with times of day.
func (r *textReport) classicTimed(g *aggregate.Group, requests bool) {
	r.emit(r.head, classicRule)
	r.line(r.head, fmt.Sprintf("Operation: %s. Concurrency: %d. Hosts: %d.", g.Kind, g.Concurrency(), len(g.Hosts)))
	if g.Window.Duration() <= 0 {
		r.noWindow()
		return
	}
	if requests {
		r.classicRequests(g)
		r.blank()
		r.line(r.title, "Throughput:")
	}
	r.line(nil, "* Average: "+strings.Join(averageItems(g, partRate(&g.Part, g.Window)), ", ")+" "+r.classicWindow(g))
	length := r.s.Segment
	r.classicSegments(g, "Aggregated Throughput, split into", " * ", func(i int) string {
		start := r.clock(segmentStart(g, i, length), clockLayout(length))
		return strings.Join(averageItems(g, segmentRate(&g.Segments[i], length)), ", ") + " (" + units.Span(length) + ", starting " + start + ")"
	})
	r.classicHosts(g)
}

// classicSegments prints the fastest, median and slowest segment.
func (r *textReport) classicSegments(g *aggregate.Group, title, bullet string, text func(i int) string) {
	ranks, ok := rank(g, g.Segments)
	if !ok || !succeeded(g) {
		return
	}
	r.blank()
	r.line(r.title, fmt.Sprintf("%s %d x %s time segments:", title, len(g.Segments), units.Span(r.s.Segment)))
	r.line(nil, bullet+"Fastest: "+text(ranks.fastest))
	r.line(nil, bullet+"50% Median: "+text(ranks.median))
	r.line(nil, bullet+"Slowest: "+text(ranks.slowest))
}

// classicRequests prints the latencies of a kind, by size if sizes differ.
func (r *textReport) classicRequests(g *aggregate.Group) {
	r.blank()
	switch classes := g.Classes(); {
	case g.Approx != nil:
		r.line(r.title, fmt.Sprintf("Requests considered: %d:", g.Considered))
		r.approxLatency(" * ", g.Approx.Latency)
		r.approxTTFB(" * First Byte: ", g.Approx.TTFB)
	case g.Considered == 0:
		r.line(r.title, "Requests considered: none.")
	case len(classes) > 0:
		_, bytes, _ := perOp(g)
		r.line(r.title, fmt.Sprintf("Requests considered: %d. Multiple sizes, average %d bytes:", g.Considered, int64(math.Round(bytes))))
		for i := range classes {
			r.classicClass(&classes[i])
		}
	case len(g.ByHost) > 1:
		r.line(r.title, fmt.Sprintf("Requests - %d:", g.Considered))
		r.line(nil, " * "+classicTimes(g.Latency, 50, 90, 99))
		r.classicFirstByte(" * ", g.TTFB)
		r.blank()
		r.line(r.title, "Requests by host:")
		for _, name := range slices.Sorted(maps.Keys(g.ByHost)) {
			p := g.ByHost[name]
			r.line(nil, fmt.Sprintf(" * %s - %d requests:", name, p.Total))
			r.line(nil, "        - "+classicTimes(p.Latency, 50, 90))
			r.classicFirstByte("        - ", p.TTFB)
		}
	default:
		r.line(r.title, fmt.Sprintf("Requests considered: %d:", g.Considered))
		items := []string{"Avg: " + nanoseconds(g.Latency.Mean())}
		items = appendPercentiles(items, g.Latency, latencyPercentiles[:3])
		items = append(items, "Fastest: "+duration(g.Latency.Min()), "Slowest: "+duration(g.Latency.Max()))
		r.line(nil, " * "+strings.Join(items, " "))
		r.classicFirstByte(" * ", g.TTFB)
	}
}

// classicClass prints the requests of a size class.
func (r *textReport) classicClass(c *aggregate.SizeClass) {
	r.blank()
	r.line(r.title, fmt.Sprintf("Request size %s -> %s. Requests - %d:", units.Size(c.From), units.Size(c.To), c.Requests))
	if c.Throughput.Count() > 0 {
		r.list(nil, " * Throughput: ", classThroughput(c.Throughput))
	}
	r.classicFirstByte(" * ", c.TTFB)
}

// classicTimes formats latencies.
func classicTimes(h *hist.Histogram, percentiles ...float64) string {
	items := []string{"Fastest: " + duration(h.Min()), "Slowest: " + duration(h.Max())}
	for _, p := range percentiles {
		if v, enough := h.Percentile(p); enough {
			items = append(items, fmt.Sprintf("%g%%: %s", p, duration(v)))
		}
	}
	return strings.Join(items, " ")
}

// classicFirstByte prints times to first byte, if there are any.
func (r *textReport) classicFirstByte(bullet string, h *hist.Histogram) {
	if h.Count() > 0 {
		r.list(nil, bullet+"First Byte: ", firstByteItems(h))
	}
}

// classicHosts prints the throughput of each host, if there are several; with Verbose its segments too.
func (r *textReport) classicHosts(g *aggregate.Group) {
	if len(g.ByHost) < 2 {
		return
	}
	r.blank()
	r.line(r.title, "Throughput by host:")
	span := " (" + classicSpan(g.Window.Duration()) + ")"
	for _, name := range slices.Sorted(maps.Keys(g.ByHost)) {
		p := g.ByHost[name]
		r.line(nil, " * "+name+": Avg: "+strings.Join(averageItems(g, partRate(p, g.Window)), ", ")+span)
		ranks, ok := rank(g, p.Series)
		if !ok {
			continue
		}
		segment := func(name string, i int) {
			items := averageItems(g, segmentRate(&p.Series[i], r.s.Segment))
			r.line(nil, "        - "+name+": "+strings.Join(items, ", ")+" ("+units.Span(r.s.Segment)+")")
		}
		segment("Fastest", ranks.fastest)
		segment("50% Median", ranks.median)
		segment("Slowest", ranks.slowest)
	}
}

// classicRate formats a rate with the operations that ended.
func classicRate(g *aggregate.Group, v rate, ended float64) string {
	return strings.Join(append(throughputItems(g, v), perSec(ended, "ops ended")), ", ")
}

// classicWindow formats the active window: "(59.993s, starting 07:44:05 PST)".
func (r *textReport) classicWindow(g *aggregate.Group) string {
	return "(" + classicSpan(g.Window.Duration()) + ", starting " + r.clock(g.Window.Start, "15:04:05") + ")"
}

// classicSpan formats a length of time to the millisecond.
func classicSpan(d time.Duration) string { return d.Round(time.Millisecond).String() }
