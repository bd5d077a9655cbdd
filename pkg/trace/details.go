package trace

import (
	"encoding/binary"
	"time"

	"warp/pkg/op"
)

// flags returns the kind of an operation and its flags.
func (o *Operation) flags() byte {
	flags := kindCode(o.Kind)
	if o.Missing {
		flags |= flagMissing
	}
	if o.detailed() {
		flags |= flagDetails
	}
	return flags
}

// setFlags sets what flags says, and reports whether its kind is known.
func (o *Operation) setFlags(flags byte) bool {
	if int(flags&flagKind) >= len(Kinds) {
		return false
	}
	o.Kind, o.Missing, o.Source = Kinds[flags&flagKind], flags&flagMissing != 0, Unknown
	return true
}

// packedLatency returns the latency in microseconds plus 1; 0: it is unknown.
func (o *Operation) packedLatency() uint64 {
	if o.Latency < 0 {
		return 0
	}
	return uint64(o.Latency/time.Microsecond) + 1
}

// unpackLatency is the inverse of packedLatency.
func unpackLatency(v uint64) time.Duration {
	if v == 0 {
		return Unknown
	}
	return time.Duration(v-1) * time.Microsecond
}

// detailed reports whether an operation has more than most have.
func (o *Operation) detailed() bool {
	switch o.Kind {
	case op.PutPart:
		return o.Part > 0
	case op.List:
		return o.Listed != 0
	case op.Copy, op.CopyPart:
		return true
	}
	return o.Length > 0
}

// maxDetails is the maximum number of numbers that appendDetails appends.
const maxDetails = 4

// appendDetails appends what the operation has more than most.
func (o *Operation) appendDetails(b []byte) []byte {
	if !o.detailed() {
		return b
	}
	switch o.Kind {
	case op.PutPart:
		return binary.AppendUvarint(b, uint64(o.Part))
	case op.List:
		return binary.AppendUvarint(b, uint64(o.Listed))
	case op.Copy:
		return binary.AppendUvarint(b, uint64(o.Source+1))
	case op.CopyPart:
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(o.Part)), uint64(o.Source+1))
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(o.Offset+1)), uint64(o.Length))
}

// details reads what appendDetails appended.
func (c *column) details(o *Operation) {
	switch o.Kind {
	case op.PutPart:
		o.Part = int(c.next())
		return
	case op.List:
		o.Listed = Listed(c.next())
		return
	case op.Copy:
		o.Source = int64(c.next()) - 1
		return
	case op.CopyPart:
		o.Part, o.Source = int(c.next()), int64(c.next())-1
	}
	o.Offset, o.Length = int64(c.next())-1, int64(c.next())
}

// valid reports whether the operation can be one on so many objects.
func (o *Operation) valid(objects int64) bool {
	return o.At >= 0 && o.Object < uint64(objects) && o.Size >= Unknown && o.Offset >= Unknown && o.Length >= 0 && o.Part >= 0 && o.Source >= Unknown && o.Source < objects
}
