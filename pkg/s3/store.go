package s3

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/minio/minio-go/v7/pkg/encrypt"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"warp/internal/option"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/lean"
	"warp/pkg/s3/std"
)

const (
	engineLean = "lean"
	engineStd  = "std"
)

// DefaultRegion is signed with where none is given. Asking each host for its region would cost a request and a right.
const DefaultRegion = "us-east-1"

// store is a bucket on one or several hosts, which one of the engines serves.
type store struct {
	cfg            Config
	engine, reason string // see Store
	endpoints      []*endpoint
	pool           pool
	newClient      func(number int, keys *atomic.Pointer[exchange.Keys]) (exchange.Client, error)
	keys           []*atomic.Pointer[exchange.Keys] // the first may be renewed; none: requests are not signed
	common         [MakesObjects + 1]*[]Header      // by Access
	sourceKey      []Header                         // of copies: that of SSE-C, with which their source is encrypted
	encrypted      bool                             // with SSE-C
	directory      *directory                       // nil: the bucket is none
	tls            negotiated
	end            []func() // closes connections
	paths          []string // of buckets by their number; nil: there is one

	mu       sync.Mutex
	sessions []*session
	sent     []*sentMethods // of all sessions of workers, those that were closed too
	short    sentMethods    // of all others, which come and go
	closed   bool
}

// endpoint is the bucket on one host.
type endpoint struct {
	url     string  // of the host
	region  string  // that is signed for
	bucket  url.URL // without a slash at its end
	virtual bool    // the bucket is part of the host's name
}

// New makes a way to the store that cfg describes. It sends nothing yet.
func New(cfg Config) (Store, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	s, err := newStore(cfg)
	if err != nil {
		return nil, err // and no Store that holds a nil
	}
	return s, nil
}

// newStore makes a store; without a bucket its requests are about hosts.
func newStore(cfg Config) (*store, error) {
	s := &store{cfg: cfg, pool: newPool(cfg.HostSelect, len(cfg.Hosts)), encrypted: cfg.Encrypt}
	for _, host := range cfg.Hosts {
		e, err := cfg.endpoint(host)
		if err != nil {
			return nil, fmt.Errorf("host %s: %w", host, err)
		}
		s.endpoints = append(s.endpoints, e)
	}
	for _, name := range cfg.BucketNames() {
		s.paths = append(s.paths, "/"+name)
	}
	if err := s.setCommon(); err != nil {
		return nil, err
	}
	s.setKeys()
	if IsDirectory(cfg.Bucket) {
		s.directory = newDirectory(s)
		s.end = append(s.end, s.directory.close)
	}
	if err := s.useEngine(); err != nil {
		s.Close()
		return nil, err
	}
	s.renewKeys() // last: it goes on until the store is closed
	return s, nil
}

// useEngine chooses the engine, and prepares it.
func (s *store) useEngine() (err error) {
	if s.engine, s.reason, err = s.chooseEngine(); err != nil {
		return err
	}
	if s.engine == engineLean {
		return s.useLean()
	}
	if s.cfg.Engine != engineStd && s.cfg.Debug != nil {
		s.cfg.Debug("engine %s: %s", s.engine, s.reason)
	}
	return s.useStd()
}

// endpoint says where the bucket is on a host.
func (c *Config) endpoint(host string) (*endpoint, error) {
	e := &endpoint{url: c.HostURL(host)}
	name, err := zonalHost(c, c.nameOf(host))
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(c.HostURL(name))
	switch {
	case err != nil:
		return nil, err
	case u.Hostname() == "" || u.Path != "" || u.RawQuery != "" || u.User != nil:
		return nil, errors.New("not a host name with or without a port")
	}
	e.region, e.bucket = cmp.Or(c.Region, s3utils.GetRegionFromURL(*u), DefaultRegion), *u
	e.bucket.Host = hostHeader(u)
	if name = "s3.amazonaws.com"; e.bucket.Host == name && e.region != DefaultRegion { // that one is of the default region
		e.bucket.Host = "s3." + e.region + ".amazonaws.com"
	}
	e.virtual = c.Bucket != "" && c.Buckets <= 1 && !c.OtherBuckets && (c.Lookup == "host" || c.Lookup == "" && s3utils.IsVirtualHostSupported(*u, c.Bucket))
	switch {
	case e.virtual:
		e.bucket.Host = c.Bucket + "." + e.bucket.Host
	case c.Bucket != "":
		e.bucket.Path = "/" + c.Bucket
	}
	return e, nil
}

