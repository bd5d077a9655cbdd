package s3

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

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
	TLS          bool                             `json:"tls,omitempty"`
	Insecure     bool                             `json:"insecure,omitempty"` // do not verify the host's certificate
	Region       string                           `json:"region,omitempty"`
	Lookup       string                           `json:"lookup,omitempty"`      // "path", "host" or empty (by the name of the host)
	Signature    string                           `json:"signature,omitempty"`   // "S3V4" (default), "S3V2", "anonymous"
	HostSelect   string                           `json:"host_select,omitempty"` // "weighed" (default) or "roundrobin"
	Bucket       string                           `json:"bucket"`
	Encrypt      bool                             `json:"encrypt,omitempty"`      // SSE-C with a random key for the run; TLS only
	Engine       string                           `json:"engine,omitempty"`       // "lean", "std", or "auto" (default): lean unless an option needs the other
	Headers      []Header                         `json:"headers,omitempty"`      // sent with every Put, and signed: storage class, tags, metadata
	Names        map[string]string                `json:"names,omitempty"`        // by host: the host[:port] that it is asked as, where that is not the host itself; see ResolveHosts
	LocalAddr    string                           `json:"local_addr,omitempty"`   // IP address to connect from; empty: the system chooses
	NoKeepAlive  bool                             `json:"no_keepalive,omitempty"` // a new connection for every request
	Concurrency  int                              `json:"-"`                      // threads that will use the store; 0: not known
	Expect       bool                             `json:"expect,omitempty"`       // ask the server before the body of a Put is sent (Expect: 100-continue)
	DialTimeout  time.Duration                    `json:"dial_timeout,omitempty"` // longest wait for a connection, and again for its TLS handshake; 0: 10 seconds
	Timeout      time.Duration                    `json:"timeout,omitempty"`      // longest wait for a response's head; 0: 2 minutes
	IdleTimeout  time.Duration                    `json:"idle_timeout,omitempty"` // longest silence in the middle of a body; 0: 2 minutes
	Retries      int                              `json:"retries,omitempty"`      // how often a failed request is sent again; each one is counted
	Debug        func(format string, args ...any) `json:"-"`                      // takes one line per request; nil: none
}

const (
	defaultTimeout     = 2 * time.Minute
	defaultDialTimeout = 10 * time.Second
)

func (c *Config) validate() error {
	switch {
	case len(c.Hosts) == 0:
		return errors.New("no host given; use --host")
	case c.Bucket == "":
		return errors.New("no bucket given; use --bucket")
	case c.Encrypt && !c.TLS:
		return errors.New("--encrypt sends a key with each request and needs TLS; add --tls or use https:// in --host")
	case (c.AccessKey == "") != (c.SecretKey == ""):
		return errors.New("access key and secret key must be given together")
	case c.Retries < 0:
		return fmt.Errorf("--retries=%d is negative", c.Retries)
	}
	if err := oneOf("--lookup", c.Lookup, "path", "host"); err != nil {
		return err
	}
	if err := c.CheckLookup(); err != nil {
		return err
	}
	if err := oneOf("--host-select", c.HostSelect, "weighed", "roundrobin"); err != nil {
		return err
	}
	if c.Engine == "sdk" { // its name in earlier versions
		c.Engine = engineStd
	}
	if err := oneOf("--engine", c.Engine, "auto", engineLean, engineStd); err != nil {
		return err
	}
	if _, err := c.localAddr(); err != nil {
		return err
	}
	for _, h := range c.Headers {
		if err := h.Check(); err != nil {
			return err
		}
	}
	return oneOf("--signature", c.Signature, "S3V4", "S3V2", "anonymous")
}

func oneOf(option, value string, known ...string) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("%s=%s is not known; use one of %v", option, value, known)
}

// CheckLookup checks that hosts have names which a bucket can be part of, if it shall be.
func (c *Config) CheckLookup() error {
	if c.Lookup != "host" {
		return nil
	}
	for _, h := range c.Hosts {
		name := c.nameOf(h)
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
			return fmt.Errorf("--lookup=host: %s is an IP address, which a bucket cannot be part of; use --lookup=path, or a name in --host", h)
		}
	}
	return nil
}

// anonymous reports whether requests are sent without a signature.
func (c *Config) anonymous() bool { return c.AccessKey == "" || c.Signature == "anonymous" }

// hostURL is the URL of a host, scheme://host[:port].
func (c *Config) hostURL(host string) string {
	if c.TLS {
		return "https://" + host
	}
	return "http://" + host
}

// nameOf is what a host is asked as: what stands in the Host header and in its certificate.
func (c *Config) nameOf(host string) string { return cmp.Or(c.Names[host], host) }

// withPort is a host with its port, which is the scheme's if none is given.
func (c *Config) withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	if c.TLS {
		return host + ":443"
	}
	return host + ":80"
}

// dialLimit is the longest wait for a connection.
func (c *Config) dialLimit() time.Duration { return cmp.Or(c.DialTimeout, defaultDialTimeout) }

// firstByteLimit is the longest wait for the head of a response.
func (c *Config) firstByteLimit() time.Duration { return cmp.Or(c.Timeout, defaultTimeout) }

// idleLimit is the longest silence in the middle of a body, in either direction.
func (c *Config) idleLimit() time.Duration { return cmp.Or(c.IdleTimeout, defaultTimeout) }
