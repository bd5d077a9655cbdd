package live

import (
	"maps"
	"slices"
	"time"

	"warp/pkg/aggregate"
	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/op"
)

// Count is what the operations of one kind in one phase have done so far, for views of a run in progress. All of it only
// grows, so that the difference of two counts is what happened between them. Late, Busy, Service and Responses are counted only after
// State.CountMore.
type Count struct {
	Phase string  `json:"phase,omitempty"`
	Kind  op.Kind `json:"op"`

	Requests int64         `json:"requests"` // as in Group
	Errors   int64         `json:"errors"`
	Resent   int64         `json:"resent,omitempty"` // as in Group
	Ops      int64         `json:"ops"`              // of successful operations, as are bytes and objects
	Bytes    int64         `json:"bytes"`
	Objects  int64         `json:"objects"`
	Late     int64         `json:"late,omitempty"` // operations of an open loop that started more than LateBy after they were due
	Busy     time.Duration `json:"busy_ns"`        // the sum of all their times, failed ones too

	First   time.Time `json:"first,omitzero"`
	Last    time.Time `json:"last,omitzero"`
	Threads int       `json:"threads"`
	Clients []string  `json:"clients,omitempty"`
	Hosts   []string  `json:"hosts,omitempty"`
	aggregate.OpSizes
	Latency       *hist.Histogram         `json:"latency,omitempty"` // of successful operations, as are the other two
	Service       *hist.Histogram         `json:"service,omitempty"` // open loop only
	TTFB          *hist.Histogram         `json:"ttfb,omitempty"`
	Own           aggregate.OwnPart       `json:"own,omitzero"` // the client's own part of Latency
	ErrorsByClass map[string]int64        `json:"errors_by_class,omitempty"`
	FirstErrors   []aggregate.ErrorSample `json:"first_errors,omitempty"`
	Responses     []Response              `json:"responses,omitempty"`
}

// Response counts the operations of a host that ended with an HTTP status; 0: without a response.
type Response struct {
	Host   string `json:"host"`
	Status int    `json:"status"`
	Ops    int64  `json:"ops"`
	Errors int64  `json:"errors"` // of them

	// Of successful ones.
	Bytes     int64         `json:"bytes"`
	Objects   int64         `json:"objects"`
	Time      time.Duration `json:"time_ns"`       // sums of latencies
	FirstByte time.Duration `json:"first_byte_ns"` // sums of times to first byte
	Fastest   time.Duration `json:"fastest_ns"`
	Slowest   time.Duration `json:"slowest_ns"`
}

// add adds the counts of other operations.
func (e *Response) add(o *Response) {
	if o.Ops > o.Errors {
		if e.Ops == e.Errors {
			e.Fastest = o.Fastest
		}
		e.Fastest, e.Slowest = min(e.Fastest, o.Fastest), max(e.Slowest, o.Slowest)
	}
	e.Ops, e.Errors, e.Bytes, e.Objects = e.Ops+o.Ops, e.Errors+o.Errors, e.Bytes+o.Bytes, e.Objects+o.Objects
	e.Time, e.FirstByte = e.Time+o.Time, e.FirstByte+o.FirstByte
}

// SumResponses returns the sum of the counts of responses, without host and status.
func SumResponses(list ...Response) (sum Response) {
	for i := range list {
		sum.add(&list[i])
	}
	return sum
}

// LateBy is how long after it was due an operation may start without counting as late.
const LateBy = time.Millisecond

// responses counts the operations of a group by host number and status.
type responses [][]Response

func (s *responses) add(r *decode.Record, status int) {
	*s = decode.GrowTo(*s, r.Host)
	of := (*s)[r.Host]
	i := slices.IndexFunc(of, func(e Response) bool { return e.Status == status })
	if i < 0 {
		i = len(of)
		of = append(of, Response{Status: status})
		(*s)[r.Host] = of
	}
	one := Response{Ops: 1}
	if r.Failed {
		one.Errors = 1
	} else {
		d := time.Duration(r.Latency)
		one = Response{Ops: 1, Bytes: r.Bytes, Objects: int64(r.Objects), Time: d, FirstByte: time.Duration(r.TTFB), Fastest: d, Slowest: d}
	}
	of[i].add(&one)
}

// moreCounts are what only views of a run in progress show.
type moreCounts struct {
	responses  responses
	busy, late int64
	service    *hist.Histogram
}

// observe counts what only views of a run in progress show.
func (g *group) observe(r *decode.Record, o *op.Op) {
	g.responses.add(r, o.Status)
	if r.Broken {
		return
	}
	g.busy += r.End - r.Start
	if !r.Open {
		return
	}
	if late := r.Latency - (r.End - r.Start); late > int64(LateBy) {
		g.late++
	}
	if !r.Failed {
		hist.RecordIn(&g.service, hist.Fine, r.End-r.Start)
	}
}

// CountMore has operations counted by host and status from now on, and what else of a Count is of no use for the progress line: see Count.
func (l *State) CountMore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.more = true
}

// Counts returns what each kind of operations has done so far, in the order of reports; warm-up and preparation too.
func (l *State) Counts() []Count { return l.CountsIn(nil) }

