// Package s3 is what a workload sees of an object store: its Config, a Store, which is a way to reach one bucket over one or several hosts,
// its Sessions, one for each worker, and the classes of errors.
//
// A Session performs any request, which a Call describes. Package ops has the functions that describe the operations of S3, package
// connect makes Stores. Requests are not repeated unless Config.Retries asks for it.
package s3

import (
	"context"
)

// Session is one worker's way to the store. It is not safe for concurrent use.
type Session interface {
	// Do performs one request. Its errors are *Error, so that they have a class.
	Do(ctx context.Context, c *Call) error
	// Dialect is how the store spells requests.
	Dialect() Dialect
	// Bucket is the number of the bucket that all its requests are about; 0: that of each call.
	Bucket() int
}

// Store is a bucket that can be reached over one or several hosts.
type Store interface {
	// Session makes the way to the store of one worker.
	Session(worker int) Session
	// HostSession makes a way to one host, by its number in Hosts, with one of the keys, for few requests. Its connection is closed
	// by done.
	HostSession(host, key int) (s Session, done func())
	// Keys is how many keys the sessions of workers use in turn; 0: requests are not signed.
	Keys() int
	// Address is where connections to a host go, as host:port, and the name that its certificate must be for.
	Address(host int) (address, name string)
	// Region is the region that requests to a host are signed for.
	Region(host int) string
	// Config is what the store was made with.
	Config() *Config
	// Engine names what serves the operations: "lean" or "std".
	Engine() string
	// EngineReason says why it is not the one that serves by default; empty if it is.
	EngineReason() string
	// Negotiated lists what TLS connections agreed on so far: version, cipher suite, key exchange.
	Negotiated() []string
	// Sent counts all requests so far, as stores bill them: those that were sent again or redirected too.
	Sent() Methods
	// Directory counts the sessions with a directory bucket so far.
	Directory() DirectorySessions
	// Hosts are the URLs of all hosts.
	Hosts() []string
	Close()
}

// InBucket gives a way to use a session for requests about one of the buckets.
func InBucket(s Session, number int) Session {
	if number == 0 {
		return s
	}
	return inBucket{s, number}
}

type inBucket struct {
	Session
	number int
}

// Bucket is the number of the bucket.
func (s inBucket) Bucket() int { return s.number }

// Do performs a request.
func (s inBucket) Do(ctx context.Context, c *Call) error {
	c.Bucket = s.number
	return s.Session.Do(ctx, c)
}
