package s3

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"warp/internal/option"
	"warp/pkg/s3/target"
)

// Validate reports whether a store can be opened: Check, and what a plan may still lack.
func (c *Config) Validate() error {
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
		c.Engine = EngineStd
	}
	unsigned := c.Signature == "S3V2" || c.Signature == "anonymous"
	return errors.Join(slices.Concat(
		c.checkHosts(), c.checkBuckets(), c.checkLimits(), c.checkTLS(), c.checkConnections(), c.checkTexts(),
		c.Uploads.check(unsigned, c.Encrypt), c.checkDirectory(), c.checkStore(), checkHeaders(c.Headers),
	)...)
}

// What options with a few values take.
var (
	Lookups        = []string{"path", "host"}
	Signatures     = []string{"S3V4", "S3V2", "anonymous"}
	HostSelections = []string{"weighed", "roundrobin", "thread"}
	Engines        = []string{"auto", EngineLean, EngineStd}
	TLSVersions    = slices.Sorted(func(yield func(string) bool) {
		for version := range tlsVersions {
			if version != "" && !yield(version) {
				return
			}
		}
	})
)

// checkHosts returns what is wrong with the hosts, and with how they are chosen and spoken to.
func (c *Config) checkHosts() []error {
	return []error{
		oneOf("lookup", c.Lookup, Lookups...),
		oneOf("signature", c.Signature, Signatures...),
		oneOf("host-select", c.HostSelect, HostSelections...),
		oneOf("engine", c.Engine, Engines...),
		c.checkLookup(),
		tooMany("host", c.Hosts),
		tooMany("redirect-to", c.RedirectTo),
	}
}

func (c *Config) checkBuckets() (errs []error) {
	if c.Buckets < 0 || c.Buckets > MaxBuckets {
		errs = append(errs, option.Invalid("buckets", c.Buckets, fmt.Sprintf("1 to %d", MaxBuckets)))
	}
	if c.BucketForm != "" {
		errs = append(errs, c.CheckBucket())
	}
	if (c.Buckets > 1 || c.OtherBuckets) && c.Lookup == "host" {
		errs = append(errs, option.Errorf("buckets", "several want --lookup=path, so that requests to all of them share connections"))
	}
	return errs
}

// checkLimits returns what is wrong with numbers and durations.
func (c *Config) checkLimits() (errs []error) {
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
	return errs
}

// checkTLS returns what is wrong with the options of TLS, and with options that need it.
func (c *Config) checkTLS() (errs []error) {
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
	return errs
}

func (c *Config) checkConnections() (errs []error) {
	if n := c.TCP.SendBuffer; n < 0 || n > maxBuffer {
		errs = append(errs, option.Invalid("sndbuf", n, fmt.Sprintf("0 to %d bytes", maxBuffer)))
	}
	if n := c.TCP.ReceiveBuffer; n < 0 || n > maxBuffer {
		errs = append(errs, option.Invalid("rcvbuf", n, fmt.Sprintf("0 to %d bytes", maxBuffer)))
	}
	_, err := c.LocalAddress()
	return append(errs, err)
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
		name := c.NameOf(h)
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
			return option.Errorf("lookup", "%s is an IP address, which a bucket cannot be part of; use --lookup=path, or a name in --host", h)
		}
	}
	return nil
}
