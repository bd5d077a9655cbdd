package std

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

const (
	idleTimeout = time.Minute      // of a connection that no request uses
	probeEvery  = 30 * time.Second // how often the system probes an idle connection
)

// TransportOptions say how connections are made.
type TransportOptions struct {
	Address     string      // host:port that all connections go to, whatever the request says; empty: where its URL says
	TLS         *tls.Config // of hosts with https
	TCP         exchange.TCP
	Local       netip.Addr // address to connect from; invalid: the system chooses
	DialTimeout time.Duration
	FirstByte   time.Duration // longest wait for the head of a response
	Idle        time.Duration // longest silence in the middle of a body
	Close       bool          // connections are not kept
	MaxPerHost  int           // idle connections to keep to one host
	MaxIdle     int           // the same to all hosts; 0: any number
}

// NewTransport makes a transport. Over TLS it speaks HTTP/2 to servers that offer it. Proxies are taken from the environment, as
// people expect of any tool; loopback is never sent to a proxy. Go reads SSL_CERT_FILE and SSL_CERT_DIR by itself.
func NewTransport(o TransportOptions) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer(&o),
		DisableKeepAlives:     o.Close,
		MaxIdleConnsPerHost:   max(o.MaxPerHost, 1),
		MaxIdleConns:          o.MaxIdle,
		IdleConnTimeout:       idleTimeout,
		TLSHandshakeTimeout:   o.DialTimeout,
		ResponseHeaderTimeout: o.FirstByte,
		ExpectContinueTimeout: exchange.ContinueTimeout,
		DisableCompression:    true,

		MaxResponseHeaderBytes: exchange.MaxHeader,
		ForceAttemptHTTP2:      !o.Close,
		TLSClientConfig:        o.TLS,
	}
}

func dialer(o *TransportOptions) func(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{Timeout: o.DialTimeout, KeepAlive: probeEvery}
	if o.Local.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(o.Local, 0))
	}
	options, address, silence := o.TCP, o.Address, max(o.Idle, o.FirstByte)
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, cmp.Or(address, addr))
		if err != nil {
			return nil, err
		}
		if tcp, ok := c.(*net.TCPConn); ok {
			if err := options.Apply(tcp); err != nil {
				return nil, errors.Join(err, c.Close())
			}
		}
		return &deadlineConn{Conn: c, silence: silence, number: connections.Add(1)}, nil
	}
}

// connections counts those that were made.
var connections atomic.Uint64

// deadlineConn is a connection with a limit for silence. The transport does not say what it waits for, so the limit is also
// that for the beginning of a response.
type deadlineConn struct {
	net.Conn
	silence time.Duration
	number  uint64       // from 1
	sent    atomic.Int64 // bytes of requests
}

// tlsEnd is at least the length of a message with which TLS ends a connection, and less than that of a request.
const tlsEnd = 64

// Read waits for something to read.
func (c *deadlineConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(clock.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

// Write waits for room for b. The transport reads all the time; what it waits for has only been asked for now.
func (c *deadlineConn) Write(b []byte) (int, error) {
	if err := c.SetDeadline(clock.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	if n > tlsEnd {
		c.sent.Add(int64(n))
	}
	return n, err
}
