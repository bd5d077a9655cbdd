package distributed

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

// WithPort is the address with DefaultPort if it has none.
func WithPort(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err == nil {
		return addr
	}
	return net.JoinHostPort(strings.TrimSuffix(strings.TrimPrefix(addr, "["), "]"), DefaultPort)
}

// dialer connects to clients.
type dialer struct {
	tls    *tls.Config
	keys   keys
	token  bool
	timing timing
}

// dial connects to a client; both sides have proved the token when it returns.
func (d *dialer) dial(ctx context.Context, addr string) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timing.handshake)
	defer cancel()
	var state tls.ConnectionState
	ws := websocket.Dialer{
		NetDialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, s, err := d.secure(ctx, addr)
			state = s
			return conn, err
		},
		ReadBufferSize: 4096, WriteBufferSize: 4096,
	}
	conn, answer, err := ws.DialContext(ctx, "wss://"+addr+path, http.Header{"User-Agent": {"warp"}})
	if err != nil {
		return nil, ofPeer(dialError(err, answer))
	}
	conn.SetReadLimit(large)
	if err := d.prove(ctx, conn, &state); err != nil {
		_ = conn.Close() // the error above is what matters
		return nil, ofPeer(dialError(err, nil))
	}
	return conn, nil
}

// secure makes the TLS session.
func (d *dialer) secure(ctx context.Context, addr string) (net.Conn, tls.ConnectionState, error) {
	raw, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, tls.ConnectionState{}, err
	}
	if !d.token && !isLoopback(raw.RemoteAddr()) {
		_ = raw.Close() // nothing was sent
		return nil, tls.ConnectionState{}, errors.New("it is another machine, and there is no token to know it by; use --token-file or WARP_TOKEN here and there")
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

// prove shows the client that this side knows the token, and has it show the same.
func (d *dialer) prove(ctx context.Context, ws *websocket.Conn, state *tls.ConnectionState) error {
	deadline, _ := ctx.Deadline()
	if err := ws.SetReadDeadline(deadline); err != nil {
		return err
	}
	var c challenge
	if err := hear(ws, msgChallenge, &c); err != nil {
		return err
	}
	switch {
	case c.Protocol != protocol:
		return fmt.Errorf("it speaks version %d of the protocol, this coordinator version %d; use the same warp on both sides", c.Protocol, protocol)
	case c.Token && !d.token:
		return errors.New("it wants a token; give it with --token-file or WARP_TOKEN")
	case d.token && !c.Token:
		return errors.New("it runs without a token, so it cannot prove that it is yours; start it with the same token")
	}
	nonce := newNonce()
	mac, err := d.keys.proof(roleCoordinator, state, c.Nonce, nonce)
	if err != nil {
		return err
	}
	if err := say(ws, msgProof, proofBody{protocol, nonce, mac}, d.timing.write); err != nil {
		return err
	}
	var a accept
	if err := hear(ws, msgAccept, &a); err != nil {
		return err
	}
	ok, err := d.keys.check(roleClient, state, c.Nonce, nonce, a.MAC)
	if err != nil || !ok {
		return errors.Join(errors.New("it does not know the token, but says so: it is not your client"), err)
	}
	return ws.SetReadDeadline(time.Time{})
}

// dialError says in plain words why a client cannot be reached.
func dialError(err error, answer *http.Response) error {
	var timeout net.Error
	switch {
	case answer != nil:
		return fmt.Errorf("what answers there is no warp client (HTTP status %d)", answer.StatusCode)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nothing listens there; is \"warp client\" running? (%w)", err)
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer in time; is it up, and does a firewall let port %s through? (%w)", DefaultPort, err)
	case errors.Is(err, syscall.ECONNRESET), isClosed(err):
		return fmt.Errorf("it hung up; it does so on too many failed attempts, or it is no warp client (%w)", err)
	}
	return err
}

// isLoopback tells whether an address is on this machine.
func isLoopback(addr net.Addr) bool {
	a, err := netip.ParseAddrPort(addr.String())
	return err == nil && a.Addr().Unmap().IsLoopback()
}

// sourceOf is the address of the other side.
func sourceOf(conn net.Conn) netip.AddrPort {
	a, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.AddrPort{}
	}
	return a
}
