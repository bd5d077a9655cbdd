package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"warp/pkg/op"
	"warp/pkg/trace"
	"warp/pkg/trace/formats"
)

// maxClients is the maximum number of clients. Above it, several share a number, by a hash of their names.
const maxClients = 1 << 16

// builder sorts a trace and summarizes it.
type builder struct {
	selection  selector
	summary    trace.Summary
	byObject   *sorter
	byTime     *sorter
	out        *trace.Writer // nil: none is written
	names      *nameTable    // nil: none are written
	nameMemory int           // bytes of names that are sorted in memory at a time; tests reduce it

	clients    map[string]uint32
	events     int   // number of events read
	begin, end int64 // of all events, whatever times are selected
	from, to   int64 // first and last selected event, in any part
	hash       objectHash
	text       []byte // of a name

	group       group // the current object
	source      entry // of the next copy in order of time
	first, rest int64 // numbers given so far: to objects that must exist first, and to others
	working     workingSet
	objects     objectTally
	flow        *flow
}

// Build reads all events of a trace, summarizes the selected ones, and writes them to out in the compact form; out may be nil. Its
// temporary files are gone when it returns.
func Build(ctx context.Context, r *formats.Reader, selection trace.Selection, out io.Writer) (*trace.Summary, error) {
	return newBuilder(selection).perform(ctx, r, out)
}

func newBuilder(selection trace.Selection) *builder {
	return &builder{
		selection:  selector(selection),
		clients:    map[string]uint32{},
		nameMemory: nameMemory,
		begin:      math.MaxInt64,
		end:        math.MinInt64,
		from:       math.MaxInt64,
		to:         math.MinInt64,
		byObject:   newSorter(byObject),
		byTime:     newSorter(byTime),
	}
}

func (x *builder) perform(ctx context.Context, r *formats.Reader, out io.Writer) (s *trace.Summary, err error) {
	defer func() { err = errors.Join(err, x.byObject.close(), x.byTime.close(), x.names.close()) }()
	if out != nil {
		if x.out, err = trace.NewWriter(out); err != nil {
			return nil, err
		}
		if err = x.wantNames(r); err != nil {
			return nil, err
		}
	}
	if err := x.collect(ctx, r); err != nil {
		return nil, err
	}
	switch {
	case x.end >= x.begin:
	case x.events > 0:
		return nil, errNotSelected
	default:
		return nil, errors.New("the trace has no operation that can be replayed" + skippedNames(r.Skipped))
	}
	x.working.begin(x.end - x.begin)
	if err := x.names.begin(); err != nil {
		return nil, err
	}
	if err := x.byObject.each(func(e *entry) error { return x.objectEntry(ctx, e) }); err != nil {
		return nil, err
	}
	if err := x.endObject(); err != nil {
		return nil, err
	}
	if err := errors.Join(x.byObject.close(), x.names.write(x.out)); err != nil {
		return nil, err
	}
	if x.summary.Operations == 0 {
		return nil, errNotSelected
	}
	x.flow = newFlow(&x.summary, trace.Selection(x.selection), time.Duration(x.end-x.begin), x.from)
	if nobody, ok := x.clients[""]; ok {
		x.flow.unknownClient = int64(nobody)
	}
	if err := x.byTime.each(func(e *entry) error { return x.timeEntry(ctx, e) }); err != nil {
		return nil, err
	}
	x.finish(r)
	if x.out != nil {
		err = x.out.End(&x.summary)
	}
	return &x.summary, err
}

var errNotSelected = errors.New("no operation of the trace is selected")

// skippedNames lists the records of a trace that are not operations.
func skippedNames(skipped map[string]int64) string {
	text := ""
	for _, name := range slices.Sorted(maps.Keys(skipped)) {
		text += fmt.Sprintf("; %d × %s", skipped[name], name)
	}
	return text
}

