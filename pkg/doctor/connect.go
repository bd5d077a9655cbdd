package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"

	"warp/internal/clock"
	"warp/pkg/doctor/finding"
	"warp/pkg/units"
)

// reach looks up the addresses of the host, connects to each, and makes a TLS handshake with the first that responds. What keeps
// requests from succeeding is diagnosed by requests, not here.
func (h *host) connect(ctx context.Context) {
	if u, err := url.Parse(h.URL); err == nil {
		if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); err == nil && proxy != nil {
			h.Proxy = proxy.Redacted()
			return
		}
	}
	address, name := h.store.Address(0)
	at, port, err := net.SplitHostPort(address)
	if err != nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, h.cfg.DialLimit())
	ips, err := net.DefaultResolver.LookupNetIP(limited, "ip", at)
	cancel()
	if err != nil {
		return
	}
	for _, ip := range ips {
		ip = ip.Unmap()
		a := finding.Address{IP: ip.String()}
		start := clock.Now()
		conn, err := h.dial(ctx, net.JoinHostPort(a.IP, port))
		a.Connect = milliseconds(clock.Now().Sub(start))
		if err != nil {
			a.Error = units.Line(err.Error())
		} else {
			if h.cfg.TLS && h.TLS == nil {
				h.handshake(ctx, conn, name)
			}
			_ = conn.Close()
		}
		h.Addresses = append(h.Addresses, a)
	}
}

func (h *host) dial(ctx context.Context, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: h.cfg.DialLimit()}
	if local, err := netip.ParseAddr(h.cfg.LocalAddr); err == nil {
		d.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(local, 0))
	}
	return d.DialContext(ctx, "tcp", address)
}

// handshake looks at the TLS of a host. An invalid certificate is described too.
func (h *host) handshake(ctx context.Context, conn net.Conn, name string) {
	h.TLS = &finding.TLS{}
	limited, cancel := context.WithTimeout(ctx, h.cfg.DialLimit())
	defer cancel()
	config, err := h.cfg.TLSOptions.New(true) // the certificate is verified below, and nothing is sent
	if err != nil {
		h.TLS.Error = units.Line(err.Error())
		return
	}
	config.ServerName, config.NextProtos = cmp.Or(config.ServerName, name), []string{"h2", "http/1.1"}
	start := clock.Now()
	c := tls.Client(conn, config)
	if err := c.HandshakeContext(limited); err != nil {
		h.TLS.Error = units.Line(err.Error())
		return
	}
	h.TLS.Handshake = milliseconds(clock.Now().Sub(start))
	state := c.ConnectionState()
	h.TLS.Version, h.TLS.Cipher = tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite)
	h.TLS.KeyExchange, h.TLS.HTTP2 = state.CurveID.String(), state.NegotiatedProtocol == "h2"
	if len(state.PeerCertificates) > 0 {
		h.TLS.Certificate = describeCertificate(state.PeerCertificates, config)
	}
}

// describeCertificate describes and verifies a certificate, which others follow that signed it.
func describeCertificate(chain []*x509.Certificate, config *tls.Config) *finding.Certificate {
	leaf := chain[0]
	c := &finding.Certificate{Issuer: units.Line(leaf.Issuer.String()), Expires: leaf.NotAfter}
	for _, n := range leaf.DNSNames {
		c.Names = append(c.Names, units.Line(n))
	}
	for _, ip := range leaf.IPAddresses {
		c.Names = append(c.Names, ip.String())
	}
	o := x509.VerifyOptions{DNSName: config.ServerName, Roots: config.RootCAs, Intermediates: x509.NewCertPool(), CurrentTime: clock.Wall()}
	for _, other := range chain[1:] {
		o.Intermediates.AddCert(other)
	}
	if _, err := leaf.Verify(o); err != nil {
		c.Error = units.Line(err.Error())
	}
	return c
}
