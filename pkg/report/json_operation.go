package report

import (
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/units"
)

type (
	operationJSON struct {
		Op            string              `json:"op"`
		Phase         string              `json:"phase,omitempty"`
		Whole         bool                `json:"whole,omitempty"`
		Requests      int64               `json:"requests"`
		Considered    int64               `json:"considered"`
		Errors        int64               `json:"errors"`
		Resent        int64               `json:"resent,omitempty"`
		ErrorsByClass map[string]int64    `json:"errors_by_class,omitempty"`
		ErrorsByTime  []errorsJSON        `json:"errors_by_segment,omitempty"`
		FirstErrors   []errorJSON         `json:"first_errors,omitempty"`
		Concurrency   int                 `json:"concurrency"`
		Clients       int                 `json:"clients"`
		Hosts         []string            `json:"hosts"`
		Start         *time.Time          `json:"start,omitempty"`
		End           *time.Time          `json:"end,omitempty"`
		Duration      float64             `json:"duration_s"`
		LooseWindow   bool                `json:"loose_window,omitempty"`
		Window        *windowJSON         `json:"window,omitempty"`
		Ran           float64             `json:"ran_s"`
		ObjectsPerOp  float64             `json:"objects_per_op"`
		Size          float64             `json:"size_bytes"`
		MinSize       *int64              `json:"min_size_bytes,omitempty"`
		MaxSize       *int64              `json:"max_size_bytes,omitempty"`
		Throughput    throughputJSON      `json:"throughput"`
		Segments      *segmentsJSON       `json:"segments,omitempty"`
		Latency       *latencyJSON        `json:"latency_ms,omitempty"`
		Service       *latencyJSON        `json:"service_ms,omitempty"`
		TTFB          *latencyJSON        `json:"ttfb_ms,omitempty"`
		Own           *latencyJSON        `json:"own_ms,omitempty"`
		OwnMeasured   int64               `json:"own_measured,omitempty"`
		OwnLate       *latencyJSON        `json:"own_late_ms,omitempty"`
		ApproxLatency *approxJSON         `json:"approx_latency_ms,omitempty"`
		ApproxTTFB    *approxJSON         `json:"approx_ttfb_ms,omitempty"`
		First         *latencyJSON        `json:"first_access_ms,omitempty"`
		FirstTTFB     *latencyJSON        `json:"first_access_ttfb_ms,omitempty"`
		Last          *latencyJSON        `json:"last_access_ms,omitempty"`
		LastTTFB      *latencyJSON        `json:"last_access_ttfb_ms,omitempty"`
		ByHost        map[string]partJSON `json:"by_host,omitempty"`
		ByClient      map[string]partJSON `json:"by_client,omitempty"`
		ByBucket      map[string]partJSON `json:"by_bucket,omitempty"`
		BySize        []sizeJSON          `json:"by_size,omitempty"`
		Used          *usedJSON           `json:"objects_used,omitempty"`
	}

	phaseJSON struct {
		Phase       string         `json:"phase,omitempty"`
		Streams     []string       `json:"streams,omitempty"`
		Requests    int64          `json:"requests"`
		Errors      int64          `json:"errors"`
		Concurrency int            `json:"concurrency"`
		Start       *time.Time     `json:"start,omitempty"`
		End         *time.Time     `json:"end,omitempty"`
		Duration    float64        `json:"duration_s"`
		LooseWindow bool           `json:"loose_window,omitempty"`
		Window      *windowJSON    `json:"window,omitempty"`
		Ran         float64        `json:"ran_s"`
		Throughput  throughputJSON `json:"throughput"`
		Segments    *segmentsJSON  `json:"segments,omitempty"`
	}

	throughputJSON struct {
		Bytes   float64 `json:"bytes_per_sec"`
		Objects float64 `json:"objects_per_sec"`
		Ops     float64 `json:"ops_per_sec"`
	}

	segmentsJSON struct {
		Duration float64     `json:"duration_s"`
		Count    int         `json:"count"`
		Metric   string      `json:"metric"`
		Fastest  segmentJSON `json:"fastest"`
		Median   segmentJSON `json:"median"`
		Slowest  segmentJSON `json:"slowest"`
		Rest     *restJSON   `json:"rest,omitempty"`
	}

	restJSON struct {
		Ended   int64   `json:"ops_ended"`
		Errors  int64   `json:"errors"`
		Bytes   float64 `json:"bytes"`
		Objects float64 `json:"objects"`
	}

	windowJSON struct {
		Rule     string    `json:"rule"`
		Sending  float64   `json:"sending_s"`
		Begun    *edgeJSON `json:"begun_by,omitempty"`
		Ended    *edgeJSON `json:"ended_by,omitempty"`
		InFlight int64     `json:"in_flight_at_end,omitempty"`
		Longest  *edgeJSON `json:"longest_in_flight,omitempty"`
		Drain    float64   `json:"drain_s,omitempty"`
	}

	edgeJSON struct {
		Client string     `json:"client_id,omitempty"`
		Thread *uint32    `json:"thread,omitempty"`
		At     *time.Time `json:"at,omitempty"`
		Op     string     `json:"op,omitempty"`
		Host   string     `json:"host,omitempty"`
		Key    string     `json:"key,omitempty"`
		Took   float64    `json:"took_ms,omitempty"`
	}

	segmentJSON struct {
		Start   time.Time `json:"start"`
		Bytes   float64   `json:"bytes_per_sec"`
		Objects float64   `json:"objects_per_sec"`
	}

	partJSON struct {
		Requests   int64            `json:"requests"`
		Errors     int64            `json:"errors"`
		ByClass    map[string]int64 `json:"errors_by_class,omitempty"`
		Throughput throughputJSON   `json:"throughput"`
		Latency    *latencyJSON     `json:"latency_ms,omitempty"`
		TTFB       *latencyJSON     `json:"ttfb_ms,omitempty"`
		Own        *latencyJSON     `json:"own_ms,omitempty"`
		OwnLate    *latencyJSON     `json:"own_late_ms,omitempty"`
	}

	sizeJSON struct {
		From     int64            `json:"from_bytes"`
		To       int64            `json:"to_bytes"`
		Requests int64            `json:"requests"`
		Bytes    int64            `json:"bytes"`
		Request  *requestRateJSON `json:"request_bytes_per_sec,omitempty"`
		Latency  *latencyJSON     `json:"latency_ms,omitempty"`
		TTFB     *latencyJSON     `json:"ttfb_ms,omitempty"`
	}

	requestRateJSON struct {
		Avg    float64  `json:"avg"`
		Min    float64  `json:"min"`
		P1     *float64 `json:"p1,omitempty"`
		P10    *float64 `json:"p10,omitempty"`
		P50    *float64 `json:"p50,omitempty"`
		Max    float64  `json:"max"`
		StdDev float64  `json:"stddev"`
	}

	errorsJSON struct {
		Start   time.Time        `json:"start"`
		Errors  int64            `json:"errors"`
		ByClass map[string]int64 `json:"errors_by_class,omitempty"`
	}

	errorJSON struct {
		Time  time.Time `json:"time"`
		Host  string    `json:"host"`
		Key   string    `json:"key,omitempty"`
		Error string    `json:"error"`
	}
)

