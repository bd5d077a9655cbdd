package transport

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
	"warp/internal/guard"
)

const (
	path = "/warp"
	// maxRequest is the maximum length of the HTTP request that opens a websocket.
	maxRequest = 8 << 10
	// maxGreeting is how many authenticated connections may be without a session at a time.
	maxGreeting = 32

	wrongToken = "wrong token"
)

// Server authenticates incoming connections.
type Server struct {
	opts     Options
	tls      *tls.Config
	keys     keys
	guard    *guard.Guard
	listener net.Listener

	mu      sync.Mutex
	pending map[net.Conn]struct{} // connections without a session
	closed  bool
}

// NewServer makes a Server.
func NewServer(o Options) (*Server, error) {
	k, err := newKeys(o.Token, o.Protocol.Version)
	if err != nil {
		return nil, err
	}
	t, err := o.TLS.serverTLS()
	if err != nil {
		return nil, err
	}
	return &Server{opts: o, tls: t, keys: k, guard: guard.New(0, nil), pending: make(map[net.Conn]struct{})}, nil
}

// Listen opens the port. Without a token it must be on the loopback interface.
func (s *Server) Listen(ctx context.Context, address string) error {
	addr, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	if s.opts.Token == "" && !addr.IP.IsLoopback() {
		return fmt.Errorf("listen on %s: needs a token, because anyone who reaches this port could have this machine put load on any host; "+
			"use --token-file or WARP_TOKEN, or listen on 127.0.0.1", address)
	}
	s.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr.String())
	return err
}

// Addr is where the server listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Serve accepts connections until ctx is cancelled, and then waits for their end. It calls greet for each authenticated
// connection, in a goroutine of its own. The connection belongs to a session when greet has returned, and serve carries it;
// if serve is nil the connection is closed.
func (s *Server) Serve(ctx context.Context, greet func(*Conn) (serve func())) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	stop := context.AfterFunc(ctx, s.close)
	defer stop()
	for {
		conn, err := s.listener.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			// Out of files, most likely: others will be closed.
			s.opts.Logf("Cannot accept a connection: %v", err)
			if errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("listen on %s: %w", s.Addr(), err)
			}
			clock.Pause(ctx, time.Second)
			continue
		}
		visit := s.guard.Enter(conn.RemoteAddr(), nil) // nobody is evicted: a TLS handshake is work that has been done
		if visit == nil || !visit.MayTry() {
			visit.Leave()
			_ = conn.Close() // it gets no reason
			continue
		}
		wg.Go(func() { s.serveConn(conn, visit, greet) })
	}
}

// close closes the port and all connections without a session.
func (s *Server) close() {
	_ = s.listener.Close() // nobody to report to
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for conn := range s.pending {
		_ = conn.Close()
	}
}

// serveConn serves one connection.
func (s *Server) serveConn(conn net.Conn, visit *guard.Visit, greet func(*Conn) func()) {
	defer visit.Leave()
	defer func() { _ = conn.Close() }()
	if !s.track(conn) {
		return
	}
	c, silent, err := s.authenticate(conn)
	if err != nil {
		s.untrack(conn)
		if !silent {
			visit.Failed()
			s.opts.Logf("Refused a connection from %v: %v", conn.RemoteAddr(), ofPeer(err))
		}
		return
	}
	visit.Prove()
	serve := greet(c)
	s.untrack(conn)
	if serve != nil {
		serve()
	}
}

// track counts a connection without a session, unless there are too many.
func (s *Server) track(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.pending) >= guard.Unproved+guard.Kept+maxGreeting {
		return false
	}
	s.pending[conn] = struct{}{}
	return true
}

func (s *Server) untrack(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, conn)
}

// authenticate has the other side prove the token within the time of a handshake. silent: it closed without sending
// anything. It serves HTTP itself: there is only one small request, and so one deadline and one limit hold for everything.
func (s *Server) authenticate(conn net.Conn) (c *Conn, silent bool, err error) {
	counted := &countingConn{Conn: conn}
	deadline := clock.Now().Add(s.opts.Timing.Handshake)
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, true, err
	}
	secure := tls.Server(counted, s.tls)
	if err := secure.Handshake(); err != nil {
		return nil, counted.bytes == 0 && errors.Is(err, io.EOF), fmt.Errorf("TLS: %w", err)
	}
	ws, err := upgrade(secure)
	if err != nil {
		return nil, false, err
	}
	if err := errors.Join(conn.SetReadDeadline(deadline), conn.SetWriteDeadline(deadline)); err != nil {
		return nil, false, err
	}
	state := secure.ConnectionState()
	c = &Conn{ws, s.opts.Protocol, s.opts.Timing}
	if err := s.challenge(c, &state); err != nil {
		return nil, false, err
	}
	ws.SetReadLimit(s.opts.Protocol.largest())
	return c, false, conn.SetReadDeadline(time.Time{})
}

// upgrade responds to the HTTP request.
func upgrade(conn net.Conn) (*websocket.Conn, error) {
	br := bufio.NewReader(io.LimitReader(conn, maxRequest))
	w := &response{conn: conn, rw: bufio.NewReadWriter(br, bufio.NewWriter(conn))}
	r, err := http.ReadRequest(br)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return nil, errors.New("not an HTTP request")
	}
	switch {
	case r.URL.Path != path:
		w.WriteHeader(http.StatusNotFound)
		return nil, errors.New("HTTP request for an unknown path")
	case r.Header.Get("Origin") != "":
		// Only browsers send this: a page from anywhere must not reach a client on the same machine.
		w.WriteHeader(http.StatusForbidden)
		return nil, errors.New("HTTP request of a browser")
	case r.ContentLength != 0:
		w.WriteHeader(http.StatusBadRequest)
		return nil, errors.New("HTTP request with a body")
	}
	// The sizes keep the upgrader from taking over the limited reader.
	u := websocket.Upgrader{ReadBufferSize: 4096, WriteBufferSize: 4096}
	ws, err := u.Upgrade(w, r, nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(Small)
	return ws, nil
}

// challenge has the other side prove the token, and proves it in turn.
func (s *Server) challenge(c *Conn, state *tls.ConnectionState) error {
	nonce, version := newNonce(), s.opts.Protocol.Version
	if err := c.Send(msgChallenge, challenge{version, s.opts.Token != "", nonce}); err != nil {
		return err
	}
	var p proofBody
	if err := c.Receive(msgProof, &p); err != nil {
		return err
	}
	if p.Protocol != version {
		return c.Refuse(fmt.Errorf("the coordinator has protocol version %d, this client %d; use the same warp on both sides",
			p.Protocol, version))
	}
	ok, err := s.keys.check(roleDialer, state, nonce, p.Nonce, p.MAC)
	if err != nil || !ok {
		return errors.Join(c.Refuse(errors.New(wrongToken)), err)
	}
	mac, err := s.keys.proof(roleServer, state, nonce, p.Nonce)
	if err != nil {
		return err
	}
	return c.Send(msgAccept, accept{mac})
}

// countingConn counts what came in.
type countingConn struct {
	net.Conn
	bytes int64
}

func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.bytes += int64(n)
	return n, err
}

// response is an http.ResponseWriter for the one response on a connection.
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
