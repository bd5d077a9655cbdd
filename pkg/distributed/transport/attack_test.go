package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/guard"
)

// disconnected waits until the client has ended a connection.
func disconnected(t testing.TB, conn net.Conn) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, err := io.Copy(io.Discard, conn)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		t.Error("a stranger was not thrown out")
	}
}

// inside opens a TLS session and says nothing.
func inside(t testing.TB, addr string) *tls.Conn {
	t.Helper()
	conn := tls.Client(connect(t, addr), &tls.Config{InsecureSkipVerify: true})
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return conn
}

const upgradeRequest = "GET /warp HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// TestGarbage sends what is no TLS, no HTTP, and no websocket: the client hangs up, and works on.
func TestGarbage(t *testing.T) {
	t.Parallel()
	longFrame := binary.BigEndian.AppendUint64([]byte{0x81, 0xff}, 1<<62) // says that 4 EiB of text follow
	for _, tt := range []struct {
		name string
		tls  bool
		say  []byte
	}{
		{"HTTP", false, []byte("GET /warp HTTP/1.1\r\nHost: h\r\n\r\n")},
		{"SSH", false, []byte("SSH-2.0-OpenSSH_9.2\r\n")},
		{"zeros", false, make([]byte, 1<<16)},
		{"no HTTP in TLS", true, bytes.Repeat([]byte("x"), 1<<16)},
		{"endless head", true, append([]byte("GET /warp HTTP/1.1\r\nHost: h\r\nA: "), bytes.Repeat([]byte("a"), 1<<20)...)},
		{"another page", true, []byte("GET /admin HTTP/1.1\r\nHost: h\r\n\r\n")},
		{"no websocket", true, []byte("GET /warp HTTP/1.1\r\nHost: h\r\n\r\n")},
		{"a Frame of 4 EiB", true, append([]byte(upgradeRequest+"\r\n"), longFrame...)},
		{"a compressed Frame", true, append([]byte(upgradeRequest+"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"), 0xc1, 0x84, 0, 0, 0, 0, 1, 2, 3, 4)},
		{"a Frame that is not masked", true, append([]byte(upgradeRequest+"\r\n"), 0x81, 4, 1, 2, 3, 4)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := startServer(t, func(o *Options) { o.Timing.Handshake = 2 * time.Second })
			var conn net.Conn
			if tt.tls {
				conn = inside(t, c.addr)
			} else {
				conn = connect(t, c.addr)
			}
			_, _ = conn.Write(tt.say) // it may hang up before all is said
			disconnected(t, conn)
			until(t, "the log tells", func() bool { return strings.Contains(c.logged(), "Refused a connection from") })
			letsIn(t, c)
		})
	}
}

// TestOldTLS has only sessions of TLS 1.3, from which the proof takes its keying material.
func TestOldTLS(t *testing.T) {
	c := startServer(t, nil)
	conn := tls.Client(connect(t, c.addr), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	if err := conn.Handshake(); err == nil {
		t.Error("a session of TLS 1.2 was opened")
	}
}

// TestSlowloris says a little every few milliseconds, at each step on the way in: what counts is when it came.
func TestSlowloris(t *testing.T) {
	t.Parallel()
	Frame := []byte{0x89, 0x80, 0, 0, 0, 0} // a ping, which has no end if there are enough
	for _, tt := range []struct {
		name string
		open func(t testing.TB, addr string) net.Conn
		drip []byte
	}{
		{"TLS", connect, []byte{22, 3, 1, 0x3f, 0xff}},
		{"HTTP", func(t testing.TB, addr string) net.Conn { return inside(t, addr) }, []byte(upgradeRequest)},
		{"websocket", func(t testing.TB, addr string) net.Conn {
			conn := inside(t, addr)
			if _, err := io.WriteString(conn, upgradeRequest+"\r\n"); err != nil {
				t.Fatal(err)
			}
			return conn
		}, Frame},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := startServer(t, func(o *Options) { o.Timing.Handshake = 5 * time.Second })
			conn := tt.open(t, c.addr)
			out := make(chan struct{})
			go func() {
				defer close(out)
				disconnected(t, conn)
			}()
			for i := 0; ; i++ {
				select {
				case <-out:
				case <-time.After(5 * time.Millisecond):
					_, _ = conn.Write(tt.drip[i%len(tt.drip) : i%len(tt.drip)+1]) // until it is closed
					continue
				}
				break
			}
			letsIn(t, c)
		})
	}
}

// TestFlood opens connections without end while a session is open, which is not affected.
func TestFlood(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	session := join(t, s.addr)
	stop := make(chan struct{})
	most := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
			conn, err := net.Dial("tcp", s.addr)
			if err != nil {
				continue
			}
			defer conn.Close()
			most = max(most, s.guard.Unproved())
		}
	})
	until(t, "the server is full", func() bool {
		echo(t, session)
		return s.guard.Unproved() == guard.UnprovedSource
	})
	for range 20 {
		echo(t, session)
		time.Sleep(10 * time.Millisecond)
	}
	close(stop)
	wg.Wait()
	if most != guard.UnprovedSource {
		t.Errorf("%d connections without proof at a time", most)
	}
	s.drained(t)
	s.refill()
	letsIn(t, s)
}

