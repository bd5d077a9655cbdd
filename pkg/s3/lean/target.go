package lean

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3/exchange"
)

// keepAlive is how often the system probes an idle connection.
const keepAlive = 30 * time.Second

// Target is a bucket on a host. It is safe for concurrent use.
type Target struct {
	Host string // host[:port] of the Host header
	Path string // escaped, before /key: empty, or /bucket

	region  string
	port    uint16
	names   *resolver
	tls     *tls.Config // nil: plain TCP
	local   *net.TCPAddr
	tcp     exchange.TCP
	timeout time.Duration
}

// TargetOptions configure a Target.
type TargetOptions struct {
	Address string      // host:port to connect to
	Host    string      // host[:port] for the Host header
	Path    string      // see Target
	Region  string      // to sign for; empty: that of Options
	TLS     *tls.Config // nil: plain TCP
	Local   netip.Addr  // address to connect from; invalid: the system chooses
	TCP     exchange.TCP
	Timeout time.Duration // to set up a connection
}

// NewTarget returns a target. It sends nothing.
func NewTarget(o TargetOptions) (*Target, error) {
	name, service, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("port %q: %w", service, err)
	}
	t := &Target{Host: o.Host, Path: o.Path, region: o.Region, port: uint16(port), names: newResolver(name), tcp: o.TCP, timeout: o.Timeout}
	if o.TLS != nil {
		t.tls = o.TLS.Clone()
		t.tls.NextProtos = []string{"http/1.1"}
		if t.tls.ServerName == "" {
			t.tls.ServerName = name
		}
		if t.tls.ClientSessionCache == nil {
			t.tls.ClientSessionCache = tls.NewLRUClientSessionCache(0)
		}
	}
	if o.Local.IsValid() {
		t.local = net.TCPAddrFromAddrPort(netip.AddrPortFrom(o.Local, 0))
	}
	return t, nil
}

// conn is a connection to a target.
type conn struct {
	*socket
	tls       *tls.Conn // nil: plain TCP
	responses int       // read from it so far
}

// staleAfter is how long a connection may have been idle and still be used without looking whether the server closed it.
// Servers close connections that were idle for seconds; a close within a round trip cannot be seen in time anyway.
const staleAfter = time.Millisecond

// mayBeStale reports whether the connection should be checked before a request is sent at now. The check costs a system
// call. The first reuse is always checked: some servers close after each response without saying so.
func (c *conn) mayBeStale(now time.Time) bool {
	return c.responses == 1 || c.responses > 1 && now.Sub(c.last) > staleAfter
}

// dial opens a connection; n spreads connections over the addresses of a name.
func (t *Target) dial(ctx context.Context, n int) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	addrs, err := t.names.addresses(ctx, n)
	if err != nil {
		return nil, err
	}
	var first error
	for i, a := range addrs {
		c, err := t.dialOne(ctx, a, len(addrs)-i)
		if err == nil {
			return t.secure(ctx, c)
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	if first == nil {
		first = &net.DNSError{Err: "no addresses", Name: t.names.name, IsNotFound: true}
	}
	return nil, first
}

// dialOne connects to the first of several addresses to try, and leaves time for the others.
func (t *Target) dialOne(ctx context.Context, a netip.Addr, tries int) (*socket, error) {
	if task := loop.Of(ctx); task != nil {
		return t.dialLooped(ctx, task, netip.AddrPortFrom(a, t.port), tries)
	}
	d := net.Dialer{KeepAlive: keepAlive}
	if t.local != nil {
		d.LocalAddr = t.local
	}
	d.Timeout = patience(ctx, tries)
	c, err := d.DialContext(ctx, "tcp", netip.AddrPortFrom(a, t.port).String())
	if err != nil {
		return nil, err
	}
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("unexpected connection type %T", c), c.Close())
	}
	if err := t.tcp.Apply(tcp); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	l, err := newPolled(tcp)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return newSocket(l)
}

// patience returns how long the first of several tries may take; 0: for ever.
func patience(ctx context.Context, tries int) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return end.Sub(clock.Now()) / time.Duration(tries)
}

// secure makes the TLS handshake, if the target has TLS.
func (t *Target) secure(ctx context.Context, s *socket) (*conn, error) {
	c := &conn{socket: s}
	if t.tls == nil {
		return c, nil
	}
	s.begin(ctx, clock.Now(), t.timeout, "TLS handshake")
	stop := context.AfterFunc(ctx, s.interrupt)
	defer stop()
	c.tls = tls.Client(s, t.tls)
	if err := c.tls.HandshakeContext(context.WithoutCancel(ctx)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return c, nil
}

// maxHeld is the longest request that a TLS connection holds until its response is read.
const maxHeld = 8 << 10

// roundTrip sends a small request and reads the beginning of its response. If check is set and the server closed the
// connection, it sends nothing and fails with errStale. If not all of the request was sent, nothing was read.
func (c *conn) roundTrip(request, response []byte, check bool) (sent, n int, err error) {
	if c.tls == nil {
		return c.socket.roundTrip(request, response, check)
	}
	c.hold(check)
	if _, err = c.tls.Write(request); err != nil {
		c.release()
		return 0, 0, err
	}
	n, err = c.tls.Read(response)
	tried, all := c.release()
	switch {
	case all:
		sent = len(request)
	case !tried && c.responses > 0: // the server ended TLS behind its last response
		return 0, 0, errStale
	}
	if n > 0 {
		err = nil
	}
	return sent, n, err
}

// write sends all of p.
func (c *conn) write(p []byte) (int, error) {
	if c.tls != nil {
		return c.tls.Write(p)
	}
	return c.socket.Write(p)
}

// read reads what is available, waiting for it if need be.
func (c *conn) read(p []byte) (n int, err error) {
	if c.tls != nil {
		n, err = c.tls.Read(p)
	} else {
		n, err = c.socket.Read(p)
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// readAvailable reads what is available, without waiting.
func (c *conn) readAvailable(p []byte) (n int, err error) {
	c.nonblocking = true
	n, err = c.read(p)
	c.nonblocking = false
	return n, err
}
