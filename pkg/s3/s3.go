// Package s3 is what a workload may ask of an object store: a Store, which is a way to reach one bucket over one or
// several hosts, and its Sessions, one for each worker. Engines behind it do the work; only the files sdk*.go import an SDK.
//
// One call of a Session is one operation; requests are not repeated unless Config.Retries asks for it.
package s3

import (
	"context"
	"io"
	"time"
)

// Body is what a Put uploads. An engine reads it from its start, by whichever of its ways suits it.
type Body interface {
	io.ReadSeeker
	io.ReaderAt
}

// Call is one operation: what is asked, and what came of it. A worker reuses one Call, so that an operation costs no memory.
type Call struct {
	// Asked.
	Key     string
	Version string     // version of the object; empty: the current one
	Offset  int64      // first byte of a ranged Get
	Length  int64      // length of a ranged Get; 0: the whole object
	Upload  string     // of a Put: id of the multipart upload that the body is a part of; empty: it is an object
	Part    int        // of such a Put: number of the part, from 1
	Body    Body       // body of a Put
	Size    int64      // length of Body; of a Get: the length to expect, or -1 if unknown
	Into    io.Writer  // takes the body of a Get; nil: it is read and thrown away
	Objects []ObjectID // of a DeleteMany
	Prefix  string     // of a List
	Token   string     // of a List: continue here; empty: from the beginning
	Flat    bool       // of a List: entries below the next "/" are not listed
	MaxKeys int        // of a List: entries asked for in one page; 0: the server's default
	All     bool       // of a List: all versions and delete markers, not just current objects

	// Answered.
	Host      string        // URL of the host that was asked
	Begun     bool          // some of it may have reached the server, which then may have carried it out
	Sent      time.Time     // last body byte handed over
	FirstByte time.Time     // first byte of the answer
	Bytes     int64         // body bytes moved
	Status    int           // HTTP status; 0 if no answer came
	Retries   int           // how often it was sent again
	Connected bool          // a connection was made for it
	Connect   time.Duration // how long that took (name lookup, TCP, TLS); it is part of the operation's time
	VersionID string        // version that was made or read

	PlainRange bool        // of a ranged Get: the range came with status 200 instead of 206
	ETag       string      // of a part that was put
	Entries    []Entry     // of a List
	Next       string      // of a List: where the next page begins; empty: this was the last one
	Failed     []ObjectErr // of a DeleteMany: objects that the server says it did not delete
}

// Reset clears a Call for its next use; it keeps the memory of its slices.
func (c *Call) Reset() {
	*c = Call{Size: -1, Objects: c.Objects[:0], Entries: c.Entries[:0], Failed: c.Failed[:0]}
}

// ObjectID names an object, or one version of it.
type ObjectID struct{ Key, Version string }

// ObjectErr is an object that could not be deleted, and why.
type ObjectErr struct {
	ObjectID
	Err error
}

// Entry is one line of a listing.
type Entry struct {
	Key     string
	Version string // only with Call.All
	Size    int64
	Marker  bool // a delete marker
}

// Session is one worker's way to the store. It is not safe for concurrent use.
// Errors are *Error, so that they have a class.
type Session interface {
	Put(ctx context.Context, c *Call) error
	Get(ctx context.Context, c *Call) error
	Stat(ctx context.Context, c *Call) error
	Delete(ctx context.Context, c *Call) error
	// DeleteMany deletes c.Objects in one request. It is an error if the request failed or c.Failed is not empty.
	DeleteMany(ctx context.Context, c *Call) error
	// List reads one page of the listing of c.Prefix.
	List(ctx context.Context, c *Call) error
}

// Store is a bucket that can be reached over one or several hosts.
type Store interface {
	// Session makes the way to the store of one worker.
	Session(worker int) Session
	// Bucket gives access to the bucket itself; none of it is measured.
	Bucket() Bucket
	// Engine names what serves the operations: "sdk" or "lean".
	Engine() string
	// EngineReason tells why it is not the one that serves by default; empty if it is.
	EngineReason() string
	// Hosts are the URLs of all hosts.
	Hosts() []string
	Close()
}

// Upload is an unfinished multipart upload.
type Upload struct{ Key, ID string }

// Bucket is what a run may ask about its bucket.
type Bucket interface {
	Name() string
	// Ensure makes the bucket if it does not exist on any of the hosts, and tells whether it did.
	Ensure(ctx context.Context) (made bool, err error)
	Exists(ctx context.Context) (bool, error)
	// Remove removes the bucket, which must be empty.
	Remove(ctx context.Context) error
	// Versioned reports whether a deletion by name leaves something behind: the bucket keeps versions, or did so once. Many
	// servers cannot say, and answer with errors of every kind.
	Versioned(ctx context.Context) (bool, error)
	// Uploads calls each for every unfinished multipart upload below prefix.
	Uploads(ctx context.Context, prefix string, each func(Upload) error) error
	// Abort ends an unfinished multipart upload.
	Abort(ctx context.Context, u Upload) error
}
