package distributed

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
)

const (
	path = "/warp"
	// maxRequest is the greatest length of the HTTP request that opens a websocket.
	maxRequest = 8 << 10
)

// doorman turns a connection from anybody into one from the coordinator. It serves HTTP itself: one small request is all
// there ever is, and this way one deadline and one limit hold for all of it.
type doorman struct {
	tls    *tls.Config
	keys   keys
	token  bool // is needed
	timing timing
}

// receive lets a connection in, or tells why not. silent: the other side went away without a word.
func (d *doorman) receive(conn net.Conn) (ws *websocket.Conn, silent bool, err error) {
	heard := &hearing{Conn: conn}
	deadline := clock.Now().Add(d.timing.handshake)
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, true, err
	}
	secure := tls.Server(heard, d.tls)
	if err := secure.Handshake(); err != nil {
		return nil, heard.bytes == 0 && errors.Is(err, io.EOF), fmt.Errorf("TLS: %w", err)
	}
	if ws, err = upgrade(secure); err != nil {
		return nil, false, err
	}
	if err := errors.Join(conn.SetReadDeadline(deadline), conn.SetWriteDeadline(deadline)); err != nil {
		return nil, false, err
	}
	state := secure.ConnectionState()
	if err := d.challenge(ws, &state); err != nil {
		return nil, false, err
	}
	return ws, false, conn.SetReadDeadline(time.Time{})
}

// upgrade answers the HTTP request.
func upgrade(conn net.Conn) (*websocket.Conn, error) {
	br := bufio.NewReader(io.LimitReader(conn, maxRequest))
	w := &response{conn: conn, rw: bufio.NewReadWriter(br, bufio.NewWriter(conn))}
	r, err := http.ReadRequest(br)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return nil, errors.New("what came is not an HTTP request")
	}
	switch {
	case r.URL.Path != path:
		w.WriteHeader(http.StatusNotFound)
		return nil, errors.New("it asked for a page that is not there")
	case r.Header.Get("Origin") != "":
		// Only browsers send this: a page from anywhere must not reach a client on the same machine.
		w.WriteHeader(http.StatusForbidden)
		return nil, errors.New("it is a browser")
	case r.ContentLength != 0:
		w.WriteHeader(http.StatusBadRequest)
		return nil, errors.New("its request has a body")
	}
	// The sizes keep the upgrader from taking over the limited reader.
	u := websocket.Upgrader{ReadBufferSize: 4096, WriteBufferSize: 4096}
	ws, err := u.Upgrade(w, r, nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(small)
	return ws, nil
}

// challenge has the other side prove the token, and proves it in turn.
func (d *doorman) challenge(ws *websocket.Conn, state *tls.ConnectionState) error {
	nonce := newNonce()
	if err := say(ws, msgChallenge, challenge{protocol, d.token, nonce}, d.timing.write); err != nil {
		return err
	}
	var p proofBody
	if err := hear(ws, msgProof, &p); err != nil {
		return err
	}
	if p.Protocol != protocol {
		err := fmt.Errorf("it speaks version %d of the protocol, this client version %d; use the same warp on both sides", p.Protocol, protocol)
		return errors.Join(err, say(ws, msgRefuse, refuse{peerText(err.Error()), true}, d.timing.write))
	}
	ok, err := d.keys.check(roleCoordinator, state, nonce, p.Nonce, p.MAC)
	if err != nil || !ok {
		return errors.Join(errors.New("it does not know the token"), err, say(ws, msgRefuse, refuse{wrongToken, true}, d.timing.write))
	}
	mac, err := d.keys.proof(roleClient, state, nonce, p.Nonce)
	if err != nil {
		return err
	}
	return say(ws, msgAccept, accept{mac}, d.timing.write)
}

const wrongToken = "the token is not the one of this client"

// hearing counts what came in.
type hearing struct {
	net.Conn
	bytes int64
}

func (h *hearing) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	h.bytes += int64(n)
	return n, err
}

// response is an http.ResponseWriter for the one answer on a connection.
type response struct {
	conn net.Conn
	rw   *bufio.ReadWriter
	head http.Header
}

// Header is not sent.
func (w *response) Header() http.Header {
	if w.head == nil {
		w.head = http.Header{}
	}
	return w.head
}

// WriteHeader refuses the request.
func (w *response) WriteHeader(status int) {
	fmt.Fprintf(w.conn, "HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", status, http.StatusText(status))
}

// Write drops the text of an error.
func (w *response) Write(p []byte) (int, error) { return len(p), nil }

// Hijack hands over the connection.
func (w *response) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.conn, w.rw, nil }