// setCommon makes the headers that go with requests by their Access.
func (s *store) setCommon() error {
	var sse []Header
	if s.encrypted {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		ssec, err := encrypt.NewSSEC(key)
		if err != nil {
			return fmt.Errorf("SSE-C key: %w", err)
		}
		h := http.Header{}
		ssec.Marshal(h)
		for name, values := range h {
			sse = append(sse, Header{Name: name, Value: values[0]})
			s.sourceKey = append(s.sourceKey, Header{Name: strings.Replace(name, "X-Amz-", "X-Amz-Copy-Source-", 1), Value: values[0]})
		}
	}
	made := append(slices.Clone(sse), s.cfg.Headers...)
	made = append(made, s.cfg.Uploads.headers()...)
	if !slices.ContainsFunc(made, func(h Header) bool { return strings.EqualFold(h.Name, "Content-Type") }) {
		made = append(made, Header{Name: "Content-Type", Value: "application/octet-stream"})
	}
	s.common = [...]*[]Header{NoAccess: nil, JoinsParts: nil, ReadsWrites: &sse, MakesObjects: &made}
	if s.cfg.Uploads.Checksum != "" {
		s.common[JoinsParts] = &sse
	}
	return nil
}

// chooseEngine chooses what serves the operations, and says why if it is not the lean engine although that was not ruled out.
func (s *store) chooseEngine() (name, reason string, err error) {
	if s.cfg.Engine == engineStd {
		return engineStd, "it was asked for (--engine=std)", nil
	}
	reason = s.needsStd()
	if reason == "" {
		return engineLean, "", nil
	}
	if s.cfg.Engine == engineLean {
		return "", "", errors.New("--engine=lean cannot be used: " + reason + "; leave it out, or use --engine=std")
	}
	return engineStd, reason, nil
}

// needsStd names an option that the lean engine cannot honour; empty if there is none.
func (s *store) needsStd() string {
	if s.cfg.Signature == "S3V2" && !s.cfg.Anonymous() {
		return "--signature=S3V2 is made by the std engine alone"
	}
	if s.cfg.HTTP2 {
		return "--http2 is spoken by the std engine alone"
	}
	first := s.endpoints[0].region
	for i, e := range s.endpoints {
		if e.region != first {
			return "the hosts are in several regions (" + first + ", " + e.region + "), for which only the std engine signs"
		}
		host := &http.Request{URL: &e.bucket}
		if proxy, err := http.ProxyFromEnvironment(host); err != nil || proxy != nil {
			return "the environment names a proxy for host " + s.cfg.Hosts[i] + " (HTTP_PROXY, HTTPS_PROXY), which only the std engine goes through"
		}
	}
	return ""
}

func (s *store) useLean() error {
	var targets []*lean.Target
	for i, e := range s.endpoints {
		address, name := s.Address(i)
		t, err := leanTarget(s, &e.bucket, address, name, "")
		if err != nil {
			return fmt.Errorf("host %s: %w", s.cfg.Hosts[i], err)
		}
		targets = append(targets, t)
	}
	elsewhere := leanElsewhere(s)
	conns := lean.NewPool(len(targets), MaxConnections(s.cfg.Concurrency, len(targets)))
	s.end = append(s.end, conns.Close)
	s.newClient = func(number int, keys *atomic.Pointer[exchange.Keys]) (exchange.Client, error) {
		return lean.NewClient(lean.Options{
			Targets: targets, Pool: conns, Keys: keys, Region: s.endpoints[0].region, Number: number, Close: s.cfg.NoKeepAlive,
			FirstByte: s.cfg.FirstByteLimit(), Idle: s.cfg.idleLimit(), Elsewhere: elsewhere,
		})
	}
	return nil
}

func (s *store) useStd() error {
	shared, err := s.newTransport("")
	if err != nil {
		return err
	}
	o := std.Options{V2: s.cfg.Signature == "S3V2", Elsewhere: func(root url.URL, region string) (*std.Target, error) {
		return &std.Target{URL: root, Virtual: strings.HasPrefix(root.Host, s.cfg.Bucket+"."), Region: region, Transport: shared}, nil
	}}
	for i, e := range s.endpoints {
		t := &std.Target{URL: e.bucket, Virtual: e.virtual, Region: e.region, Transport: shared}
		if host := s.cfg.Hosts[i]; s.cfg.Names[host] != "" { // the transport would go where the name leads
			if t.Transport, err = s.newTransport(s.cfg.WithPort(host)); err != nil {
				return err
			}
		}
		o.Targets = append(o.Targets, t)
	}
	s.newClient = func(_ int, keys *atomic.Pointer[exchange.Keys]) (exchange.Client, error) {
		o := o
		o.Keys = keys
		return std.NewClient(o), nil
	}
	return nil
}

