package s3

import (
	"cmp"
	"net"
	"net/netip"
	"time"

	"warp/internal/option"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/target"
)

// Secret is a text that is never printed, logged or encoded.
type Secret = target.Secret

// Config says how to reach a store. It is plain data; its JSON holds no secret.
type Config struct {
	Hosts []string `json:"hosts"` // host:port, expanded; see target.ExpandHosts

	Store string `json:"store,omitempty"` // kind: one of Stores but auto; empty: StoreS3
	API   string `json:"api,omitempty"`   // of StoreGCS: APIJSON, APIXML; empty: APIJSON
	Root  string `json:"root,omitempty"`  // path of hosts before buckets, as in "/account"

	AccessKey    Secret           `json:"access_key,omitempty"`
	SecretKey    Secret           `json:"secret_key,omitempty"`
	SessionToken Secret           `json:"session_token,omitempty"`
	Bearer       bool             `json:"bearer,omitempty"` // SessionToken is a bearer token, and all that requests prove themselves with
	Provider     *target.Provider `json:"-"`                // renews these keys before they expire; nil: they do not expire
	KeySource    string           `json:"-"`                // where these keys were found, for people
	KeysEnd      time.Time        `json:"-"`                // when they end unless they are renewed; zero: not known
	OtherKeys    []target.Key     `json:"-"`                // in addition to these keys; workers use all of them in turn
	// FirstWorker is the number of this client's first worker among the workers of all clients, for the turns of the keys.
	FirstWorker int    `json:"-"`
	Client      uint64 `json:"-"` // its number; see OfClient

	TLS        bool       `json:"tls,omitempty"`
	Insecure   bool       `json:"insecure,omitempty"` // do not verify the host's certificate
	TLSOptions TLSOptions `json:"tls_options,omitzero"`

	Project    string `json:"project,omitempty"` // that StoreGCS creates buckets in
	Region     string `json:"region,omitempty"`
	Lookup     string `json:"lookup,omitempty"`      // "path", "host" or empty (by the name of the host)
	Signature  string `json:"signature,omitempty"`   // "S3V4" (default), "S3V2", "anonymous"
	HostSelect string `json:"host_select,omitempty"` // "weighed" (default), "roundrobin", or "thread": each worker has one
	// MinHosts is how many hosts must respond so that a run begins without the others; 0: all of them.
	MinHosts    int      `json:"min_hosts,omitempty"`
	NoPreflight bool     `json:"no_preflight,omitempty"` // a run tries no requests before it measures
	RedirectTo  []string `json:"redirect_to,omitempty"`  // further hosts that requests may be redirected to

	Bucket       string `json:"bucket"`                  // the first one; see SetBucket
	BucketForm   string `json:"bucket_form,omitempty"`   // template of the names of all buckets; empty: see BucketName
	Buckets      int    `json:"buckets,omitempty"`       // number of buckets that objects are spread over; 0: one. See BucketName
	OtherBuckets bool   `json:"other_buckets,omitempty"` // requests may name further buckets; see Call.Other
	Encrypt      bool   `json:"encrypt,omitempty"`       // SSE-C with a random key for the run; TLS only

	Engine string `json:"engine,omitempty"` // EngineLean, EngineStd, or "auto" (default): lean unless an option needs std
	// Realtime gives the threads of the lean engine a real-time priority.
	Realtime bool     `json:"realtime,omitempty"`
	Headers  []Header `json:"headers,omitempty"` // sent with every Put, and signed: storage class, tags, metadata
	Uploads  Uploads  `json:"uploads,omitzero"`  // what else is sent with uploads
	// Names are the host[:port] in requests to a host, if that is not the host itself; see target.ResolveHosts.
	Names       map[string]string `json:"names,omitempty"`
	LocalAddr   string            `json:"local_addr,omitempty"` // IP address to connect from; empty: the system chooses
	TCP         exchange.TCP      `json:"tcp,omitzero"`
	NoKeepAlive bool              `json:"no_keepalive,omitempty"` // a new connection for every request
	HTTP2       bool              `json:"http2,omitempty"`        // hosts must speak it, over TLS
	Concurrency int               `json:"-"`                      // number of threads that will use the store; 0: not known
	Expect      bool              `json:"expect,omitempty"`       // Expect: 100-continue before the body of a Put

	// DialTimeout is the longest wait for a connection, and again for its TLS handshake; 0: 10 seconds.
	DialTimeout time.Duration `json:"dial_timeout,omitempty"`
	Timeout     time.Duration `json:"timeout,omitempty"`      // longest wait for the header of a response; 0: 2 minutes
	IdleTimeout time.Duration `json:"idle_timeout,omitempty"` // longest pause within a body; 0: 2 minutes
	Retries     int           `json:"retries,omitempty"`      // how often a failed request is sent again; each one is counted
	// Backoff is the pause before the first retry, doubled for each further one up to 20 times as long; 0: DefaultBackoff.
	Backoff time.Duration                    `json:"backoff,omitempty"`
	Debug   func(format string, args ...any) `json:"-"` // takes one line per request; nil: none
}

