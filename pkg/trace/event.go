package trace

import (
	"slices"

	"warp/pkg/op"
)

// Unknown is the value of a size or an offset that the trace does not have.
const Unknown = -1

// Event is one operation of a log. Its texts are valid until the next event is read.
type Event struct {
	Start  int64   // nanoseconds since 1970, or since the start of a trace whose times have no date
	Kind   op.Kind // one of Kinds
	Bucket []byte
	Key    []byte // prefix of a listing
	Client []byte // the sender: an address, or another name; may be empty

	Size    int64 // bytes of the object, or of the part of an upload; Unknown
	Offset  int64 // of the range that was read or copied; Unknown
	Length  int64 // of the range; 0: all of the object
	Status  int   // HTTP status; 0: unknown
	Latency int64 // nanoseconds; Unknown

	SourceBucket []byte // of a copy
	Source       []byte // key of the object that is copied; empty: unknown
	Part         int    // number of a part of an upload; 0: unknown
	Listed       Listed // of a listing
	Entries      int64  // keys that a listing requested or returned; 0: unknown

	Numbered bool // the key is a number, whose name comes when the file has been read
}

// Listed describes the request of a listing: a sum of the following.
type Listed uint8

// Properties of listings.
const (
	ListedFlat    Listed = 1 << iota // with a delimiter
	ListedFurther                    // from a key on, or from the end of an earlier page
	ListedCounted                    // the size is the number of entries returned, not the number requested
)

// Kinds are the operations that a trace can have. Others are counted and left out.
var Kinds = []op.Kind{
	op.Get, op.Put, op.Stat, op.Delete, op.List, op.Copy,
	op.CreateUpload, op.PutPart, op.CompleteUpload, op.AbortUpload, op.CopyPart,
}

// UploadKinds are the operations of uploads in parts.
var UploadKinds = []op.Kind{op.CreateUpload, op.PutPart, op.CopyPart, op.CompleteUpload, op.AbortUpload}

// MinPart is the minimum size of a part of an upload in bytes; the last part may be smaller.
const MinPart = 5 << 20

// UsesObject reports whether an operation reads, makes or deletes an object. Listings do not, nor do requests of an upload in parts except
// the one that completes it.
func UsesObject(k op.Kind) bool {
	switch k {
	case op.List, op.CreateUpload, op.PutPart, op.CopyPart, op.AbortUpload:
		return false
	}
	return true
}

// KindIndex returns the index of a kind in Kinds.
func KindIndex(k op.Kind) uint8 {
	switch k {
	case op.Get:
		return 0
	case op.Put:
		return 1
	}
	return uint8(max(0, slices.Index(Kinds, k)))
}
