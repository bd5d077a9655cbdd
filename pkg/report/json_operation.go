package report

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/hist"
	"warp/pkg/units"
)

// operationOf returns the JSON of one kind of operation.
func operationOf(g *aggregate.Group, segment time.Duration) operationJSON {
	o := operationJSON{
		Op:            string(g.Kind),
		Phase:         g.Phase,
		Whole:         g.Kind.Whole(),
		Requests:      g.Requests,
		Considered:    g.Considered,
		Errors:        g.Errors,
		Resent:        g.Resent,
		ErrorsByClass: g.ErrorsByClass,
		Concurrency:   g.Concurrency(),
		Clients:       len(g.Clients),
		Hosts:         append([]string{}, g.Hosts...),
		Duration:      g.Window.Duration().Seconds(),
		LooseWindow:   g.Window.Loose,
		Window:        windowOf(g),
		Ran:           max(0, g.Last.Sub(g.First)).Seconds(),
		ObjectsPerOp:  float64(g.MaxObjects),
		Size:          float64(g.MaxSize),
		Throughput:    throughputOf(&g.Part, g.Window),
		Segments:      segmentsOf(g, segment),
		Latency:       latencyOf(g.Latency),
		Service:       latencyOf(g.Service),
		TTFB:          ttfbOf(g.TTFB),
		ByHost:        partsOf(g.ByHost, g.Window),
		ByClient:      partsOf(g.ByClient, g.Window),
		ByBucket:      partsOf(g.ByBucket, g.Window),
		Used:          usedOf(g.Touched),
	}
	if g.Window.Duration() > 0 {
		start, end := g.Window.Start.UTC(), g.Window.End.UTC()
		o.Start, o.End = &start, &end
	}
	if g.Reread > 0 {
		o.First, o.FirstTTFB = latencyOf(g.FirstAccess), ttfbOf(g.FirstAccessTTFB)
		o.Last, o.LastTTFB = latencyOf(g.LastAccess), ttfbOf(g.LastAccessTTFB)
	}
	if g.Approx != nil {
		o.ApproxLatency, o.ApproxTTFB = approxOf(g.Approx.Latency), approxOf(g.Approx.TTFB)
	}
	o.Own, o.OwnLate = ownTimes(&g.Own)
	o.OwnMeasured = g.Own.All.Count()
	objects, bytes, measured := perOp(g)
	if measured && g.MinObjects != g.MaxObjects {
		o.ObjectsPerOp = objects
	}
	if g.MinSize != g.MaxSize {
		o.MinSize, o.MaxSize = &g.MinSize, &g.MaxSize
		if measured {
			o.Size = bytes
		}
	}
	for _, c := range g.Classes() {
		o.BySize = append(o.BySize, sizeOf(&c))
	}
	o.addErrors(g, segment)
	return o
}

// addErrors adds when operations failed, and the first errors.
func (o *operationJSON) addErrors(g *aggregate.Group, segment time.Duration) {
	for i := range g.Segments {
		if s := &g.Segments[i]; s.Errors > 0 {
			o.ErrorsByTime = append(o.ErrorsByTime, errorsJSON{segmentStart(g, i, segment).UTC(), s.Errors, s.ErrorsByClass})
		}
	}
	for _, e := range g.FirstErrors {
		o.FirstErrors = append(o.FirstErrors, errorJSON{e.Time.UTC(), e.Host, e.Key, e.Err})
	}
}

// windowOf returns by which rule the window of a group was found, and how it differs from the time of sending; nil without a window.
func windowOf(g *aggregate.Group) *windowJSON {
	w := &g.Window
	if w.Duration() <= 0 || w.Sent.From.IsZero() {
		return nil
	}
	j := &windowJSON{Rule: string(aggregate.Active), Sending: w.Sent.Duration().Seconds(), Drain: g.Pending.Drain.Seconds(), InFlight: g.Pending.Ops}
	if w.Classic {
		j.Rule = string(aggregate.Classic)
	}
	if _, short := w.Short(); short {
		j.Begun, j.Ended = edgeOf(w.Begun), edgeOf(w.Ended)
	}
	if g.Pending.Ops > 0 {
		j.Longest = &edgeJSON{Op: string(g.Pending.Longest.Kind), Host: g.Pending.Longest.Host, Key: g.Pending.Longest.Key, Took: milliseconds(float64(g.Pending.Longest.Took))}
	}
	return j
}

func edgeOf(e *aggregate.Edge) *edgeJSON {
	if e == nil {
		return nil
	}
	at := e.End.UTC()
	return &edgeJSON{Client: e.Client, Thread: &e.Thread, At: &at, Op: string(e.Kind), Host: e.Host, Key: e.Key, Took: milliseconds(float64(e.Took))}
}

