package std

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"time"

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
	dial := dialer(&o)
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			link, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &plainConn{Conn: link, link: link}, nil
		},
		DialTLSContext:        secure(&o, dial),
		DisableKeepAlives:     o.Close,
		MaxIdleConnsPerHost:   max(o.MaxPerHost, 1),
		MaxIdleConns:          o.MaxIdle,
		IdleConnTimeout:       idleTimeout,
		TLSHandshakeTimeout:   o.DialTimeout, // through a proxy
		ResponseHeaderTimeout: o.FirstByte,
		ExpectContinueTimeout: exchange.ContinueTimeout,
		DisableCompression:    true,

		MaxResponseHeaderBytes: exchange.MaxHeader,
		ForceAttemptHTTP2:      !o.Close,
		TLSClientConfig:        o.TLS,
	}
}

type dial func(ctx context.Context, network, addr string) (*deadlineConn, error)

func dialer(o *TransportOptions) dial {
	d := net.Dialer{Timeout: o.DialTimeout, KeepAlive: probeEvery}
	if o.Local.IsValid() {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(o.Local, 0))
	}
	options, address, silence := o.TCP, o.Address, max(o.Idle, o.FirstByte)
	return func(ctx context.Context, network, addr string) (*deadlineConn, error) {
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

// secure makes TLS connections: of HTTP/2 where the server offers it, or else of HTTP/1.1.
func secure(o *TransportOptions, dial dial) func(ctx context.Context, network, addr string) (net.Conn, error) {
	cfg := &tls.Config{}
	if o.TLS != nil {
		cfg = o.TLS.Clone()
	}
	if cfg.NextProtos = []string{"h2", "http/1.1"}; o.Close {
		cfg.NextProtos = nil
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		own := cfg
		if cfg.ServerName == "" {
			name, _, err := net.SplitHostPort(addr)
			if err != nil {
				return nil, err
			}
			own = cfg.Clone()
			own.ServerName = name
		}
		link, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		c := tls.Client(link, own)
		ctx, cancel := context.WithTimeout(ctx, o.DialTimeout)
		defer cancel()
		if err := c.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, link.Close())
		}
		if c.ConnectionState().NegotiatedProtocol == "h2" {
			return c, nil
		}
		return &plainConn{Conn: c, link: link}, nil
	}
}
