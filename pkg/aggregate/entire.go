package aggregate

import (
	"slices"
	"time"

	"warp/pkg/aggregate/internal/decode"
	"warp/pkg/hist"
	"warp/pkg/op"
	"warp/pkg/recording"
)

// Entire is all operations of one kind in one phase, from the first start to the last end, as other tools count: there is no active
// window, and latency is the service time, End - Start. Kinds that differ only by their label are one.
type Entire struct {
	Phase string
	Kind  op.Kind
	First time.Time // start
	Last  time.Time // end
	Total Interval

	Intervals []Interval // of equal length from First; the last one, perhaps empty, holds the rest
}

// Interval is the operations that ended within a time.
type Interval struct {
	Ops      int64 // successful ones, as are bytes and objects
	Bytes    int64
	Objects  int64
	Errors   int64
	InFlight int             // greatest number of operations in flight at once, failed ones too
	Service  *hist.Histogram // of successful operations
	TTFB     *hist.Histogram // likewise, of those that have a first byte; nil if there are none

	ErrorsByClass map[string]int64 // of Errors
}

// Duration returns the time from the first start to the last end.
func (e *Entire) Duration() time.Duration { return e.Last.Sub(e.First) }

// Merge adds what ended in o.
func (i *Interval) Merge(o *Interval) {
	i.Ops, i.Bytes, i.Objects, i.Errors = i.Ops+o.Ops, i.Bytes+o.Bytes, i.Objects+o.Objects, i.Errors+o.Errors
	i.InFlight = max(i.InFlight, o.InFlight)
	i.Service, i.TTFB = hist.Join(i.Service, o.Service), hist.Join(i.TTFB, o.TTFB)
	decode.MergeClasses(&i.ErrorsByClass, o.ErrorsByClass, decode.MaxErrorClasses)
}

// maxIntervals is the maximum number of intervals of a second; longer phases have longer ones.
const maxIntervals = 10_000

// AnalyzeEntire computes the entire phases of recordings that are taken as one run, in the order of reports, and the length of
// their intervals: Options.Segment, or a second, doubled while there are too many. It reads recordings twice. Skip must be 0.
func AnalyzeEntire(opts Options, inputs ...recording.Input) ([]*Entire, time.Duration, error) {
	spans := &entireSpans{
		filter: decode.NewFilter(opts.Op, opts.Host),
		memory: newMemory(opts.maxMemory),
		index:  make(map[decode.Key]*entire),
	}
	open, _ := chained(inputs)
	columns := boundsColumns
	if opts.Host != "" {
		columns = append(slices.Clone(columns), "endpoint")
	}
	if err := readAll(open, columns, spans.add); err != nil {
		return nil, 0, err
	}
	length := spans.split(opts.Segment)
	if err := readAll(open, nil, spans.count); err != nil {
		return nil, 0, err
	}
	list := make([]*Entire, 0, len(spans.list))
	for _, e := range spans.list {
		e.finish()
		list = append(list, &e.Entire)
	}
	slices.SortStableFunc(list, func(a, b *Entire) int { return a.First.Compare(b.First) })
	var arranged []*Entire
	for _, e := range list {
		arranged = Insert(opts.Order, arranged, e, func(e *Entire) (string, op.Kind) { return e.Phase, e.Kind })
	}
	return arranged, length, nil
}

// EachEntire calls f with each operation that AnalyzeEntire counts, in the order of the recordings.
func EachEntire(opts Options, f func(*op.Op), inputs ...recording.Input) error {
	filter := decode.NewFilter(opts.Op, opts.Host)
	open, _ := chained(inputs)
	return readAll(open, nil, func(o *op.Op) error {
		if filter.Keep(o) {
			f(o)
		}
		return nil
	})
}

// entireSpans is the entire phases of a run under construction. The first pass finds their times, the second one counts.
type entireSpans struct {
	filter decode.Filter
	tables decode.Tables
	memory memory
	list   []*entire
	index  map[decode.Key]*entire
}

// entire is an Entire under construction.
type entire struct {
	Entire
	first, last int64
	line        decode.Timeline // of the intervals
	flight      flight
}

// add extends the times of a phase by an operation.
func (s *entireSpans) add(o *op.Op) error {
	if !s.filter.Keep(o) {
		return nil
	}
	e := s.of(o)
	if e == nil {
		key := decode.Key{Phase: o.Phase, Kind: o.Kind.Unlabelled()}.Clone()
		e = &entire{Entire: Entire{Phase: key.Phase, Kind: key.Kind}}
		s.index[key], s.list = e, append(s.list, e)
		s.memory.addGroup(key.Phase)
		if err := s.memory.check(&s.tables); err != nil {
			return err
		}
	}
	start, end := o.Start.UnixNano(), o.End.UnixNano()
	if !decode.ValidTimes(start, end) {
		return nil
	}
	if e.first == 0 || start < e.first {
		e.first = start
	}
	e.last = max(e.last, end)
	return nil
}