// operationOf returns the JSON of one kind of operation.
func operationOf(g *aggregate.Group, segment time.Duration) operationJSON {
	o := operationJSON{
		Op:            string(g.Kind),
		Phase:         g.Phase,
		Whole:         g.Kind.IsComposite(),
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
	if g.RepeatReads > 0 {
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

// windowOf returns the rule that found the window of a group, and how the window differs from the time of sending; nil if there is no
// window.
func windowOf(g *aggregate.Group) *windowJSON {
	w := &g.Window
	if w.Duration() <= 0 || w.Sent.From.IsZero() {
		return nil
	}
	j := &windowJSON{
		Rule:     string(aggregate.Active),
		Sending:  w.Sent.Duration().Seconds(),
		Drain:    g.Pending.Drain.Seconds(),
		InFlight: g.Pending.Ops,
	}
	if w.Classic {
		j.Rule = string(aggregate.Classic)
	}
	if _, short := w.Short(); short {
		j.Begun, j.Ended = edgeOf(w.Begun), edgeOf(w.Ended)
	}
	if g.Pending.Ops > 0 {
		j.Longest = &edgeJSON{
			Op:   string(g.Pending.Longest.Kind),
			Host: g.Pending.Longest.Host,
			Key:  g.Pending.Longest.Key,
			Took: milliseconds(float64(g.Pending.Longest.Took)),
		}
	}
	return j
}

func edgeOf(e *aggregate.Edge) *edgeJSON {
	if e == nil {
		return nil
	}
	at := e.End.UTC()
	return &edgeJSON{
		Client: e.Client,
		Thread: &e.Thread,
		At:     &at,
		Op:     string(e.Kind),
		Host:   e.Host,
		Key:    e.Key,
		Took:   milliseconds(float64(e.Took)),
	}
}

// phaseOf returns the JSON of a total. It has no times of requests: kinds of operations differ too much.
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