// SetKeys sets the keys that sign requests, and what renews them.
func (c *Config) SetKeys(keys target.Credentials) {
	c.AccessKey, c.SecretKey, c.SessionToken, c.Bearer = keys.AccessKey, keys.SecretKey, keys.SessionToken, keys.Bearer
	c.Provider, c.OtherKeys, c.KeySource, c.KeysEnd = keys.Provider, keys.Others, keys.Source, keys.Expires
}

// Keys returns the keys that sign requests, for others to sign with: they cannot renew them.
func (c *Config) Keys() target.Credentials {
	return target.Credentials{
		AccessKey: c.AccessKey, SecretKey: c.SecretKey, SessionToken: c.SessionToken, Bearer: c.Bearer, Others: c.OtherKeys,
	}
}

// DefaultBackoff is the pause before the first retry of a request.
const DefaultBackoff = 50 * time.Millisecond

const (
	// EngineLean is the engine that serves by default.
	EngineLean = "lean"
	// EngineStd is the engine over net/http.
	EngineStd = "std"
	// DefaultRegion is signed with where none is given. Asking each host for its region would cost a request and a right.
	DefaultRegion = "us-east-1"
	// MaxBuckets is how many buckets objects are spread over, at most.
	MaxBuckets = 1000

	// maxBackoffs is the longest pause before a retry, in pauses before the first.
	maxBackoffs = 20

	defaultTimeout     = 2 * time.Minute
	defaultDialTimeout = 10 * time.Second
)

// Unsigned reports whether requests are sent without a signature in a header, or a token in its place.
func (c *Config) Unsigned() bool {
	return c.AccessKey == "" && !c.Bearer || c.Signature == "anonymous"
}

// Anonymous reports whether nothing proves who sends requests, no SAS either.
func (c *Config) Anonymous() bool {
	return c.Unsigned() && (c.Store != StoreAzure || c.SessionToken == "" || c.Signature == "anonymous")
}

// HostURL is the URL of a host, scheme://host[:port].
func (c *Config) HostURL(host string) string {
	if c.TLS {
		return "https://" + host
	}
	return "http://" + host
}

// HostURLs are the URLs of all hosts.
func (c *Config) HostURLs() []string {
	urls := make([]string, len(c.Hosts))
	for i, host := range c.Hosts {
		urls[i] = c.HostURL(host)
	}
	return urls
}

// NameOf is the name of a host in requests: in the Host header and in its certificate.
func (c *Config) NameOf(host string) string { return cmp.Or(c.Names[host], host) }

// WithPort is a host with its port, which is the scheme's if none is given.
func (c *Config) WithPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	if c.TLS {
		return host + ":443"
	}
	return host + ":80"
}

// DialLimit is the longest wait for a connection.
func (c *Config) DialLimit() time.Duration { return cmp.Or(c.DialTimeout, defaultDialTimeout) }

// FirstByteLimit is the longest wait for the header of a response.
func (c *Config) FirstByteLimit() time.Duration { return cmp.Or(c.Timeout, defaultTimeout) }

// backoff is the pause before the first retry.
func (c *Config) backoff() time.Duration { return cmp.Or(c.Backoff, DefaultBackoff) }

// IdleLimit is the longest pause within a body, in either direction.
func (c *Config) IdleLimit() time.Duration { return cmp.Or(c.IdleTimeout, defaultTimeout) }

// RetryPause is how long to wait before a request is sent again; try counts from 0.
func (c *Config) RetryPause(try int) time.Duration {
	return time.Duration(min(maxBackoffs, 1<<min(try, 5))) * c.backoff()
}

// RequestLimit is the longest time for all of a request that is not measured, its retries included.
func (c *Config) RequestLimit() time.Duration {
	return time.Duration(c.Retries+1) * (2*c.DialLimit() + c.FirstByteLimit() + maxBackoffs*c.backoff())
}

// MaxConnections is how many connections a number of threads keeps to all hosts together: one each for its request in flight, and with
// several hosts some idle ones, so that a turn to another host finds one. 0 if the number of threads is not known.
func MaxConnections(threads, hosts int) int {
	if threads == 0 || hosts == 1 {
		return threads
	}
	return 2*threads + hosts
}

// LocalAddress is the address to connect from; not valid if none is given.
func (c *Config) LocalAddress() (netip.Addr, error) {
	if c.LocalAddr == "" {
		return netip.Addr{}, nil
	}
	a, err := netip.ParseAddr(c.LocalAddr)
	if err != nil {
		return a, option.Invalid("local-addr", c.LocalAddr, "an IP address of this machine")
	}
	return a, nil
}
