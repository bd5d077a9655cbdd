// Package trace reads records of real traffic: access logs, audit logs, traces and recordings. Whatever the format, it makes
// one kind of Event of them, describes all of them in a Summary, and writes them in a compact indexed form, which is what a
// replay reads.
//
// Reader reads the files, one parser for each format. Index sorts the events twice, by object and by time, with files in
// the directory for temporary ones, so that memory depends on neither the number of operations nor that of objects. File is the compact form.
package trace

import "warp/pkg/op"

// Unknown is the value of a size or an offset that the trace does not have.
const Unknown = -1

// Event is one operation of a trace. Its texts are valid until the next one is read.
type Event struct {
	Start  int64   // nanoseconds since 1970, or since the start of a trace whose times have no date
	Kind   op.Kind // one of Kinds
	Bucket []byte
	Key    []byte // prefix of a listing
	Client []byte // who sent it: an address, or another name; may be empty

	Size    int64 // bytes of the object, or of the part of an upload; Unknown
	Offset  int64 // of the range that was read, or copied; Unknown
	Length  int64 // of the range; 0: all of the object
	Status  int   // HTTP status; 0: unknown
	Latency int64 // nanoseconds; Unknown

	SourceBucket []byte // of a copy
	Source       []byte // key of what is copied; empty: unknown
	Part         int    // number of a part of an upload; 0: unknown
	Listed       Listed // how a listing is asked for
	Entries      int64  // keys that a listing asked for, or returned; 0: unknown

	numbered bool // the key is a number, whose name comes when the file has been read
}

// Listed is how a listing is asked for: a sum of the following.
type Listed uint8

// How a listing is asked for.
const (
	ListedFlat    Listed = 1 << iota // with a delimiter
	ListedFurther                    // from a key on, or from where an earlier page ended
	ListedCounted                    // no way to ask: the size is how many entries it returned, not how many it asked for
)

// Kinds are the operations that a trace can have. Others are counted, and left out.
var Kinds = []op.Kind{
	op.Get, op.Put, op.Stat, op.Delete, op.List, op.Copy,
	op.CreateUpload, op.PutPart, op.CompleteUpload, op.AbortUpload, op.CopyPart,
}

// UploadKinds are those of uploads in parts.
var UploadKinds = []op.Kind{op.CreateUpload, op.PutPart, op.CopyPart, op.CompleteUpload, op.AbortUpload}

// MinPart is the minimum size of parts of an upload but the last one, in bytes.
const MinPart = 5 << 20

// events are those of one record. Their texts may be in the record, or in text.
type events struct {
	list    []Event
	text    []byte // decoded texts
	skipped string // what the record holds instead of an operation that can be replayed; empty: nothing
	kept    bool   // they are of earlier records
}

// reset makes room for the events of another record.
func (v *events) reset() {
	v.list, v.text, v.skipped, v.kept = v.list[:0], v.text[:0], "", false
}

// add returns a new event, all of whose optional fields are unknown.
func (v *events) add() *Event {
	v.list = append(v.list, Event{Size: Unknown, Latency: Unknown})
	return &v.list[len(v.list)-1]
}

// skip notes that the record holds no operation that can be replayed.
func (v *events) skip(what []byte) { v.list, v.skipped = v.list[:0], string(what) }
