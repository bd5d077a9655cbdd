package s3

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"warp/internal/option"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/target"
)

// Secret is a text that is never printed, logged or encoded.
type Secret = target.Secret

// Config says how to reach a store. It is plain data; its JSON holds no secret.
type Config struct {
	Hosts        []string                         `json:"hosts"` // host:port, expanded; see ExpandHosts
	AccessKey    Secret                           `json:"access_key,omitempty"`
	SecretKey    Secret                           `json:"secret_key,omitempty"`
	SessionToken Secret                           `json:"session_token,omitempty"`
	Provider     *target.Provider                 `json:"-"` // renews the keys above, which expire; nil: they do not
	OtherKeys    []target.Key                     `json:"-"` // beside the keys above; workers use all of them in turn
	FirstWorker  int                              `json:"-"` // number of the first worker among those of all clients, to whom keys are given in turn
	TLS          bool                             `json:"tls,omitempty"`
	Insecure     bool                             `json:"insecure,omitempty"` // do not verify the host's certificate
	TLSOptions   TLSOptions                       `json:"tls_options,omitzero"`
	Region       string                           `json:"region,omitempty"`
	Lookup       string                           `json:"lookup,omitempty"`       // "path", "host" or empty (by the name of the host)
	Signature    string                           `json:"signature,omitempty"`    // "S3V4" (default), "S3V2", "anonymous"
	HostSelect   string                           `json:"host_select,omitempty"`  // "weighed" (default) or "roundrobin"
	MinHosts     int                              `json:"min_hosts,omitempty"`    // a run begins though hosts are down, without them, if so many answer; 0: all must
	NoPreflight  bool                             `json:"no_preflight,omitempty"` // a run tries no requests before it measures
	RedirectTo   []string                         `json:"redirect_to,omitempty"`  // hosts beside Hosts that requests may be redirected to; see mayFollow
	Bucket       string                           `json:"bucket"`
	Buckets      int                              `json:"buckets,omitempty"`       // that objects are spread over; 0: one. See BucketName
	OtherBuckets bool                             `json:"other_buckets,omitempty"` // requests may be about buckets beside these; see Call.Other
	Encrypt      bool                             `json:"encrypt,omitempty"`       // SSE-C with a random key for the run; TLS only
	Engine       string                           `json:"engine,omitempty"`        // "lean", "std", or "auto" (default): lean unless an option needs the other
	Headers      []Header                         `json:"headers,omitempty"`       // sent with every Put, and signed: storage class, tags, metadata
	Uploads      Uploads                          `json:"uploads,omitzero"`        // what else goes with them
	Names        map[string]string                `json:"names,omitempty"`         // by host: the host[:port] in its requests, where that is not the host itself; see ResolveHosts
	LocalAddr    string                           `json:"local_addr,omitempty"`    // IP address to connect from; empty: the system chooses
	TCP          exchange.TCP                     `json:"tcp,omitzero"`
	NoKeepAlive  bool                             `json:"no_keepalive,omitempty"` // a new connection for every request
	HTTP2        bool                             `json:"http2,omitempty"`        // hosts must speak it, over TLS
	Concurrency  int                              `json:"-"`                      // threads that will use the store; 0: not known
	Expect       bool                             `json:"expect,omitempty"`       // ask the server before the body of a Put is sent (Expect: 100-continue)
	DialTimeout  time.Duration                    `json:"dial_timeout,omitempty"` // longest wait for a connection, and again for its TLS handshake; 0: 10 seconds
	Timeout      time.Duration                    `json:"timeout,omitempty"`      // longest wait for a response's head; 0: 2 minutes
	IdleTimeout  time.Duration                    `json:"idle_timeout,omitempty"` // longest silence in the middle of a body; 0: 2 minutes
	Retries      int                              `json:"retries,omitempty"`      // how often a failed request is sent again; each one is counted
	Backoff      time.Duration                    `json:"backoff,omitempty"`      // pause before the first retry, doubled for each further one up to 20 times as long; 0: DefaultBackoff
	Debug        func(format string, args ...any) `json:"-"`                      // takes one line per request; nil: none
}

// SetKeys sets the keys that sign requests, and what renews them.
func (c *Config) SetKeys(keys target.Credentials) {
	c.AccessKey, c.SecretKey, c.SessionToken, c.Provider, c.OtherKeys = keys.AccessKey, keys.SecretKey, keys.SessionToken, keys.Provider, keys.Others
}

// DefaultBackoff is the pause before the first retry of a request.
const DefaultBackoff = 50 * time.Millisecond

