// Package responder is a small object store inside the process, for testing the ruler: it responds with a delay, a stall,
// an error or a bandwidth that a test chose, and keeps account of what it really did, so that a report can be compared
// with the truth. Without rules it responds at once and cheaply, so that the cost of a client can be measured.
//
// It speaks S3 unless it is given another dialect. In S3 it checks credentials if it is given keys, and sessions with
// directory buckets; it addresses buckets by path only.
package responder

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warp/pkg/op"
)

// Options shapes a Server.
type Options struct {
	Buckets    []string   // that exist from the start
	Keep       bool       // keep contents; otherwise only sizes, and a GET returns zero bytes
	Forget     bool       // keep nothing at all: every bucket and key exists, with ObjectSize bytes; listings are empty
	ObjectSize int64      // with Forget: size of every object
	Rule       Rule       // nil: no faults
	Dialect    Dialect    // nil: S3, which most of the options below are about
	Versions   Versions   // what the server does about versions
	Conditions Conditions // what the server does about conditions

	WholeForPart  bool // a GET with partNumber returns the whole object, as several servers do
	WholeForRange bool // a copy of a range of an object copies all of it

	AppendedSize bool // the response to an append states the size of what was appended, instead of that of the object

	Keys        []Key         // that may sign requests; signatures of requests, chunks and trailers are checked. nil: any key, unchecked
	SessionLife time.Duration // how long sessions last with buckets whose names end in "--x-s3"; 0: those are like others

	Record bool // keep account of each request, see Server.Injected; memory grows by the request
}

// Server is a running responder. It is also an http.Handler, for servers of other kinds (TLS) around it.
type Server struct {
	opts     Options
	dialect  Dialect
	store    store // of S3
	sessions sessions
	uploads  uploads
	kinds    accounts
	requests atomic.Uint64 // for request ids
	broken   atomic.Uint64 // conditions; see Broken
	stop     context.Context

	mu       sync.Mutex
	injected []Injection

	listener *switchListener
	url      string
	cancel   context.CancelFunc
	http     *http.Server
	served   chan struct{}
}

// Host is the server's host:port.
func (s *Server) Host() string { return s.url[len("http://"):] }

// URL is the server's URL.
func (s *Server) URL() string { return s.url }

// Close ends all delays and stalls, waits for requests in flight, and stops. Clients that hold up its responses, or that never
// ask, are cut off after a while.
func (s *Server) Close() error {
	s.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.served
	return err
}

// Requests is how many requests of a kind arrived.
func (s *Server) Requests(kind op.Kind) uint64 { return s.kinds.of(kind).requests.Load() }

// Responses is how many requests of a kind got a response with a status; 0: the connection was closed instead.
func (s *Server) Responses(kind op.Kind, status int) uint64 {
	return s.kinds.of(kind).byStatus[status%maxStatus].Load()
}

// Contents is how many bytes of contents came with requests of a kind, and how many went out with the responses.
func (s *Server) Contents(kind op.Kind) (received, sent int64) {
	a := s.kinds.of(kind)
	return a.received.Load(), a.sent.Load()
}

// Stored is the size of all objects of a bucket, of each version.
func (s *Server) Stored(bucket string) (bytes int64) {
	s.dialect.Visit(bucket, func(_ string, size int64) { bytes += size })
	return bytes
}

// Injected returns all requests in the order of their ends, and what was injected into them (Options.Record).
func (s *Server) Injected() []Injection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Injection(nil), s.injected...)
}

func (s *Server) record(i Injection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.injected = append(s.injected, i)
}

// Buckets are the names of all buckets, in order.
func (s *Server) Buckets() []string { return s.dialect.Buckets() }

// Keys returns the keys of all objects of a bucket in order, once for each version. Keys of delete markers are in brackets.
func (s *Server) Keys(bucket string) (keys []string) {
	s.dialect.Visit(bucket, func(key string, _ int64) { keys = append(keys, key) })
	return keys
}

// Uploads are the unfinished uploads of a bucket as "key id", in order.
func (s *Server) Uploads(bucket string) []string {
	return slices.Sorted(slices.Values(s.dialect.Uploads(bucket)))
}

// SetOutage takes the server down, or up again on the same port.
func (s *Server) SetOutage(o Outage) error { return s.listener.set(o) }

// HungUp is how many connections were accepted and closed.
func (s *Server) HungUp() uint64 { return s.listener.hungUp.Load() }

// Connections is how many connections are open. Without any, no request is in flight, nor waits to be read.
func (s *Server) Connections() int {
	s.listener.mu.Lock()
	defer s.listener.mu.Unlock()
	return len(s.listener.conns)
}

// Broken is how many writes the server did although their conditions did not hold.
func (s *Server) Broken() uint64 { return s.broken.Load() }

// Sessions is how many sessions with directory buckets were created.
func (s *Server) Sessions() uint64 { return s.sessions.created.Load() }
