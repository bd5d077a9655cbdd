package index

import (
	"encoding/binary"
	"time"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// operation sets all fields of an operation except its time and its source.
func (e *entry) operation(o *trace.Operation) {
	o.Kind, o.Object, o.Size, o.Offset, o.Length = e.op(), e.object, e.size, e.offset, e.length
	o.Status, o.Latency, o.Client, o.Missing = int(e.status), time.Duration(e.latency), e.client, e.missing
	if o.Latency < 0 {
		o.Latency = trace.Unknown
	}
	switch o.Kind {
	case op.PutPart, op.CopyPart:
		o.Part = int(e.detail)
	case op.List:
		o.Listed = trace.Listed(e.detail)
	}
}

// entry is an event being sorted.
type entry struct {
	object  uint64 // hash of bucket and key, then the number of the object
	start   int64
	size    int64
	offset  int64
	length  int64
	latency int64
	place   uint64 // among the events as they were read
	client  uint32
	status  uint16
	detail  uint16 // number of a part, Listed of a listing, kind of a copy for its source
	kind    uint8  // index in Kinds, or kindSource
	missing bool   // the object does not exist then
}

const entrySize = 7*8 + 10

// op returns the kind of the operation; the entry must not be of kindSource.
func (e *entry) op() op.Kind { return trace.Kinds[e.kind] }

func (e *entry) append(b []byte) []byte {
	for _, v := range [...]uint64{
		e.object, uint64(e.start), uint64(e.size), uint64(e.offset), uint64(e.length), uint64(e.latency), e.place,
	} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	b = binary.LittleEndian.AppendUint32(b, e.client)
	b = binary.LittleEndian.AppendUint16(b, e.status)
	b = binary.LittleEndian.AppendUint16(b, e.detail)
	flag := byte(0)
	if e.missing {
		flag = 1
	}
	return append(b, e.kind, flag)
}

func (e *entry) decode(b []byte) {
	word := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	e.object, e.start, e.size, e.offset, e.length, e.latency = uint64(word(0)), word(1), word(2), word(3), word(4), word(5)
	e.place = uint64(word(6))
	e.client, e.status = binary.LittleEndian.Uint32(b[56:]), binary.LittleEndian.Uint16(b[60:])
	e.detail, e.kind, e.missing = binary.LittleEndian.Uint16(b[62:]), b[64], b[65] != 0
}

// order returns the keys that entries are sorted by: a major and a minor one.
type order func(e *entry) (major, minor uint64)

// byObject sorts by object, then by time.
func byObject(e *entry) (major, minor uint64) { return e.object, uint64(e.start) ^ 1<<63 }

// byTime sorts by time, then by place.
func byTime(e *entry) (major, minor uint64) { return uint64(e.start) ^ 1<<63, e.place }