const (
	defaultTimeout     = 2 * time.Minute
	defaultDialTimeout = 10 * time.Second
)

// validate reports whether a store can be opened: Check, and what a plan may still lack.
func (c *Config) validate() error {
	switch {
	case len(c.Hosts) == 0:
		return option.Errorf("host", "missing value")
	case c.Bucket == "":
		return option.Errorf("bucket", "missing value")
	case (c.AccessKey == "") != (c.SecretKey == ""):
		return option.Errorf("access-key, secret-key", "want both or none")
	}
	return errors.Join(c.CheckBucket(), c.Check())
}

// CheckBucket is an error if no bucket can have the name.
func (c *Config) CheckBucket() error {
	if s3utils.CheckValidBucketName(c.BucketName(max(1, c.Buckets)-1)) != nil {
		return option.Invalid("bucket", c.Bucket, "3 to 63 letters, digits, dots and hyphens, with a letter or digit at each end, and no IP address")
	}
	return nil
}

// maxBuffer is the largest buffer of a connection.
const maxBuffer = 1 << 30

// maxRetries and maxHeaders are far beyond what any run needs.
const (
	maxRetries = 1000
	maxHeaders = 1000
)

// Check reports all options that cannot be used. Hosts, bucket and credentials may still be missing. It replaces the name that an
// engine had in earlier versions.
func (c *Config) Check() error {
	if c.Engine == "sdk" {
		c.Engine = engineStd
	}
	errs := []error{
		oneOf("lookup", c.Lookup, "path", "host"),
		oneOf("signature", c.Signature, "S3V4", "S3V2", "anonymous"),
		oneOf("host-select", c.HostSelect, "weighed", "roundrobin"),
		oneOf("engine", c.Engine, "auto", engineLean, engineStd),
		c.checkLookup(),
		tooMany("host", c.Hosts),
		tooMany("redirect-to", c.RedirectTo),
	}
	if c.Buckets < 0 || c.Buckets > MaxBuckets {
		errs = append(errs, option.Invalid("buckets", c.Buckets, fmt.Sprintf("1 to %d", MaxBuckets)))
	}
	if (c.Buckets > 1 || c.OtherBuckets) && c.Lookup == "host" {
		errs = append(errs, option.Errorf("buckets", "several want --lookup=path, so that requests to all of them share connections"))
	}
	if n := max(len(c.Headers), len(c.Names)-target.MaxHosts); n > maxHeaders {
		errs = append(errs, fmt.Errorf("%d headers per request (want at most %d)", n, maxHeaders))
	}
	if c.Retries < 0 || c.Retries > maxRetries {
		errs = append(errs, option.Invalid("retries", c.Retries, fmt.Sprintf("0 to %d", maxRetries)))
	}
	for _, limit := range []struct {
		flag  string
		value time.Duration
	}{{"timeout", c.Timeout}, {"dial-timeout", c.DialTimeout}, {"idle-timeout", c.IdleTimeout}, {"backoff", c.Backoff}} {
		if limit.value < 0 {
			errs = append(errs, option.Invalid(limit.flag, limit.value, "more than 0"))
		}
	}
	if c.Encrypt && !c.TLS && len(c.Hosts) > 0 {
		errs = append(errs, option.Errorf("encrypt", "SSE-C sends the key along with each request, so S3 allows it over TLS only; add --tls"))
	}
	if c.HTTP2 && !c.TLS && len(c.Hosts) > 0 {
		errs = append(errs, option.Errorf("http2", "it is spoken over TLS only; add --tls"))
	}
	if c.HTTP2 && c.NoKeepAlive {
		errs = append(errs, option.Errorf("http2, disable-keepalive", "use one of them"))
	}
	if !c.TLSOptions.Authorities.Missing() && !c.TLSOptions.Certificate.Missing() { // as in a recording
		_, err := c.TLSOptions.New(c.Insecure)
		errs = append(errs, err)
	}
	if n := c.TCP.SendBuffer; n < 0 || n > maxBuffer {
		errs = append(errs, option.Invalid("sndbuf", n, fmt.Sprintf("0 to %d bytes", maxBuffer)))
	}
	if n := c.TCP.ReceiveBuffer; n < 0 || n > maxBuffer {
		errs = append(errs, option.Invalid("rcvbuf", n, fmt.Sprintf("0 to %d bytes", maxBuffer)))
	}
	if _, err := c.localAddr(); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, c.checkTexts()...)
	errs = append(errs, c.Uploads.check(c)...)
	errs = append(errs, checkDirectory(c)...)
	for _, h := range c.Headers {
		errs = append(errs, h.Check())
	}
	return errors.Join(errs...)
}