// wantNames prepares for names, unless none are selected.
func (x *builder) wantNames(r *formats.Reader) (err error) {
	if x.selection.Names == trace.NoNames {
		return nil
	}
	if x.names, err = newNameTable(x.selection.Names, x.nameMemory); err != nil {
		return err
	}
	r.Names = func(key, name []byte) error {
		object := x.hash.of(nil, key)
		for _, object := range []uint64{object, prefixHash(object)} { // it may be either
			if !x.selection.sampled(object) {
				continue
			}
			if err := x.names.add(object, nil, name); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// collect reads all events and sorts them by object.
func (x *builder) collect(ctx context.Context, r *formats.Reader) error {
	var e entry
	r.Interrupt = func() error { return context.Cause(ctx) }
	for ; r.Scan(); x.events++ {
		if x.events%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v := r.Event()
		if !x.selection.bucket(v.Bucket) {
			continue
		}
		if e = x.entryOf(v); !x.selection.sampled(e.object) {
			continue
		}
		if !v.Numbered {
			if err := x.names.add(e.object, v.Bucket, v.Key); err != nil {
				return err
			}
		}
		if v.Kind.Copies() {
			if err := x.addSource(v, &e); err != nil {
				return err
			}
		}
		x.begin, x.end = min(x.begin, e.start), max(x.end, e.start)
		if err := x.byObject.add(&e); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return errors.Join(r.Err(), r.Close())
}

// entryOf returns the entry of an event.
func (x *builder) entryOf(v *trace.Event) entry {
	e := entry{
		object:  x.hash.of(v.Bucket, v.Key),
		place:   2*uint64(x.events) + 1, // the place before is for the source of a copy
		start:   v.Start,
		size:    max(trace.Unknown, v.Size),
		offset:  max(trace.Unknown, v.Offset),
		length:  max(0, v.Length),
		latency: v.Latency,
		client:  x.client(v.Client),
		status:  uint16(max(0, min(999, v.Status))),
		kind:    trace.KindIndex(v.Kind),
	}
	switch v.Kind {
	case op.List:
		e.object = prefixHash(e.object)
		e.detail = uint16(v.Listed)
		if e.size = v.Entries; v.Entries <= 0 {
			e.size = trace.Unknown
		}
	case op.PutPart, op.CopyPart:
		e.detail = uint16(max(0, min(math.MaxUint16, v.Part)))
	}
	return e
}

// client returns the number of a client.
func (x *builder) client(name []byte) uint32 {
	if n, ok := x.clients[string(name)]; ok {
		return n
	}
	if len(x.clients) >= maxClients {
		x.summary.ManyClients = true
		return uint32(xxhash.Sum64(name) % maxClients)
	}
	n := uint32(len(x.clients))
	x.clients[string(name)] = n
	return n
}

// objectEntry handles the next event in order of objects.
func (x *builder) objectEntry(ctx context.Context, e *entry) error {
	g := &x.group
	if g.events > 0 && g.hash != e.object {
		if err := x.endObject(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	if g.events++; g.events == 1 {
		g.hash = e.object
	}
	if e.kind == kindSource {
		return x.sourceEntry(e)
	}
	g.parts(e)
	kind, at := e.op(), e.start-x.begin
	g.listed = kind == op.List
	g.note(kind, e)
	if selected := x.selection.kind(kind); !selected || !x.selection.within(time.Duration(at)) {
		if g.exists(kind, e); !selected {
			x.summary.OtherKinds++
		}
		return nil
	}
	if x.selection.SkipMissing && trace.UsesObject(kind) && !kind.CreatesObject() && !g.wrote {
		return nil
	}
	g.keep(kind, e)
	x.from, x.to = min(x.from, e.start), max(x.to, e.start)
	if !x.selection.inPart(g.hash) {
		g.kept = 0
		return nil
	}
	if e.missing {
		x.summary.Missing++
	}
	if !g.listed {
		x.working.add(&g.touched, at, max(g.size, 0))
	}
	x.summary.Operations++
	return x.number(e)
}

// maxHeld is the maximum number of operations of an object that wait until it is known whether the object must exist first. If that is not
// known by then, it need not.
const maxHeld = 1 << 12

// others marks the numbers of objects that need not exist first. They follow the numbers of objects that must, whose count is
// not yet known.
const others = 1 << 63

// number gives an operation the number of its object as soon as the object has one.
func (x *builder) number(e *entry) error {
	g := &x.group
	if !g.numbered {
		g.held = append(g.held, *e)
		if !g.readSeen && !g.wrote && len(g.held) < maxHeld {
			return nil
		}
		return x.release()
	}
	e.object = g.number
	return x.byTime.add(e)
}

// release numbers an object, and passes on the operations that waited for its number.
func (x *builder) release() error {
	g := &x.group
	g.numbered = true
	if g.readSeen {
		g.number = uint64(x.first)
		x.first++
	} else {
		g.number = others | uint64(x.rest)
		x.rest++
	}
	for i := range g.held {
		g.held[i].object = g.number
		if err := x.byTime.add(&g.held[i]); err != nil {
			return err
		}
	}
	g.held = g.held[:0]
	return nil
}

// endObject adds the current object to the summary, and writes its size and name.
func (x *builder) endObject() error {
	g := &x.group
	if len(g.held) > 0 {
		if err := x.release(); err != nil {
			return err
		}
	}
	x.objects.add(g)
	if g.selected() {
		if err := x.names.number(g); err != nil {
			return err
		}
	}
	first, size := g.selected() && g.readSeen, g.before
	*g = group{held: g.held}
	if x.out == nil || !first {
		return nil
	}
	return x.out.Object(size)
}

// timeEntry handles the next event in order of time.
func (x *builder) timeEntry(ctx context.Context, e *entry) error {
	if e.object >= others {
		e.object = e.object - others + uint64(x.first)
	}
	if e.kind == kindSource {
		x.source = *e
		return nil
	}
	o := trace.Operation{Source: trace.Unknown}
	if e.op().Copies() && x.source.place+1 == e.place {
		x.copied(&o, e)
	}
	at, n := x.flow.add(e)
	if n%4096 == 0 && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if x.out == nil {
		return nil
	}
	e.operation(&o)
	o.At = time.Duration(at)
	return x.out.Operation(&o)
}

// finish completes the summary.
func (x *builder) finish(r *formats.Reader) {
	s := &x.summary
	if x.selection.Parts > 1 { // all parts last as long as the whole
		s.Span = max(s.Span, time.Duration(x.to-x.from))
	}
	x.flow.finish()
	x.objects.finish(s)
	x.working.finish(s)
	s.Selection, s.Reading = trace.Selection(x.selection), r.Reading
	s.TemporaryFiles, s.TemporaryBytes = x.byObject.files+x.byTime.files, x.byObject.spill+x.byTime.spill
}
