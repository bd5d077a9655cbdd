package distributed

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/responder"
	"warp/pkg/op"
)

// stranger connects to a client as anybody can.
func stranger(t testing.TB, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// thrownOut waits until the client has ended a connection.
func thrownOut(t testing.TB, conn net.Conn) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, err := io.Copy(io.Discard, conn)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		t.Error("a stranger was not thrown out")
	}
}

// letsIn makes a run with a client, which must work.
func letsIn(t testing.TB, c *testClient) {
	t.Helper()
	server := startServer(t, responder.Options{})
	if _, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 50*time.Millisecond), testOptions(c.addr)); err != nil {
		t.Errorf("the right coordinator: %v", err)
	}
	until(t, "no stranger is left", func() bool {
		c.guard.mu.Lock()
		defer c.guard.mu.Unlock()
		return c.guard.open == 0
	})
}

// inside opens a TLS session, in which nothing has been said.
func inside(t testing.TB, addr string) *tls.Conn {
	t.Helper()
	conn := tls.Client(stranger(t, addr), &tls.Config{InsecureSkipVerify: true})
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return conn
}

const upgradeRequest = "GET /warp HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// TestGarbage sends what is no TLS, no HTTP, and no websocket: the client hangs up, and works on.
func TestGarbage(t *testing.T) {
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
		{"a frame of 4 EiB", true, append([]byte(upgradeRequest+"\r\n"), longFrame...)},
		{"a compressed frame", true, append([]byte(upgradeRequest+"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"), 0xc1, 0x84, 0, 0, 0, 0, 1, 2, 3, 4)},
		{"a frame that is not masked", true, append([]byte(upgradeRequest+"\r\n"), 0x81, 4, 1, 2, 3, 4)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startClient(t, func(o *ClientOptions) { o.timing.handshake = 2 * time.Second })
			var conn net.Conn
			if tt.tls {
				conn = inside(t, c.addr)
			} else {
				conn = stranger(t, c.addr)
			}
			begin := time.Now()
			_, _ = conn.Write(tt.say) // it may hang up before all is said
			thrownOut(t, conn)
			if took := time.Since(begin); took > 15*time.Second {
				t.Errorf("it listened to this for %v", took)
			}
			until(t, "the log tells", func() bool { return strings.Contains(c.logged(), "Refused a connection from") })
			letsIn(t, c)
		})
	}
}

// TestOldTLS has only sessions of TLS 1.3, from which the proof takes its keying material.
func TestOldTLS(t *testing.T) {
	c := startClient(t, nil)
	conn := tls.Client(stranger(t, c.addr), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	if err := conn.Handshake(); err == nil {
		t.Error("a session of TLS 1.2 was opened")
	}
}

// TestSlowloris says a little every few milliseconds, at each step on the way in: what counts is when it came.
func TestSlowloris(t *testing.T) {
	frame := []byte{0x89, 0x80, 0, 0, 0, 0} // a ping, which has no end if there are enough
	for _, tt := range []struct {
		name string
		open func(t testing.TB, addr string) net.Conn
		drip []byte
	}{
		{"TLS", stranger, []byte{22, 3, 1, 0x3f, 0xff}},
		{"HTTP", func(t testing.TB, addr string) net.Conn { return inside(t, addr) }, []byte(upgradeRequest)},
		{"websocket", func(t testing.TB, addr string) net.Conn {
			conn := inside(t, addr)
			if _, err := io.WriteString(conn, upgradeRequest+"\r\n"); err != nil {
				t.Fatal(err)
			}
			return conn
		}, frame},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startClient(t, func(o *ClientOptions) { o.timing.handshake = 500 * time.Millisecond })
			conn := tt.open(t, c.addr)
			out := make(chan struct{})
			go func() {
				defer close(out)
				thrownOut(t, conn)
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

// TestFlood opens connections without end while a run goes on, which does not notice.
func TestFlood(t *testing.T) {
	server := startServer(t, responder.Options{})
	c := startClient(t, func(o *ClientOptions) { o.timing.handshake = time.Second })
	stop := make(chan struct{})
	most := 0
	var wg sync.WaitGroup
	flood := func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
			conn, err := net.Dial("tcp", c.addr)
			if err != nil {
				continue
			}
			defer conn.Close()
			c.guard.mu.Lock()
			most = max(most, c.guard.open)
			c.guard.mu.Unlock()
		}
	}
	o := testOptions(c.addr)
	o.Observer = &watcher{onStage: inBenchmark(func() { wg.Go(flood) })}
	r, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 2*time.Second), o)
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Clients[0].Outages) > 0 || r.InResult != 1 {
		t.Errorf("the run noticed: %v", r.Clients[0].Outages)
	}
	if most == 0 || most > maxStrangersSource {
		t.Errorf("%d strangers were in at a time", most)
	}
	c.goBy()
	letsIn(t, c)
}