// CountsIn is Counts of some phases; nil: of all.
func (l *State) CountsIn(phases []string) []Count {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Count, 0, len(l.groups))
	for _, g := range l.groups {
		if phases == nil || slices.Contains(phases, g.Phase) {
			list = append(list, l.count(g))
		}
	}
	return list
}

func (l *State) count(g *group) Count {
	c := Count{
		Phase:         g.Phase,
		Kind:          g.Kind,
		Requests:      g.requests,
		Errors:        g.errors,
		Resent:        g.resent,
		Ops:           g.considered,
		Bytes:         g.bytes,
		Objects:       g.objects,
		Late:          g.late,
		Busy:          time.Duration(g.busy),
		OpSizes:       g.sizes,
		Latency:       g.latency.Clone(),
		Service:       g.service.Clone(),
		TTFB:          g.ttfb.Clone(),
		Own:           g.own.Clone(),
		ErrorsByClass: maps.Clone(g.failures.ByClass),
		FirstErrors:   slices.Clone(g.failures.First),
	}
	if g.series.origin != 0 {
		c.First, c.Last = time.Unix(0, g.series.first).UTC(), time.Unix(0, g.series.last).UTC()
	}
	for i, end := range g.lastEnd {
		if end > 0 {
			c.Threads++
			if client, _ := l.tables.Threads.At(i); !slices.Contains(c.Clients, client) {
				c.Clients = append(c.Clients, client)
			}
		}
	}
	for host, list := range g.responses {
		for _, r := range list {
			r.Host = l.tables.Hosts.List[host]
			c.Responses = append(c.Responses, r)
		}
		if len(list) > 0 {
			c.Hosts = append(c.Hosts, l.tables.Hosts.List[host])
		}
	}
	slices.Sort(c.Hosts)
	return c
}

// Add adds the counts of other operations of the kind. It changes neither those nor the histograms of c.
func (c *Count) Add(o *Count) {
	c.Requests, c.Errors, c.Ops = c.Requests+o.Requests, c.Errors+o.Errors, c.Ops+o.Ops
	c.Bytes, c.Objects = c.Bytes+o.Bytes, c.Objects+o.Objects
	c.Resent, c.Late, c.Busy = c.Resent+o.Resent, c.Late+o.Late, c.Busy+o.Busy
	c.Threads = max(c.Threads, o.Threads)
	c.Latency, c.Service, c.TTFB = hist.Sum(c.Latency, o.Latency), hist.Sum(c.Service, o.Service), hist.Sum(c.TTFB, o.TTFB)
	c.Own = c.Own.With(o.Own)
	failures := aggregate.Failures{ByClass: maps.Clone(c.ErrorsByClass)}
	failures.Merge(aggregate.Failures{ByClass: o.ErrorsByClass})
	c.ErrorsByClass = failures.ByClass
	c.Responses = slices.Clone(c.Responses)
	for _, r := range o.Responses {
		i := slices.IndexFunc(c.Responses, func(e Response) bool { return e.Host == r.Host && e.Status == r.Status })
		if i < 0 {
			c.Responses = append(c.Responses, r)
			continue
		}
		c.Responses[i].add(&r)
	}
}

// AddClient adds the counts of another client, which worked at the same time. It changes neither those nor what c shared with others
// before.
func (c *Count) AddClient(o *Count) {
	if o.Ops > 0 {
		c.Include(o.OpSizes, c.Ops == 0)
	}
	threads := c.Threads + o.Threads
	c.Add(o)
	c.Threads = threads
	all := aggregate.Span{From: c.First, To: c.Last}
	all.Widen(aggregate.Span{From: o.First, To: o.Last})
	c.First, c.Last = all.From, all.To
	c.Clients, c.Hosts = decode.Union(c.Clients, o.Clients), decode.Union(c.Hosts, o.Hosts)
	samples := aggregate.Failures{First: slices.Clone(c.FirstErrors)}
	samples.Merge(aggregate.Failures{First: o.FirstErrors})
	c.FirstErrors = samples.First
}

// clone returns an independent copy.
func (g *counts) clone() *counts {
	c := *g
	c.hosts, c.lastEnd = slices.Clone(g.hosts), slices.Clone(g.lastEnd)
	c.latency, c.ttfb, c.own = g.latency.Clone(), g.ttfb.Clone(), g.own.Clone()
	c.series.points = slices.Clone(g.series.points)
	for i := range c.recent.latencies {
		l := &c.recent.latencies[i]
		l.values, l.own = l.values.Clone(), l.own.Clone()
	}
	return &c
}

// CountedErrors returns the errors of benchmarks in counts, the most frequent first.
func CountedErrors(list []Count) (errors []ErrorFigures) {
	all := make(map[string]*ErrorFigures)
	for i := range list {
		c := &list[i]
		if c.Phase == op.PhasePrepare {
			continue
		}
		for class, n := range c.ErrorsByClass {
			if all[class] == nil {
				all[class] = &ErrorFigures{Class: class}
			}
			all[class].Count += n
		}
		for _, sample := range c.FirstErrors {
			if e := all[op.Class(sample.Err)]; e != nil && (e.Sample.Time.IsZero() || sample.Time.Before(e.Sample.Time)) {
				e.Sample = sample
			}
		}
	}
	return sortedErrors(all)
}
