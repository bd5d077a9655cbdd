package dataset

import (
	"sync/atomic"

	"warp/pkg/load"
	"warp/pkg/s3"
)

// Ledger records which objects of a data set a client has made, and which of them are deleted.
type Ledger struct {
	Part      load.Share    // the indices that this client uploads and cleans up: part.Index, part.Index+part.Total, ...
	next      atomic.Uint64 // how many of them it has used: their objects may be in the bucket
	deleted   Bitmap        // indices of objects that are known to be deleted, or not uploaded yet
	others    Bitmap        // indices without contents uploaded here: copies by the server, and uploads that failed
	versioned atomic.Bool   // the bucket keeps versions of what is uploaded
	etags     *texts        // of objects; nil: they are not kept
	ids       *texts        // of versions; nil: they are not kept
	capacity  *Capacity     // of the store, for all data sets
	Uploads   Uploads       // unfinished ones
	rewritten bool          // uploads replace objects

	settings [allSettings]Settings
	Extra    *ExtraBuckets // buckets without objects; nil: no task makes or deletes any
	live     *inventory    // nil: the data set does not change
}

// New returns the index of an object to upload; no other client gets it.
func (l *Ledger) New() uint64 { return l.OwnIndex(l.next.Add(1) - 1) }

// NewBlock returns the first of n indices of objects to upload, consecutive unless the data set is shared. Other operations do not use
// these objects.
func (l *Ledger) NewBlock(n uint64) uint64 {
	first := l.next.Add(n) - n
	for k := first; k < first+n && l.live != nil; k++ {
		l.live.settle(l.OwnIndex(k), false)
	}
	return l.OwnIndex(first)
}

// NewCopy returns the index of an object that becomes a copy of another, without an upload.
func (l *Ledger) NewCopy() uint64 {
	i := l.NewBlock(1)
	l.others.Set(i)
	return i
}

// Failed notes that the upload of a new object failed, and whether any of it was sent: if so, the object may exist.
func (l *Ledger) Failed(i uint64, sent bool) {
	l.others.Set(i)
	if !sent {
		l.deleted.Set(i)
	}
}

// OwnIndex returns index number n of this client.
func (l *Ledger) OwnIndex(n uint64) uint64 { return l.Part.Index + n*l.Part.Total }

// Owns reports whether this client may have uploaded object i.
func (l *Ledger) Owns(i uint64) bool {
	return i%l.Part.Total == l.Part.Index && i/l.Part.Total < l.next.Load()
}

// PartOf returns how many of the first n objects this client uploads.
func (l *Ledger) PartOf(n uint64) uint64 { return l.Part.Of(n) }

// Stored notes what the response to an upload of object i says of the object, whether or not the upload failed.
func (l *Ledger) Stored(i uint64, c *s3.Call, err error) error {
	if c.VersionID != "" {
		l.versioned.Store(true)
	}
	missing := ""
	switch {
	case err != nil:
		return err
	case l.etags != nil && c.ETag == "":
		missing = "no ETag, which --if-match and --if-none-match need"
	case l.ids != nil && (c.VersionID == "" || c.VersionID == nullVersion):
		missing = "no version ID"
	}
	if missing != "" {
		return &s3.Error{Class: s3.ClassBadResponse, Status: c.Status, Message: "the response has " + missing}
	}
	l.etags.set(i, c.ETag)
	l.ids.set(i, c.VersionID)
	return nil
}

// nullVersion is the version ID of an object uploaded while the bucket was not versioned.
const nullVersion = "null"

// Settle records that the upload of object i has ended.
func (l *Ledger) Settle(i uint64, exists bool) {
	if l.live != nil {
		l.live.settle(i, exists)
	}
}

// Used returns how many indices this client has used: their objects may be in the bucket.
func (l *Ledger) Used() uint64 { return l.next.Load() }

// Left returns how many used indices are not known to be deleted.
func (l *Ledger) Left() uint64 {
	used := l.Used()
	return used - min(used, l.deleted.Len())
}

// Uploaded returns how many used indices have contents that this client uploaded.
func (l *Ledger) Uploaded() uint64 {
	used := l.Used()
	return used - min(used, l.others.Len())
}

// IsUploaded reports whether object i has contents that this client uploaded.
func (l *Ledger) IsUploaded(i uint64) bool { return !l.others.Has(i) }

// MarkOtherContents notes that object i gets its contents some other way, such as by a copy.
func (l *Ledger) MarkOtherContents(i uint64) { l.others.Set(i) }

// Unsent notes that no request to make object i was sent.
func (l *Ledger) Unsent(i uint64) { l.deleted.Set(i) }

// Absent notes that the objects from first to end-1 do not exist yet.
func (l *Ledger) Absent(first, end uint64) {
	l.deleted.setAll(first, end)
	l.others.setAll(first, end)
}

// MarkPending notes that object i, which may be absent, is about to be uploaded or made some other way.
func (l *Ledger) MarkPending(i uint64, upload bool) {
	l.deleted.Remove(i)
	if upload {
		l.others.Remove(i)
	}
}

// NoteVersions notes that the bucket keeps versions.
func (l *Ledger) NoteVersions() { l.versioned.Store(true) }

// HasVersions reports whether the bucket is known to keep versions.
func (l *Ledger) HasVersions() bool { return l.versioned.Load() }

// KeepsETags reports whether the ETags of objects are known.
func (l *Ledger) KeepsETags() bool { return l.etags != nil }

// ETag returns the ETag of object i; empty if it is not known.
func (l *Ledger) ETag(i uint64) string { return l.etags.get(i) }

// Reserve reserves room in the store. It returns ErrNoRoom if the store is full.
func (l *Ledger) Reserve(bytes int64) error { return l.capacity.reserve(bytes) }

// Free releases reserved room.
func (l *Ledger) Free(bytes int64) { l.capacity.give(bytes) }

// Room returns the size of the store in bytes; 0: unlimited.
func (l *Ledger) Room() int64 { return l.capacity.Limit }