// newTransport makes a transport of one host at an address of its own, or of all.
func (s *store) newTransport(address string) (*http.Transport, error) {
	local, err := s.cfg.localAddr()
	if err != nil {
		return nil, err
	}
	secure, err := s.newTLS()
	if err != nil {
		return nil, err
	}
	t := std.NewTransport(std.TransportOptions{
		Address: address, TLS: secure, Local: local, TCP: s.cfg.TCP, DialTimeout: s.cfg.DialLimit(), FirstByte: s.cfg.FirstByteLimit(),
		Idle: s.cfg.idleLimit(), Close: s.cfg.NoKeepAlive, MaxPerHost: s.cfg.Concurrency, MaxIdle: s.cfg.maxIdle(address != ""),
	})
	s.end = append(s.end, t.CloseIdleConnections)
	return t, nil
}

// newTLS makes the configuration of TLS connections, which the store takes note of.
func (s *store) newTLS() (*tls.Config, error) {
	t, err := s.cfg.TLSOptions.New(s.cfg.Insecure)
	if err == nil {
		t.VerifyConnection = s.tls.note
	}
	if s.cfg.HTTP2 && err == nil {
		t.VerifyConnection = s.tls.noteHTTP2
	}
	return t, err
}

// localAddr is the address to connect from; not valid if none is given.
func (c *Config) localAddr() (netip.Addr, error) {
	if c.LocalAddr == "" {
		return netip.Addr{}, nil
	}
	a, err := netip.ParseAddr(c.LocalAddr)
	if err != nil {
		return a, option.Invalid("local-addr", c.LocalAddr, "an IP address of this machine")
	}
	return a, nil
}

// Session makes a session, which has connections of its own.
func (s *store) Session(worker int) Session {
	session := &session{store: s, worker: worker, pool: s.pool, describer: newDescriber(&s.cfg)}
	if n := len(s.keys); n > 0 {
		session.key = (s.cfg.FirstWorker + worker) % n
		session.keys = s.keys[session.key]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	session.closed.Store(s.closed)
	session.sent = &session.own
	s.sessions, s.sent = append(s.sessions, session), append(s.sent, session.sent)
	return session
}

// HostSession makes a session that always takes the same host, and signs with one of the keys.
func (s *store) HostSession(host, key int) (Session, func()) {
	session := &session{store: s, pool: single(host), key: key, sent: &s.short, describer: newDescriber(&s.cfg)}
	if len(s.keys) > 0 {
		session.keys = s.keys[key]
	}
	return session, session.close
}

// Keys is how many keys sign requests in turn.
func (s *store) Keys() int { return len(s.keys) }

// Address is where connections to a host go, and its name.
func (s *store) Address(host int) (address, name string) {
	e := s.endpoints[host]
	address = e.bucket.Host
	if own := s.cfg.Hosts[host]; s.cfg.Names[own] != "" || !e.virtual {
		address = own
	}
	return s.cfg.WithPort(address), e.bucket.Hostname()
}

// Region is the region of a host.
func (s *store) Region(host int) string { return s.endpoints[host].region }

// Config is what the store was made with.
func (s *store) Config() *Config { return &s.cfg }

// Engine is "lean" or "std".
func (s *store) Engine() string { return s.engine }

// EngineReason says why it is not the lean engine.
func (s *store) EngineReason() string { return s.reason }

// Negotiated is what TLS connections agreed on.
func (s *store) Negotiated() []string { return s.tls.list() }

// Sent counts all requests of the store's sessions so far.
func (s *store) Sent() (all Methods) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all = s.short.total()
	for _, m := range s.sent {
		all.Add(m.total())
	}
	return all
}

// Directory counts the sessions with a directory bucket.
func (s *store) Directory() DirectorySessions {
	if s.directory == nil {
		return DirectorySessions{}
	}
	return s.directory.counted()
}

// Hosts are the URLs of all hosts.
func (s *store) Hosts() []string {
	urls := make([]string, len(s.endpoints))
	for i, e := range s.endpoints {
		urls[i] = e.url
	}
	return urls
}

// Close closes the connections of sessions that are idle, and those of others at the end of their operation.
func (s *store) Close() {
	s.mu.Lock()
	s.closed = true
	sessions := s.sessions
	s.sessions = nil
	s.mu.Unlock()
	for _, session := range sessions {
		session.close()
	}
	for _, end := range s.end {
		end()
	}
}
