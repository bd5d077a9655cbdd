package trace

import (
	"encoding/binary"
	"time"

	"warp/pkg/op"
)

// Operation is one operation of a file in the compact form.
type Operation struct {
	At      time.Duration // since the begin of the trace
	Kind    op.Kind       // one of Kinds
	Object  uint64        // number of the object, or of the prefix of a listing, from 0
	Size    int64         // of the object, or of the part of an upload; of a listing, the keys that it requested or returned; Unknown
	Offset  int64         // of the range that is read or copied; Unknown
	Length  int64         // of the range; 0: all of the object
	Source  int64         // number of the object that is copied; Unknown: the operation is no copy
	Part    int           // number of a part of an upload; 0: unknown
	Listed  Listed
	Status  int           // HTTP status; 0: unknown
	Latency time.Duration // Unknown; in microseconds
	Client  uint32        // number of the sender
	Missing bool          // the object does not exist then: it was deleted, or never written or read
}

// Flags of an operation, in one byte with its kind.
const (
	flagKind    = 0x1f
	flagMissing = 0x40
	flagDetails = 0x80
)

// flags returns the kind and the flags in one byte.
func (o *Operation) flags() byte {
	flags := KindIndex(o.Kind)
	if o.Missing {
		flags |= flagMissing
	}
	if o.detailed() {
		flags |= flagDetails
	}
	return flags
}

// setFlags is the inverse of flags. It returns false for an unknown kind.
func (o *Operation) setFlags(flags byte) bool {
	if int(flags&flagKind) >= len(Kinds) {
		return false
	}
	o.Kind, o.Missing, o.Source = Kinds[flags&flagKind], flags&flagMissing != 0, Unknown
	return true
}

// packedLatency returns the latency in microseconds plus 1; 0 for an unknown one.
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

// detailed reports whether an operation has fields that most operations lack.
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

// maxDetails is the maximum number of varints that appendDetails appends.
const maxDetails = 4

// appendDetails appends the fields that most operations lack.
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

// valid reports whether the operation is possible in a trace of this number of objects.
func (o *Operation) valid(objects int64) bool {
	return o.At >= 0 && o.Object < uint64(objects) && o.Source >= Unknown && o.Source < objects &&
		o.Size >= Unknown && o.Offset >= Unknown && o.Length >= 0 && o.Part >= 0
}

// Failed reports whether the operation failed, by its status.
func (o *Operation) Failed() bool { return o.Status >= 300 && o.Status != 304 }

// Moved returns the bytes that the operation moved; 0 if the trace does not say.
func (o *Operation) Moved() int64 {
	switch {
	case o.Failed(), o.Kind != op.Get && o.Kind != op.Put && o.Kind != op.PutPart:
		return 0
	case o.Length > 0:
		return o.Length
	}
	return max(0, o.Size)
}