// phaseOf returns the JSON of a total, of which times of requests say nothing.
func phaseOf(o operationJSON, streams []string) phaseJSON {
	return phaseJSON{
		Phase: o.Phase, Streams: streams, Requests: o.Requests, Errors: o.Errors, Concurrency: o.Concurrency,
		Start: o.Start, End: o.End, Duration: o.Duration, LooseWindow: o.LooseWindow, Window: o.Window, Ran: o.Ran,
		Throughput: o.Throughput, Segments: o.Segments,
	}
}

func throughputOf(p *aggregate.Part, w aggregate.Window) throughputJSON {
	v := partRate(p, w)
	return throughputJSON{v.bytes, v.objects, v.ops}
}

func segmentsOf(g *aggregate.Group, length time.Duration) *segmentsJSON {
	ranks, ok := rank(g, g.Segments)
	if !ok {
		return nil
	}
	var rest *restJSON
	if r := &g.Rest; r.Ended+r.Started+r.Errors > 0 {
		rest = &restJSON{Ended: r.Ended, Errors: r.Errors, Bytes: units.Finite(r.Bytes), Objects: units.Finite(r.Objects)}
	}
	metric := "objects"
	if g.MovesBytes() {
		metric = "bytes"
	}
	at := func(i int) segmentJSON {
		v := segmentRate(&g.Segments[i], length)
		return segmentJSON{segmentStart(g, i, length).UTC(), v.bytes, v.objects}
	}
	return &segmentsJSON{length.Seconds(), len(g.Segments), metric, at(ranks.fastest), at(ranks.median), at(ranks.slowest), rest}
}

// latencyOf returns a distribution of times in ms, nil if it is empty.
func latencyOf(h *hist.Histogram) *latencyJSON {
	if h.Count() == 0 {
		return nil
	}
	return &latencyJSON{
		Avg:    milliseconds(h.Mean()),
		Min:    milliseconds(float64(h.Min())),
		P50:    percentileOf(h, 50),
		P90:    percentileOf(h, 90),
		P95:    percentileOf(h, 95),
		P99:    percentileOf(h, 99),
		P999:   percentileOf(h, 99.9),
		Max:    milliseconds(float64(h.Max())),
		StdDev: milliseconds(h.StdDev()),
	}
}

// ttfbOf is latencyOf with quartiles, which the text report has for the first byte.
func ttfbOf(h *hist.Histogram) *latencyJSON {
	l := latencyOf(h)
	if l != nil {
		l.P25, l.P75 = percentileOf(h, 25), percentileOf(h, 75)
	}
	return l
}

// approxOf returns approximate times in ms, omitting unknown ones; nil if there are none.
func approxOf(t aggregate.ApproxTimes) *approxJSON {
	if t.Requests == 0 {
		return nil
	}
	known := func(d time.Duration) *float64 {
		if d == 0 {
			return nil
		}
		ms := milliseconds(float64(d))
		return &ms
	}
	out := &approxJSON{
		Requests: t.Requests, Avg: milliseconds(float64(t.Mean)),
		P25: known(t.P25), P50: known(t.P50), P75: known(t.P75), P90: known(t.P90), P99: known(t.P99),
	}
	if t.Max > 0 {
		low, dev := milliseconds(float64(t.Min)), milliseconds(float64(t.StdDev))
		out.Min, out.Max, out.StdDev = &low, known(t.Max), &dev
	}
	return out
}

// percentileOf returns a percentile in ms, nil with too few samples beyond it.
func percentileOf(h *hist.Histogram, p float64) *float64 {
	v, enough := h.Percentile(p)
	if !enough {
		return nil
	}
	ms := milliseconds(float64(v))
	return &ms
}

func partsOf(parts map[string]*aggregate.Part, w aggregate.Window) map[string]partJSON {
	out := make(map[string]partJSON, len(parts))
	for name, p := range parts {
		own, late := ownTimes(&p.Own)
		out[name] = partJSON{
			Requests: p.Total, Errors: p.Failed, ByClass: p.ErrorsByClass, Throughput: throughputOf(p, w),
			Latency: latencyOf(p.Latency), TTFB: ttfbOf(p.TTFB), Own: own, OwnLate: late,
		}
	}
	return out
}

func sizeOf(c *aggregate.SizeClass) sizeJSON {
	out := sizeJSON{From: c.From, To: c.To, Requests: c.Requests, Bytes: c.Bytes, Latency: latencyOf(c.Latency), TTFB: ttfbOf(c.TTFB)}
	h := c.Throughput
	if h.Count() == 0 {
		return out
	}
	// Slow requests matter, so these are low percentiles of throughput.
	low := func(p float64) *float64 {
		v, enough := reached(h, 100-p)
		if !enough {
			return nil
		}
		f := float64(v)
		return &f
	}
	out.Request = &requestRateJSON{
		Avg: units.Finite(h.Mean()), Min: float64(h.Min()), P1: low(1), P10: low(10), P50: low(50),
		Max: float64(h.Max()), StdDev: units.Finite(h.StdDev()),
	}
	return out
}

// milliseconds converts nanoseconds to ms.
func milliseconds(ns float64) float64 { return units.Finite(ns / 1e6) }
