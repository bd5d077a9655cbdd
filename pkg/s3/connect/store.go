// Package connect makes Stores: ways to reach a bucket over one or several hosts, with a Session for each worker. Engines below it send the
// requests: package lean by default, else package std.
package connect

import (
	"fmt"
	"sync"

	"warp/pkg/s3"
	"warp/pkg/s3/directory"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/hosts"
)

// store is a bucket on one or several hosts, which one of the engines serves.
type store struct {
	cfg       s3.Config
	dialect   s3.Dialect
	endpoints []*hosts.Endpoint
	pool      hosts.Pool
	keys      keyring
	common    *common
	engine    *engine
	directory *directory.Sessions // nil: the bucket is none
	stopKeys  func()              // ends the renewal of keys

	mu       sync.Mutex
	sessions []*session
	sent     []*sentMethods // of all sessions of workers, those that were closed too
	short    sentMethods    // of all others, which come and go
	closed   bool
}

// New makes a way to the store that cfg describes. It sends nothing yet.
func New(cfg s3.Config) (s3.Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s, err := newStore(cfg)
	if err != nil {
		return nil, err // and no Store that holds a nil
	}
	return s, nil
}

// newStore makes a store; without a bucket its requests are about hosts.
func newStore(cfg s3.Config) (s *store, err error) {
	s = &store{cfg: cfg, pool: hosts.NewPool(cfg.HostSelect, len(cfg.Hosts))}
	s.dialect = Dialect(&s.cfg)
	for _, host := range cfg.Hosts {
		e, err := hosts.NewEndpoint(&cfg, host)
		if err != nil {
			return nil, fmt.Errorf("host %s: %w", host, err)
		}
		s.endpoints = append(s.endpoints, e)
	}
	if s.common, err = newCommon(&s.cfg, s.dialect); err != nil {
		return nil, err
	}
	s.keys = newKeyring(&s.cfg)
	if d, ok := s.dialect.(interface {
		Use(keys func() *exchange.Keys)
	}); ok && len(s.keys) > 0 {
		d.Use(s.keys[0].Load)
	}
	if s.engine, err = newEngine(&s.cfg, s.endpoints); err != nil {
		return nil, err
	}
	if s3.IsDirectory(cfg.Bucket) {
		s.directory = directory.NewSessions(s)
	}
	s.stopKeys = s.keys.renew(&s.cfg) // last: it goes on until the store is closed
	return s, nil
}

// Session makes a session, which has connections of its own.
func (s *store) Session(worker int) s3.Session {
	one := &session{store: s, worker: worker, pool: s.pool, reader: s.newReader()}
	if s.cfg.HostSelect == "thread" {
		one.pool = hosts.Single(worker % len(s.cfg.Hosts))
	}
	if n := len(s.keys); n > 0 {
		one.key = (s.cfg.FirstWorker + worker) % n
		one.keys = s.keys[one.key]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one.closed.Store(s.closed)
	one.sent = &one.own
	s.sessions, s.sent = append(s.sessions, one), append(s.sent, one.sent)
	return one
}

// HostSession makes a session that always takes the same host, and signs with one of the keys.
func (s *store) HostSession(host, key int) (s3.Session, func()) {
	one := &session{store: s, pool: hosts.Single(host), key: key, sent: &s.short, reader: s.newReader()}
	if len(s.keys) > 0 {
		one.keys = s.keys[key]
	}
	return one, one.close
}

func (s *store) newReader() reader {
	return reader{cfg: &s.cfg, dialect: s.dialect, names: s.dialect.Names(), uploads: newUploadHeaders(&s.cfg, s.dialect)}
}

// Keys is how many keys sign requests in turn.
func (s *store) Keys() int { return len(s.keys) }

// Address is where connections to a host go, and its name.
func (s *store) Address(host int) (address, name string) {
	e := s.endpoints[host]
	return e.Address, e.Bucket.Hostname()
}

// Region is the region of a host.
func (s *store) Region(host int) string { return s.endpoints[host].Region }

// Config is what the store was made with.
func (s *store) Config() *s3.Config { return &s.cfg }

// Engine is "lean" or "std".
func (s *store) Engine() string { return s.engine.name }

// EngineReason says why it is not the lean engine.
func (s *store) EngineReason() string { return s.engine.reason }

// Negotiated is what TLS connections agreed on.
func (s *store) Negotiated() []string { return s.engine.tls.list() }

// Sent counts all requests of the store's sessions so far.
func (s *store) Sent() (all s3.Methods) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = s.short.total()
	for _, m := range s.sent {
		all.Add(m.total())
	}
	return all
}

// Directory counts the sessions with a directory bucket.
func (s *store) Directory() s3.DirectorySessions {
	if s.directory == nil {
		return s3.DirectorySessions{}
	}
	return s.directory.Count()
}

// Hosts are the URLs of all hosts.
func (s *store) Hosts() []string {
	urls := make([]string, len(s.endpoints))
	for i, e := range s.endpoints {
		urls[i] = e.URL
	}
	return urls
}

// Close closes the connections of idle sessions now, and of the others at the end of their operation.
func (s *store) Close() {
	s.mu.Lock()
	s.closed = true
	sessions := s.sessions
	s.sessions = nil
	s.mu.Unlock()
	for _, one := range sessions {
		one.close()
	}
	if s.directory != nil {
		s.directory.Close()
	}
	s.engine.close()
	s.stopKeys()
}
