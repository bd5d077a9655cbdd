package index

import (
	"math"
	"strconv"
	"time"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// A copy has two entries: one for its target, and before that one of kindSource, which is sorted among the operations on the source. This
// shows whether the source must exist first. Both have the same time and consecutive places, so that they are next to each other again when
// entries are sorted by time.

// kindSource is the kind of the entry of a source. Its detail is the kind of the copy, its latency the hash of the target.
const kindSource = math.MaxUint8

// addSource adds the entry of the source of a copy. Where the trace does not name the source, an object of the same size stands for it.
func (x *builder) addSource(v *trace.Event, copied *entry) error {
	e := entry{
		place: copied.place - 1, start: copied.start, size: trace.Unknown, offset: trace.Unknown, latency: int64(copied.object),
		client: copied.client, status: copied.status, detail: uint16(copied.kind), kind: kindSource,
	}
	bucket, key := v.SourceBucket, v.Source
	switch {
	case len(key) == 0:
		if e.size = copied.size; v.Kind == op.CopyPart && e.size <= 0 {
			e.size = trace.MinPart
		}
		e.size = max(0, e.size)
		x.text = strconv.AppendInt(append(x.text[:0], "copied/"...), e.size, 10)
		bucket, key = nil, x.text
		copied.offset, copied.length = trace.Unknown, 0
	case copied.length == 0: // the whole object
		e.size = copied.size
	default:
		e.offset, e.length = copied.offset, copied.length
	}
	e.object = x.hash.of(bucket, key)
	if !v.Numbered || len(v.Source) == 0 {
		if err := x.names.add(e.object, bucket, key); err != nil {
			return err
		}
	}
	return x.byObject.add(&e)
}

// sourceEntry handles the source of a copy in order of objects. If the copy is selected, so is the source: each part of a trace that copies
// it has one.
func (x *builder) sourceEntry(e *entry) error {
	g := &x.group
	g.note(op.Get, e)
	made := uint64(e.latency)
	if !x.selection.kind(trace.Kinds[e.detail]) || !x.selection.within(time.Duration(e.start-x.begin)) || !x.selection.inPart(made) {
		return nil
	}
	g.sources++
	if x.selection.inPart(g.hash) {
		g.needs(e, e.status >= 300)
	} else { // other operations on it are in another part
		g.readSeen = true
		g.before = max(g.before, g.largest)
	}
	return x.number(e)
}

// copied completes a copy by the entry of its source.
func (x *builder) copied(o *trace.Operation, e *entry) {
	from := &x.source
	o.Source = int64(from.object)
	e.missing = e.missing || from.missing
	if e.op() == op.Copy && e.size < 0 {
		e.size = from.size
	}
}