// refill lets so much time go by that the allowance of this machine must be back, whatever was tried: at most as many attempts
// as are let in at a time can overdraw it.
func (s *testServer) refill() { s.ahead.Add(int64((1 + guard.UnprovedSource) * guard.SourceRefill)) }

// TestAllowanceComesBack makes as many failed attempts as one can, all at the same time: what that costs the right
// coordinator at the same address is bounded.
func TestAllowanceComesBack(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	wrong := testOptions()
	wrong.Token = "another token, also long enough"
	for range 3 {
		var wg sync.WaitGroup
		for range 2 * guard.UnprovedSource {
			wg.Go(func() { _, _ = dial(t, s.addr, wrong) }) // refused
		}
		wg.Wait()
	}
	if got := refusal(t, s.addr, testOptions()); !strings.Contains(got, "too many failed attempts") {
		t.Errorf("after failed attempts without end: %s", got)
	}
	s.drained(t)
	s.refill()
	letsIn(t, s)
}

// tap is a proxy that keeps what coordinators and clients say through it.
type tap struct {
	mu          sync.Mutex
	coordinator []byte // all that coordinators said
	client      []byte
}

func startTap(t testing.TB, target string) (*tap, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &tap{}
	var wg sync.WaitGroup
	keep := func(to *[]byte, dst, src net.Conn) {
		defer dst.Close()
		b := make([]byte, 4096)
		for {
			n, err := src.Read(b)
			p.mu.Lock()
			*to = append(*to, b[:n]...)
			p.mu.Unlock()
			if _, werr := dst.Write(b[:n]); err != nil || werr != nil {
				return
			}
		}
	}
	wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", target)
			if err != nil {
				in.Close()
				continue
			}
			wg.Go(func() { keep(&p.coordinator, out, in) })
			wg.Go(func() { keep(&p.client, in, out) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return p, l.Addr().String()
}

// TestListeningIn looks for secrets in everything that went over the wire in a session, and then sends it all again.
func TestListeningIn(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	p, addr := startTap(t, s.addr)
	const secret = "the-secret-key"
	session := join(t, addr)
	for range 20 {
		if err := session.Send(context.Background(), msgEcho, secret+strings.Repeat(" plan", 20)); err != nil {
			t.Fatal(err)
		}
		if _, err := session.Receive(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	session.Close(ErrEnded)
	until(t, "the session has ended", func() bool {
		s.Server.mu.Lock()
		defer s.Server.mu.Unlock()
		return len(s.pending) == 0
	})
	p.mu.Lock()
	sent, received := bytes.Clone(p.coordinator), bytes.Clone(p.client)
	p.mu.Unlock()
	if len(sent) < 2000 || len(received) < 2000 {
		t.Fatalf("only %d and %d bytes went over the wire", len(sent), len(received))
	}
	for _, text := range []string{testToken, secret, "plan", "echo", "join"} {
		if bytes.Contains(sent, []byte(text)) || bytes.Contains(received, []byte(text)) {
			t.Errorf("%q can be read on the wire", text)
		}
	}
	conn := connect(t, s.addr)
	_, _ = conn.Write(sent) // it may be closed before all is sent
	disconnected(t, conn)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.joined != 1 {
		t.Error("a recorded session was opened again")
	}
}

// TestTooMuchBeforeProof sends a message that would be fine, and 16<<20, from a coordinator.
func TestTooMuchBeforeProof(t *testing.T) {
	t.Parallel()
	c := startServer(t, nil)
	ws, _, _, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = ws.ws.WriteMessage(websocket.TextMessage, bytes.Repeat([]byte(" "), Small+1)) // it may hang up before
	if f, err := ws.ReadFrame(16 << 20); err == nil {
		t.Errorf("the client answered %q", f.Kind)
	}
	letsIn(t, c)
}

// TestOtherMachineNeedsToken has a coordinator without a token say nothing to another machine, not even in TLS.
func TestOtherMachineNeedsToken(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() || ip.IP.To4() == nil {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(ip.IP.String(), "0"))
		if err != nil {
			continue
		}
		defer l.Close()
		heard := make(chan []byte, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			b, _ := io.ReadAll(conn) // until it hangs up
			heard <- b
		}()
		o := testOptions()
		o.Token = ""
		if got := refusal(t, l.Addr().String(), o); !strings.Contains(got, "another machine needs a token") {
			t.Errorf("without a token: %s", got)
		}
		if b := <-heard; len(b) > 0 {
			t.Errorf("another machine was told %q", b)
		}
		return
	}
	t.Skip("this machine has no address but its own")
}