// of returns the phase of an operation; nil: it is new.
func (s *entireSpans) of(o *op.Op) *entire {
	return s.index[decode.Key{Phase: o.Phase, Kind: o.Kind.Unlabelled()}]
}

// split divides the phases into intervals.
func (s *entireSpans) split(asked time.Duration) (length time.Duration) {
	length, highest := asked, time.Duration(maxSegments)
	if asked <= 0 {
		length, highest = time.Second, maxIntervals
	}
	for _, e := range s.list {
		for time.Duration(e.last-e.first)/length > highest {
			length *= 2
		}
	}
	for _, e := range s.list {
		if e.first != 0 {
			e.First, e.Last = time.Unix(0, e.first).UTC(), time.Unix(0, e.last).UTC()
		}
		e.line = decode.Timeline{From: e.first, Length: int64(length), N: int((e.last-e.first)/int64(length)) + 1}
		e.Intervals = make([]Interval, e.line.N)
		e.flight = flight{line: e.line, peaks: make([]int, e.line.N), most: heldEvents}
	}
	return length
}

// count counts an operation.
func (s *entireSpans) count(o *op.Op) error {
	if !s.filter.Keep(o) {
		return nil
	}
	e := s.of(o)
	if e == nil {
		return errUnsteady
	}
	r := s.tables.Decode(o)
	class := ""
	if r.Failed {
		class = s.tables.Classes.List[r.Class]
	}
	e.Total.add(&r, hist.Fine, class)
	if r.Broken {
		return nil
	}
	i := e.line.EndedIn(r.Start, r.End)
	if i < 0 || r.Start < e.first {
		return errUnsteady
	}
	e.Intervals[i].add(&r, hist.Coarse, class)
	e.flight.add(r.Start, r.End)
	return s.memory.check(&s.tables)
}

// add counts an operation. Broken times are not measured.
func (i *Interval) add(r *decode.Record, precision hist.Precision, class string) {
	if r.Failed {
		i.Errors++
		decode.CountClass(&i.ErrorsByClass, class, 1, decode.MaxErrorClasses)
		return
	}
	i.Ops, i.Bytes, i.Objects = i.Ops+1, i.Bytes+r.Bytes, i.Objects+int64(r.Objects)
	if r.Broken {
		return
	}
	hist.RecordIn(&i.Service, precision, r.End-r.Start)
	if r.HasTTFB {
		hist.RecordIn(&i.TTFB, precision, r.TTFB)
	}
}

// finish ends the counting.
func (e *entire) finish() {
	for i, n := range e.flight.finish() {
		e.Intervals[i].InFlight = n
		e.Total.InFlight = max(e.Total.InFlight, n)
	}
}

// flight finds the greatest number of operations in flight at once, in each interval of a timeline. Operations come roughly in order of
// time, as recordings hold them: their starts and ends wait in a buffer. One that started before what is counted already, as a request
// that hung, counts wherever it was in flight; in the intervals of its start and its end the number may then be 1 too high.
type flight struct {
	line  decode.Timeline
	most  int     // events that wait
	held  []int64 // starts and ends that wait: Unix nanoseconds times 2, and 1 more for a start
	done  int64   // what happened before is counted
	at    int     // the interval of that
	level int     // operations in flight then
	peaks []int   // by interval
}

// heldEvents is how many starts and ends wait: several times as many as come in half a second, see op.Collector.
const heldEvents = 1 << 19

func (f *flight) add(start, end int64) {
	end = max(end, start+1) // without duration it was still in flight once
	if start >= f.done {
		f.held = append(f.held, start<<1|1, end<<1)
	} else {
		for i := f.interval(start); i <= f.interval(min(end, f.done)-1); i++ {
			f.peaks[i]++
		}
		if end > f.done {
			f.level++
			f.held = append(f.held, end<<1)
		}
	}
	if len(f.held) >= f.most {
		slices.Sort(f.held) // of one time, ends come first
		f.held = f.held[:copy(f.held, f.held[f.count(f.most/2):])]
	}
}

// count counts the first n of the events that wait, which are sorted, and those at the same time as the last of them.
func (f *flight) count(n int) int {
	for i, e := range f.held {
		t, start := e>>1, e&1 == 1
		if i >= n && t >= f.done {
			return i
		}
		in := f.interval(t)
		if !start {
			in = f.interval(t - 1)
		}
		for f.at < in {
			f.at++
			f.peaks[f.at] = max(f.peaks[f.at], f.level)
		}
		if start {
			f.level++
			f.peaks[in] = max(f.peaks[in], f.level)
		} else {
			f.level--
		}
		f.done = t + 1
	}
	return len(f.held)
}

// interval returns the number of the interval of a time; the last one has no end.
func (f *flight) interval(t int64) int {
	return min(int(max(0, t-f.line.From)/f.line.Length), f.line.N-1)
}

// finish counts what waits, and returns the greatest numbers.
func (f *flight) finish() []int {
	slices.Sort(f.held)
	f.count(len(f.held))
	f.held = nil
	return f.peaks
}
