package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// WithPort returns the address with DefaultPort if it has none.
func WithPort(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err == nil {
		return addr
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.TrimPrefix(addr, "["), "]"), DefaultPort)
}

// Dialer connects to servers.
type Dialer struct {
	opts Options
	tls  *tls.Config
	keys keys
}

// NewDialer makes a Dialer.
func NewDialer(o Options) (*Dialer, error) {
	k, err := newKeys(o.Token, o.Protocol.Version)
	if err != nil {
		return nil, err
	}
	t, err := o.TLS.dialerTLS()
	if err != nil {
		return nil, err
	}
	return &Dialer{opts: o, tls: t, keys: k}, nil
}

// Dial connects to a server; both sides have proved the token when it returns.
func (d *Dialer) Dial(ctx context.Context, addr string) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.opts.Timing.Handshake)
	defer cancel()
	var state tls.ConnectionState
	dialer := websocket.Dialer{
		NetDialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, s, err := d.secure(ctx, addr)
			state = s
			return conn, err
		},
		ReadBufferSize: 4096, WriteBufferSize: 4096,
	}
	ws, response, err := dialer.DialContext(ctx, "wss://"+addr+path, http.Header{"User-Agent": {"warp"}})
	if err != nil {
		return nil, ofPeer(dialError(err, response))
	}
	ws.SetReadLimit(d.opts.Protocol.largest())
	conn := &Conn{ws, d.opts.Protocol, d.opts.Timing}
	if err := d.prove(ctx, conn, &state); err != nil {
		_ = ws.Close() // the error above is what matters
		return nil, ofPeer(dialError(err, nil))
	}
	return conn, nil
}

// secure opens the TLS session.
func (d *Dialer) secure(ctx context.Context, addr string) (net.Conn, tls.ConnectionState, error) {
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, tls.ConnectionState{}, err
	}
	if d.opts.Token == "" && !isLoopback(raw.RemoteAddr()) {
		_ = raw.Close() // nothing was sent
		return nil, tls.ConnectionState{}, errors.New("a client on another machine needs a token; use --token-file or WARP_TOKEN on both sides")
	}
	config := d.tls.Clone()
	if config.ServerName, _, err = net.SplitHostPort(addr); err != nil {
		return nil, tls.ConnectionState{}, err
	}
	conn := tls.Client(raw, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close() // the error above is what matters
		return nil, tls.ConnectionState{}, fmt.Errorf("no TLS session: %w", err)
	}
	return conn, conn.ConnectionState(), nil
}

// prove proves the token to the server, and has it do the same.
func (d *Dialer) prove(ctx context.Context, conn *Conn, state *tls.ConnectionState) error {
	deadline, _ := ctx.Deadline()
	if err := conn.ws.SetReadDeadline(deadline); err != nil {
		return err
	}
	var c challenge
	if err := conn.Receive(msgChallenge, &c); err != nil {
		return err
	}
	token, version := d.opts.Token != "", d.opts.Protocol.Version
	switch {
	case c.Protocol != version:
		return fmt.Errorf("the client has protocol version %d, the coordinator %d; use the same warp on both sides", c.Protocol, version)
	case c.Token && !token:
		return errors.New("the client needs a token; use --token-file or WARP_TOKEN")
	case token && !c.Token:
		return errors.New("the client has no token, so it cannot be authenticated; start it with the same token")
	}
	nonce := newNonce()
	mac, err := d.keys.proof(roleDialer, state, c.Nonce, nonce)
	if err != nil {
		return err
	}
	if err := conn.Send(msgProof, proofBody{version, nonce, mac}); err != nil {
		return err
	}
	var a accept
	if err := conn.Receive(msgAccept, &a); err != nil {
		return err
	}
	ok, err := d.keys.check(roleServer, state, c.Nonce, nonce, a.MAC)
	if err != nil || !ok {
		return errors.Join(errors.New("the client accepted the token but failed to prove it: it is an impostor"), err)
	}
	return conn.ws.SetReadDeadline(time.Time{})
}

// dialError explains why a server cannot be reached.
func dialError(err error, response *http.Response) error {
	var timeout net.Error
	switch {
	case response != nil:
		return fmt.Errorf("not a warp client (HTTP status %d)", response.StatusCode)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("connection refused; is \"warp client\" running? (%w)", err)
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("timeout; is it running, and does a firewall let port %s through? (%w)", DefaultPort, err)
	case errors.Is(err, syscall.ECONNRESET), isClosed(err):
		return fmt.Errorf("connection closed; too many failed attempts, or not a warp client (%w)", err)
	}
	return err
}

// isLoopback reports whether an address is on this machine.
func isLoopback(addr net.Addr) bool {
	a, err := netip.ParseAddrPort(addr.String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}