// checkTexts returns what is wrong with the texts that signatures put into headers.
func (c *Config) checkTexts() []error {
	errs := []error{option.Wrap("region", option.CheckLine(c.Region))}
	for _, k := range append([]target.Key{{Access: c.AccessKey, Secret: c.SecretKey, Token: c.SessionToken}}, c.OtherKeys...) {
		errs = append(errs,
			option.Wrap("access-key", option.CheckLine(string(k.Access))),
			option.Wrap("secret-key", option.CheckLine(string(k.Secret))),
			option.Wrap("session-token", option.CheckLine(string(k.Token))))
	}
	return errs
}

// oneOf is option.OneOf for an option that may be left out.
func oneOf(name, value string, allowed ...string) error {
	if value == "" {
		return nil
	}
	return option.OneOf(name, value, allowed...)
}

func tooMany(flag string, hosts []string) error {
	if len(hosts) > target.MaxHosts {
		return option.Errorf(flag, "%d hosts (want at most %d)", len(hosts), target.MaxHosts)
	}
	return nil
}

// checkLookup is an error if buckets are to be part of host names, and a host has an IP address.
func (c *Config) checkLookup() error {
	if c.Lookup != "host" {
		return nil
	}
	for _, h := range c.Hosts {
		name := c.nameOf(h)
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
			return option.Errorf("lookup", "%s is an IP address, which a bucket cannot be part of; use --lookup=path, or a name in --host", h)
		}
	}
	return nil
}

// BucketName returns the name of a bucket by its number. The first is Bucket; the others have their number, counted from 1, behind that.
func (c *Config) BucketName(number int) string {
	if number == 0 {
		return c.Bucket
	}
	return fmt.Sprintf("%s-%d", c.Bucket, number+1)
}

// BucketNames returns the names of all buckets; nil if there is only one.
func (c *Config) BucketNames() (names []string) {
	if c.Buckets > 1 {
		for n := range c.Buckets {
			names = append(names, c.BucketName(n))
		}
	}
	return names
}

// Anonymous reports whether requests are sent without a signature.
func (c *Config) Anonymous() bool { return c.AccessKey == "" || c.Signature == "anonymous" }

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

// nameOf is the name of a host in requests: in the Host header and in its certificate.
func (c *Config) nameOf(host string) string { return cmp.Or(c.Names[host], host) }

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

// FirstByteLimit is the longest wait for the head of a response.
func (c *Config) FirstByteLimit() time.Duration { return cmp.Or(c.Timeout, defaultTimeout) }

// backoff is the pause before the first retry.
func (c *Config) backoff() time.Duration { return cmp.Or(c.Backoff, DefaultBackoff) }

// idleLimit is the longest silence in the middle of a body, in either direction.
func (c *Config) idleLimit() time.Duration { return cmp.Or(c.IdleTimeout, defaultTimeout) }

// RequestLimit is the longest time for all of a request that is not measured, with the times that it is sent again.
func (c *Config) RequestLimit() time.Duration {
	return time.Duration(c.Retries+1) * (2*c.DialLimit() + c.FirstByteLimit() + maxBackoffs*c.backoff())
}

// payload returns how the contents of uploads are signed.
func (c *Config) payload() string {
	switch {
	case c.Anonymous() || c.Signature == "S3V2":
		return PayloadUnsigned
	case c.Uploads.Payload == "" && c.Uploads.Trailer && !c.TLS:
		return PayloadStreaming
	case c.Uploads.Payload == "":
		return PayloadUnsigned
	}
	return c.Uploads.Payload
}

// MaxConnections is how many connections so many threads keep to the hosts together: one each for its request in flight, and
// with several hosts idle ones beside, so that a turn to another host finds one. 0 if the threads are not known.
func MaxConnections(threads, hosts int) int {
	if threads == 0 || hosts == 1 {
		return threads
	}
	return 2*threads + hosts
}

// maxIdle is how many connections a transport keeps that no request uses, so that MaxConnections holds; 0: any number. A
// transport that serves one host of several has its part of them.
func (c *Config) maxIdle(oneHost bool) int {
	if c.Concurrency == 0 {
		return 0
	}
	idle := c.Concurrency + len(c.Hosts)
	if oneHost {
		idle = max(1, idle/len(c.Hosts))
	}
	return idle
}
