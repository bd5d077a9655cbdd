package index

import (
	"time"

	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/trace"
)

// flow summarizes events in order of time.
type flow struct {
	*trace.Summary
	idle          int64 // pauses are shortened to this; 0: they are not
	count         int64
	begin         int64 // time of the first event in any part
	last          int64
	skipped       int64 // sum of what pauses were shortened by
	pushed        int64 // current shift of times in nanoseconds, which keeps operations at one time apart
	kinds         [16]*kindFlow
	total         ends64   // ends of requests in flight
	each          []ends64 // by client
	sent          []bool   // by client
	unknownClient int64    // number that stands for unknown clients; -1: all are known
	busy          int64    // sum of all latencies
	known         int64    // events with a latency
	rates         rates
}

// kindFlow is the summary of a kind of operation.
type kindFlow struct {
	trace.KindSummary
	sizes, latencies *hist.Histogram
}

// newFlow returns a flow that adds to the summary of a trace with this span and beginning.
func newFlow(s *trace.Summary, selection trace.Selection, span time.Duration, begin int64) *flow {
	if selection.To > 0 {
		span = min(span, selection.To)
	}
	s.Begin = time.Unix(0, begin).UTC()
	return &flow{
		Summary:       s,
		unknownClient: -1,
		begin:         begin,
		last:          begin,
		idle:          int64(selection.CompressIdle),
		rates:         rates{length: intervalOf(int64(max(0, span-selection.From)))},
	}
}

// add adds the next event. It returns the time of the event since the first one, and its number from 1.
func (f *flow) add(e *entry) (at, n int64) {
	f.count++
	pause := e.start - f.last
	f.last = e.start
	f.LongestPause = max(f.LongestPause, time.Duration(pause))
	if f.idle > 0 && pause > f.idle {
		f.skipped += pause - f.idle
		f.Pauses++
	}
	// No two events have the same time: a recording of a replay keeps their order too.
	if at = e.start - f.begin - f.skipped + f.pushed; f.count > 1 && at <= int64(f.Span) {
		f.pushed += int64(f.Span) + 1 - at
		at = int64(f.Span) + 1
	} else if f.pushed > 0 {
		back := min(f.pushed, at-int64(f.Span)-1)
		f.pushed, at = f.pushed-back, at-back
	}
	f.Span = time.Duration(at)
	k := f.kinds[e.kind]
	if k == nil {
		k = &kindFlow{trace.KindSummary{Kind: trace.Kinds[e.kind]}, hist.New(hist.Coarse), hist.New(hist.Coarse)}
		f.kinds[e.kind] = k
	}
	moved := k.add(e)
	f.rates.add(at, moved)
	if e.latency >= 0 {
		f.inFlight(e)
	}
	f.countClient(e.client)
	return at, f.count
}

// countClient counts the sender of an operation.
func (f *flow) countClient(client uint32) {
	for int(client) >= len(f.sent) {
		f.sent = append(f.sent, false)
	}
	if !f.sent[client] {
		f.sent[client] = true
		f.Clients.Count++
	}
	if int64(client) == f.unknownClient {
		f.Clients.Unknown++
	}
}

// add counts an event of the kind, and returns the bytes that it moved.
func (k *kindFlow) add(e *entry) (moved int64) {
	k.Operations++
	if e.status >= 400 || e.status >= 300 && e.status != 304 {
		k.Failed++
	} else if kind := e.op(); kind == op.Get || kind == op.Put || kind == op.PutPart {
		if moved = max(0, e.size); e.length > 0 {
			moved = e.length
			k.Ranges++
		}
		k.Bytes += moved
		if e.size < 0 && e.length == 0 {
			k.NoSize++
		} else {
			k.sizes.Record(moved)
		}
	}
	if e.latency >= 0 {
		k.latencies.Record(e.latency)
	}
	return moved
}

// inFlight counts the requests in flight when an event begins.
func (f *flow) inFlight(e *entry) {
	f.known++
	f.busy += e.latency
	f.AtOnce = max(f.AtOnce, f.total.add(e.start, e.start+e.latency))
	for int(e.client) >= len(f.each) {
		f.each = append(f.each, ends64{})
	}
	c := &f.each[e.client]
	c.highest = max(c.highest, c.add(e.start, e.start+e.latency))
}

// finish completes the summary.
func (f *flow) finish() {
	for _, k := range f.kinds {
		if k == nil {
			continue
		}
		k.Size, k.Latency = quantiles(k.sizes), quantiles(k.latencies)
		f.Kinds = append(f.Kinds, k.KindSummary)
	}
	f.rates.finish(f.Summary)
	f.WithLatency = f.known
	if f.Span > 0 && f.known > 0 {
		f.MeanAtOnce = float64(f.busy) / float64(f.Span)
	}
	highest := hist.New(hist.Coarse)
	for _, c := range f.each {
		if c.highest > 0 {
			highest.Record(c.highest)
		}
	}
	f.Clients.AtOnce = quantiles(highest)
}

// rates counts operations and bytes by time.
type rates struct {
	length     int64 // of an interval
	operations []int64
	bytes      []int64
}

func (r *rates) add(at, moved int64) {
	i := int(min(at/r.length, intervals))
	for len(r.operations) <= i {
		r.operations, r.bytes = append(r.operations, 0), append(r.bytes, 0)
	}
	r.operations[i]++
	r.bytes[i] += moved
}

func (r *rates) finish(s *trace.Summary) {
	s.Rates = trace.Rates{Interval: time.Duration(r.length), Operations: r.operations, Bytes: r.bytes}
}