// goBy has so much time go by that the allowance of this machine must be back, whatever was tried: at most as many attempts
// as are let in at a time can overdraw it.
func (c *testClient) goBy() {
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	allowed := &c.guard.slot(netip.MustParseAddrPort(c.addr)).allowed
	allowed.at = allowed.at.Add(-(1 + maxStrangersSource) * sourceRefill)
}

// TestAllowanceComesBack makes as many failed attempts as one can, all at the same time: what that costs the right
// coordinator at the same address is bounded.
func TestAllowanceComesBack(t *testing.T) {
	c := startClient(t, nil)
	wrong := testOptions(c.addr)
	wrong.Token = "another token, also long enough"
	for range 3 {
		var wg sync.WaitGroup
		for range 2 * maxStrangersSource {
			wg.Go(func() {
				_, _ = Run(context.Background(), testPlan(t, "put", "127.0.0.1:1", time.Second), credentials, wrong) // refused
			})
		}
		wg.Wait()
	}
	if got := refusal(t, testOptions(c.addr)); !strings.Contains(got, "too many failed attempts") {
		t.Errorf("after failed attempts without end: %s", got)
	}
	c.goBy()
	letsIn(t, c)
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

// TestListeningIn looks for secrets in all that went over the wire in a run, and then says it all again.
func TestListeningIn(t *testing.T) {
	server := startServer(t, responder.Options{})
	c := startClient(t, nil)
	p, addr := startTap(t, c.addr)
	if _, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 100*time.Millisecond), testOptions(addr)); err != nil {
		t.Fatal(err)
	}
	until(t, "the client is free", func() bool { return c.busy() == "" })
	p.mu.Lock()
	said, heard := bytes.Clone(p.coordinator), bytes.Clone(p.client)
	p.mu.Unlock()
	if len(said) < 2000 || len(heard) < 2000 {
		t.Fatalf("only %d and %d bytes went over the wire", len(said), len(heard))
	}
	for _, secret := range []string{testToken, string(credentials.SecretKey), string(credentials.AccessKey), "X-Amz", "bench", "workload"} {
		if bytes.Contains(said, []byte(secret)) || bytes.Contains(heard, []byte(secret)) {
			t.Errorf("%q is to be read on the wire", secret)
		}
	}
	uploads := server.Requests(op.Put)
	conn := stranger(t, c.addr)
	_, _ = conn.Write(said) // it hangs up before all is said
	thrownOut(t, conn)
	if c.busy() != "" || server.Requests(op.Put) != uploads {
		t.Error("a recorded run was performed again")
	}
}

// TestTooMuchBeforeProof sends a message that would be fine, and large, from a coordinator.
func TestTooMuchBeforeProof(t *testing.T) {
	c := startClient(t, nil)
	ws, _, _, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = ws.WriteMessage(websocket.TextMessage, bytes.Repeat([]byte(" "), small+1)) // it may hang up before
	if f, err := readFrame(ws, large); err == nil {
		t.Errorf("the client answered %q", f.kind)
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
		o := testOptions(l.Addr().String())
		o.Token = ""
		if got := refusal(t, o); !strings.Contains(got, "it is another machine") {
			t.Errorf("without a token: %s", got)
		}
		if b := <-heard; len(b) > 0 {
			t.Errorf("another machine was told %q", b)
		}
		return
	}
	t.Skip("this machine has no address but its own")
}
