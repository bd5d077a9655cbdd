// Package decode turns operations into the form that statistics use: times in nanoseconds, names as numbers. It selects operations, and
// says where in time they lie.
package decode

import "warp/pkg/op"

// Record is an operation in the form that statistics use: times are in nanoseconds, names are numbers of Tables.
type Record struct {
	Start, End int64
	Latency    int64
	TTFB       int64
	Late, Own  int64 // see OwnPart
	Bytes      int64
	Objects    int
	Host       int
	Bucket     int // the one without a name stands for the only bucket
	Thread     int
	Client     int
	HasTTFB    bool
	Failed     bool
	Resent     bool  // a request of it was sent again
	Open       bool  // it had a due time
	Broken     bool  // invalid times
	Class      uint8 // of its error, see Tables; 0 if it did not fail
}

// Tables numbers the hosts, clients and threads of a run from 0 in order of appearance.
type Tables struct {
	Hosts   names
	Buckets names
	Threads threads
	Classes names // of errors, the first is OtherErrors
}

// Decode returns an operation as numbers. It is called once for each operation.
func (t *Tables) Decode(o *op.Op) Record {
	r := Record{
		Start:   o.Start.UnixNano(),
		End:     o.End.UnixNano(),
		Bytes:   max(0, o.Bytes),
		Objects: max(0, o.Objects),
		Host:    t.Hosts.number(o.Endpoint),
		Bucket:  t.Buckets.number(o.Bucket),
		Failed:  o.Failed(),
		Resent:  o.Resent > 0,
		Open:    !o.Due.IsZero(),
	}
	r.Thread, r.Client = t.Threads.Number(o.Client, o.Thread)
	if r.Failed {
		r.Class = t.class(o.Err)
	}
	r.Broken = !ValidTimes(r.Start, r.End)
	r.Latency = r.End - r.Start
	if r.Open {
		r.Latency = r.End - o.Due.UnixNano()
	}
	ttfb, ok := o.TTFB()
	r.TTFB, r.HasTTFB = int64(ttfb), ok
	if r.Own = Unknown; o.OwnLate != 0 || !o.Arrived.IsZero() {
		r.Late, r.Own = OwnPart(o, r.Latency)
	}
	return r
}

// ValidTimes reports whether an operation can be placed in time: it ends no earlier than it starts, which a clock that
// was set back can break, and it is later than 1970, which excludes missing and overflowing times.
func ValidTimes(start, end int64) bool { return start > 0 && end >= start }

// maxClassNumbers bounds the classes of errors that have a number, of all groups; further ones count as OtherErrors.
const maxClassNumbers = 250

// class returns the number of the class of an error.
func (t *Tables) class(err string) uint8 {
	if len(t.Classes.List) == 0 {
		t.Classes.number(OtherErrors)
	}
	class := op.Class(err)
	if _, known := t.Classes.index[class]; !known && len(t.Classes.List) == maxClassNumbers {
		return 0
	}
	return uint8(t.Classes.number(class))
}

// Unknown is the own part of an operation whose response has no known arrival.
const Unknown = -1

// OwnPart returns how late the client sent an operation by its own fault, and its own part of the latency, or Unknown.
func OwnPart(o *op.Op, latency int64) (late, own int64) {
	if o.Kind.IsComposite() {
		return 0, Unknown
	}
	late = min(max(0, int64(o.OwnLate)), latency)
	unread, ok := o.Unread()
	if !ok {
		return late, Unknown
	}
	return late, min(late+int64(unread), latency)
}
