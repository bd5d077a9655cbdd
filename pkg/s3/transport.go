package s3

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/lean"
)

const (
	defaultTimeout     = 2 * time.Minute
	defaultDialTimeout = 10 * time.Second
	keepIdle           = time.Minute // a connection that nobody uses
)

// newTransport makes the transport of all hosts of a store. It speaks HTTP/1.1 only, because S3 servers do, and because
// one connection shared by many operations would make one wait for another. Proxies are taken from the environment, as
// people expect of any tool; loopback is never sent to a proxy. Go reads SSL_CERT_FILE and SSL_CERT_DIR by itself.
// With an address, all connections go there, whatever the request says.
func newTransport(cfg *Config, address string) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer(cfg, address),
		DisableKeepAlives:     cfg.NoKeepAlive,
		MaxIdleConnsPerHost:   max(cfg.Concurrency, 1),
		MaxIdleConns:          cfg.maxIdle(address != ""),
		IdleConnTimeout:       keepIdle,
		TLSHandshakeTimeout:   cfg.dialLimit(),
		ResponseHeaderTimeout: cfg.firstByteLimit(),
		ExpectContinueTimeout: lean.AskFor,
		DisableCompression:    true,

		MaxResponseHeaderBytes: lean.MaxHead,
		TLSNextProto:           map[string]func(string, *tls.Conn) http.RoundTripper{},
		TLSClientConfig:        newTLS(cfg),
	}
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

func newTLS(cfg *Config) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: cfg.Insecure, // only if the person asked for it
		MinVersion:         tls.VersionTLS12,
	}
}

func dialer(cfg *Config, address string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: cfg.dialLimit(), KeepAlive: 30 * time.Second}
	if a, err := cfg.localAddr(); err == nil && a.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(a, 0))
	}
	if address != "" {
		address = cfg.withPort(address)
	}
	silence := max(cfg.idleLimit(), cfg.firstByteLimit())
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, cmp.Or(address, addr))
		if err != nil {
			return nil, err
		}
		return &patient{c, silence}, nil
	}
}

// patient is a connection with a limit for silence. The transport does not tell what it waits for, so the limit is also
// that for the beginning of an answer.
type patient struct {
	net.Conn
	silence time.Duration
}

// Read waits for something to read.
func (p *patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(clock.Now().Add(p.silence)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

// Write waits for room for b.
func (p *patient) Write(b []byte) (int, error) {
	if err := p.SetWriteDeadline(clock.Now().Add(p.silence)); err != nil {
		return 0, err
	}
	return p.Conn.Write(b)
}

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

// firstByteLimit is the longest wait for the head of an answer.
func (c *Config) firstByteLimit() time.Duration { return cmp.Or(c.Timeout, defaultTimeout) }

// idleLimit is the longest silence in the middle of a body, in either direction.
func (c *Config) idleLimit() time.Duration { return cmp.Or(c.IdleTimeout, defaultTimeout) }
