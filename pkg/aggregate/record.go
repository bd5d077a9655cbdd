package aggregate

import "warp/pkg/op"

// record is an operation in the form used by the statistics: times in nanoseconds, names as numbers.
type record struct {
	start, end int64
	latency    int64
	ttfb       int64
	late, own  int64 // see ownPart
	bytes      int64
	objects    int
	host       int
	bucket     int // of several; the one without a name stands for the only one
	thread     int
	client     int
	hasTTFB    bool
	failed     bool
	resent     bool  // a request of it was sent again
	open       bool  // it had a due time
	broken     bool  // invalid times
	class      uint8 // of its error, see tables; 0 if it did not fail
}

// tables numbers the hosts, clients and threads of a run from 0 in order of appearance.
type tables struct {
	hosts   names
	buckets names
	threads threads
	classes names // of errors, the first of which is otherErrors
}

// decode is called once per operation.
func (t *tables) decode(o *op.Op) record {
	r := record{
		start:   o.Start.UnixNano(),
		end:     o.End.UnixNano(),
		bytes:   max(0, o.Bytes),
		objects: max(0, o.Objects),
		host:    t.hosts.number(o.Endpoint),
		bucket:  t.buckets.number(o.Bucket),
		failed:  o.Failed(),
		resent:  o.Resent > 0,
		open:    !o.Due.IsZero(),
	}
	r.thread, r.client = t.threads.number(o.Client, o.Thread)
	if r.failed {
		r.class = t.class(o.Err)
	}
	r.broken = !validTimes(r.start, r.end)
	r.latency = r.end - r.start
	if r.open {
		r.latency = r.end - o.Due.UnixNano()
	}
	ttfb, ok := o.TTFB()
	r.ttfb, r.hasTTFB = int64(ttfb), ok
	if r.own = notKnown; o.OwnLate != 0 || !o.Arrived.IsZero() {
		r.late, r.own = ownPart(o, r.latency)
	}
	return r
}

// validTimes reports whether an operation can be placed in time: it ends no earlier than it starts, which a clock that
// was set back can break, and it is later than 1970, which excludes missing and overflowing times.
func validTimes(start, end int64) bool { return start > 0 && end >= start }

// maxClassNumbers bounds the classes of errors that have a number, of all groups; further ones count as otherErrors.
const maxClassNumbers = 250

// class returns the number of the class of an error.
func (t *tables) class(err string) uint8 {
	if len(t.classes.list) == 0 {
		t.classes.number(otherErrors)
	}
	class := op.Class(err)
	if _, known := t.classes.index[class]; !known && len(t.classes.list) == maxClassNumbers {
		return 0
	}
	return uint8(t.classes.number(class))
}

// notKnown is the own part of an operation whose response has no known arrival.
const notKnown = -1

// ownPart returns how late the client sent an operation by its own fault, and its own part of the latency, notKnown if it is not known.
func ownPart(o *op.Op, latency int64) (late, own int64) {
	if o.Kind.Whole() {
		return 0, notKnown
	}
	late = min(max(0, int64(o.OwnLate)), latency)
	unread, ok := o.Unread()
	if !ok {
		return late, notKnown
	}
	return late, min(late+int64(unread), latency)
}
