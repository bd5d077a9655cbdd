package distributed

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/responder"
)

func TestListenNeedsToken(t *testing.T) {
	for _, tt := range []struct {
		listen, token string
		ok            bool
	}{
		{"127.0.0.1:0", "", true},
		{"[::1]:0", "", true},
		{":0", "", false},
		{"0.0.0.0:0", "", false},
		{"[::]:0", "", false},
		{"0.0.0.0:0", testToken, true},
	} {
		c, err := NewClient(ClientOptions{Listen: tt.listen, Token: tt.token})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Listen(context.Background())
		if err == nil {
			c.listener.Close()
		}
		if tt.listen == "[::1]:0" && err != nil {
			continue // no IPv6 here
		}
		if (err == nil) != tt.ok {
			t.Errorf("listen on %q with token %q: %v", tt.listen, tt.token, err)
		}
	}
	if _, err := NewClient(ClientOptions{Token: "too short"}); err == nil || strings.Contains(err.Error(), "too short") {
		t.Errorf("a short token: %v", err)
	}
}

// refused tries to run, and gives the reason why that was refused.
func refusal(t *testing.T, o CoordinatorOptions) string {
	t.Helper()
	_, err := Run(context.Background(), testPlan(t, "put", "127.0.0.1:1", time.Second), credentials, o)
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return err.Error()
}

func TestTokens(t *testing.T) {
	locked, open := startClient(t, nil), startClient(t, func(o *ClientOptions) { o.Token = "" })
	for _, tt := range []struct{ name, addr, token, want string }{
		{"wrong", locked.addr, "another token, also long enough", wrongToken},
		{"none", locked.addr, "", "it wants a token"},
		{"unwanted", open.addr, testToken, "runs without a token"},
	} {
		o := testOptions(tt.addr)
		o.Token = tt.token
		if got := refusal(t, o); !strings.Contains(got, tt.want) {
			t.Errorf("%s token: %s", tt.name, got)
		}
	}
	if strings.Contains(locked.logged(), "another token") {
		t.Error("the log quotes a token")
	}
}

func TestWithoutTokenOnLoopback(t *testing.T) {
	server := startServer(t, responder.Options{})
	c := startClient(t, func(o *ClientOptions) { o.Token = "" })
	o := testOptions(c.addr)
	o.Token = ""
	if _, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 100*time.Millisecond), o); err != nil {
		t.Fatal(err)
	}
}

func TestVersions(t *testing.T) {
	c := startClient(t, func(o *ClientOptions) { o.Version = "other" })
	if got := refusal(t, testOptions(c.addr)); !strings.Contains(got, `it has version "other" of warp`) {
		t.Error(got)
	}
}

func TestSameClientTwice(t *testing.T) {
	c := startClient(t, nil)
	p := startProxy(t, c.addr)
	got := refusal(t, testOptions(c.addr, p.addr()))
	if !strings.Contains(got, "1 of 2") || !strings.Contains(got, "it is the same client as "+c.addr) {
		t.Error(got)
	}
	until(t, "the client is free again", func() bool { return c.busy() == "" })
}

func TestUnreachable(t *testing.T) {
	c := startClient(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	web := &http.Server{Handler: http.NotFoundHandler()}
	wl, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go web.Serve(wl)
	defer web.Close()
	got := refusal(t, testOptions(c.addr, nobody, wl.Addr().String()))
	if !strings.Contains(got, "2 of 3 clients cannot take part") || !strings.Contains(got, nobody+": nothing listens there") || strings.Contains(got, c.addr) {
		t.Error(got)
	}
	until(t, "the client is free", func() bool { return c.busy() == "" })
}

func TestCertificates(t *testing.T) {
	server := startServer(t, responder.Options{})
	dir := t.TempDir()
	good, bad := writeCert(t, dir, "good"), writeCert(t, dir, "bad")
	c := startClient(t, func(o *ClientOptions) { o.TLS = TLSFiles{good.Cert, good.Key, good.CA} })
	o := testOptions(c.addr)
	o.TLS = good
	if _, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 100*time.Millisecond), o); err != nil {
		t.Error(err)
	}
	o.TLS = TLSFiles{CA: bad.CA, Cert: good.Cert, Key: good.Key}
	if got := refusal(t, o); !strings.Contains(got, "certificate") {
		t.Errorf("a client signed by somebody else: %s", got)
	}
	o.TLS = TLSFiles{CA: good.CA}
	if got := refusal(t, o); !strings.Contains(got, "certificate") {
		t.Errorf("a coordinator without a certificate: %s", got)
	}
}

// writeCert makes a certificate that is its own authority.
func writeCert(t *testing.T, dir, name string) TLSFiles {
	t.Helper()
	f := TLSFiles{Cert: filepath.Join(dir, name+".crt"), Key: filepath.Join(dir, name+".key"), CA: filepath.Join(dir, name+".crt")}
	cert, key := selfSigned(t)
	if err := errors.Join(os.WriteFile(f.Cert, cert, 0o600), os.WriteFile(f.Key, key, 0o600)); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSecondCoordinator finds the client busy, is told with whom, and disturbs nothing.
func TestSecondCoordinator(t *testing.T) {
	server := startServer(t, responder.Options{})
	c := startClient(t, nil)
	started := make(chan struct{})
	var once sync.Once
	o := testOptions(c.addr)
	o.Observer = &watcher{onStage: func(s Stage) { once.Do(func() { close(started) }) }}
	finished := make(chan error, 1)
	go func() {
		_, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 500*time.Millisecond), o)
		finished <- err
	}()
	<-started
	second := testOptions(c.addr)
	second.Name = "intruder"
	if got := refusal(t, second); !strings.Contains(got, `it is busy for the coordinator "tester" at 127.0.0.1`) || !strings.Contains(got, "since 20") {
		t.Error(got)
	}
	if err := <-finished; err != nil {
		t.Errorf("the first run: %v", err)
	}
	if _, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 50*time.Millisecond), second); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

// knock opens a websocket and reads the challenge, as anybody can.
func knock(t *testing.T, addr string, header http.Header) (*websocket.Conn, challenge, *tls.ConnectionState, *http.Response, error) {
	t.Helper()
	d := websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, HandshakeTimeout: 5 * time.Second}
	ws, answer, err := d.Dial("wss://"+addr+path, header)
	if err != nil {
		return nil, challenge{}, nil, answer, err
	}
	t.Cleanup(func() { ws.Close() })
	ws.SetReadDeadline(time.Now().Add(5 * time.Second))
	var c challenge
	if err := hear(ws, msgChallenge, &c); err != nil {
		t.Fatal(err)
	}
	state := ws.NetConn().(*tls.Conn).ConnectionState()
	return ws, c, &state, answer, nil
}

// TestReplay sends a proof that was good in another session.
func TestReplay(t *testing.T) {
	c := startClient(t, nil)
	k, err := newKeys(testToken)
	if err != nil {
		t.Fatal(err)
	}
	_, ch, state, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	nonce := newNonce()
	mac, err := k.proof(roleCoordinator, state, ch.Nonce, nonce)
	if err != nil {
		t.Fatal(err)
	}
	other, _, _, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := say(other, msgProof, proofBody{protocol, nonce, mac}, time.Second); err != nil {
		t.Fatal(err)
	}
	var r *refused
	if err := hear(other, msgAccept, &accept{}); !errors.As(err, &r) {
		t.Fatalf("a proof of another session: %v", err)
	}
	// An own proof of the client, sent back as the coordinator's, is none.
	third, ch3, state3, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	mac, err = k.proof(roleClient, state3, ch3.Nonce, nonce)
	if err != nil {
		t.Fatal(err)
	}
	if err := say(third, msgProof, proofBody{protocol, nonce, mac}, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := hear(third, msgAccept, &accept{}); !errors.As(err, &r) {
		t.Fatalf("a proof of the other role: %v", err)
	}
}

// TestManInTheMiddle has TLS on both sides, and passes all messages on.
func TestManInTheMiddle(t *testing.T) {
	c := startClient(t, nil)
	cert, err := ephemeral()
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer l.Close()
	wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := tls.Dial("tcp", c.addr, &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				in.Close()
				continue
			}
			wg.Go(func() { io.Copy(in, out); in.Close() })
			wg.Go(func() { io.Copy(out, in); out.Close() })
		}
	})
	if got := refusal(t, testOptions(l.Addr().String())); !strings.Contains(got, wrongToken) {
		t.Error(got)
	}
}

// TestImpostor poses as a client that accepts everybody.
func TestImpostor(t *testing.T) {
	impostor := startClient(t, func(o *ClientOptions) { o.Token = "the token of somebody else" })
	k, err := newKeys(testToken)
	if err != nil {
		t.Fatal(err)
	}
	// It lets the coordinator in without being able to prove anything itself.
	impostor.door.keys.coordinator = k.coordinator
	if got := refusal(t, testOptions(impostor.addr)); !strings.Contains(got, "it is not your client") {
		t.Error(got)
	}
}

func TestBrowserIsRefused(t *testing.T) {
	c := startClient(t, nil)
	_, _, _, answer, err := knock(t, c.addr, http.Header{"Origin": {"https://" + c.addr}})
	if err == nil || answer == nil || answer.StatusCode != http.StatusForbidden {
		t.Fatalf("with an Origin: %v, %v", answer, err)
	}
	for name := range answer.Header {
		if name != "Connection" && name != "Content-Length" {
			t.Errorf("a stranger is told %s: %s", name, answer.Header.Get(name))
		}
	}
}

// TestSaidToStrangers looks at all that a stranger hears.
func TestSaidToStrangers(t *testing.T) {
	c := startClient(t, func(o *ClientOptions) { o.Version = "1.2.3-secret-version" })
	ws, ch, _, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(ch)
	if err != nil || strings.Contains(string(b), "1.2.3") {
		t.Errorf("the challenge is %s (%v)", b, err)
	}
	for _, kind := range []string{msgHello, msgJoin, msgClock, msgStart} {
		if err := say(ws, kind, struct{}{}, time.Second); err != nil {
			break
		}
	}
	if f, err := readFrame(ws, large); err == nil {
		t.Errorf("without a proof, the client answered %s %s", f.kind, f.body)
	}
}

// TestPortScan connects and hangs: strangers are few, thrown out in time, and a coordinator gets in meanwhile.
func TestPortScan(t *testing.T) {
	server := startServer(t, responder.Options{})
	c := startClient(t, func(o *ClientOptions) { o.timing.handshake = 300 * time.Millisecond })
	var conns []net.Conn
	for range maxStrangersSource - 2 {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	if _, _, err := runAll(context.Background(), testPlan(t, "put", server.Host(), 50*time.Millisecond), testOptions(c.addr)); err != nil {
		t.Errorf("among silent strangers: %v", err)
	}
	for _, conn := range conns {
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !isReset(err) {
			t.Fatalf("a silent stranger was not thrown out: %v", err)
		}
	}
	until(t, "no stranger is left", func() bool {
		c.guard.mu.Lock()
		defer c.guard.mu.Unlock()
		return c.guard.open == 0
	})
}

func isReset(err error) bool { return err != nil && strings.Contains(err.Error(), "reset") }

func TestGuard(t *testing.T) {
	g := newGuard()
	a, b := netip.MustParseAddrPort("192.0.2.1:1"), netip.MustParseAddrPort("[2001:db8::1]:1")
	same := netip.MustParseAddrPort("[2001:db8::ffff]:9")
	for i := range failuresSource {
		if err := g.admit(a); err != nil {
			t.Fatalf("attempt %d: %v", i, err)
		}
		g.release(a, true)
	}
	if g.admit(a) == nil {
		t.Error("one attempt too many was allowed")
	}
	if g.slot(b) != g.slot(same) {
		t.Error("addresses of one IPv6 network are counted apart")
	}
	if g.slot(a) != g.slot(b) {
		if err := g.admit(b); err != nil {
			t.Errorf("another source: %v", err)
		}
		g.release(b, false)
	}
	g.slot(a).allowed.at = g.slot(a).allowed.at.Add(-sourceRefill)
	if err := g.admit(a); err != nil {
		t.Errorf("after a while: %v", err)
	}
	g = newGuard()
	for i := range maxStrangersSource {
		if err := g.admit(a); err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
	}
	if g.admit(a) == nil {
		t.Error("one source has one connection too many")
	}
	// Twice as many: some addresses share a slot with the crowded source, and time refills the allowance.
	for i := range 2 * failuresAll {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1)
		if g.admit(addr) == nil {
			g.release(addr, true)
		}
	}
	if g.admit(b) == nil && g.slot(b) != g.slot(a) {
		t.Error("all sources together may fail without end")
	}
}

// TestLies sends what the protocol does not allow, as someone who knows the token.
func TestLies(t *testing.T) {
	for _, tt := range []struct {
		name string
		say  func(ws *websocket.Conn) error
		want string
	}{
		{"unknown", func(ws *websocket.Conn) error {
			return ws.WriteMessage(websocket.TextMessage, []byte(`{"type":"sing","seq":1}`))
		}, "not known"},
		{"no JSON", func(ws *websocket.Conn) error { return ws.WriteMessage(websocket.TextMessage, []byte(`hello`)) }, "not JSON"},
		{"too long", func(ws *websocket.Conn) error {
			return ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"type":"stop","seq":1,"body":{"reason":"%s"}}`, strings.Repeat("x", small)))
		}, "more than the 4096"},
		{"far too long", func(ws *websocket.Conn) error {
			return ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"type":"stop","seq":1,"body":{"reason":"%s"}}`, strings.Repeat("x", 20<<20)))
		}, ""},
		{"gap", func(ws *websocket.Conn) error { return writeFrame(ws, &frame{kind: msgStop, seq: 5}, time.Second) }, "message 5 came where 1 was due"},
		{"acknowledges too much", func(ws *websocket.Conn) error { return writeFrame(ws, &frame{kind: msgAck, ack: 99}, time.Second) }, "never sent"},
		{"wrong order", func(ws *websocket.Conn) error {
			return writeFrame(ws, &frame{kind: msgWindows, seq: 1, body: []byte(`{}`)}, time.Second)
		}, "nothing of the kind was due"},
		{"chunk", func(ws *websocket.Conn) error { return ws.WriteMessage(websocket.BinaryMessage, []byte("short")) }, "chunk of 5 bytes"},
		{"no plan", func(ws *websocket.Conn) error {
			return errors.Join(writeFrame(ws, &frame{kind: msgSecrets, seq: 1, body: []byte(`{}`)}, time.Second),
				writeFrame(ws, &frame{kind: msgStart, seq: 2, body: []byte(`{}`)}, time.Second))
		}, "sent no plan"},
		{"malformed body", func(ws *websocket.Conn) error {
			return writeFrame(ws, &frame{kind: msgSecrets, seq: 1, body: []byte(`{"secret_key":["hush"]}`)}, time.Second)
		}, `"secrets" is malformed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := startClient(t, nil)
			ws := enter(t, c.addr)
			_ = tt.say(ws) // it may hang up before all is said
			got := ""
			for got == "" {
				f, err := readFrame(ws, large)
				if err != nil {
					got = err.Error()
				} else if f.kind == msgRefuse || f.kind == msgDone {
					got = string(f.body)
				}
			}
			if !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), tt.want) || strings.Contains(got, "hush") {
				t.Errorf("the client said %s", got)
			}
			ws.Close()
			until(t, "the client is free", func() bool { return c.busy() == "" || strings.Contains(c.busy(), "lost its connection") })
		})
	}
}

// enter proves the token and joins a run, by hand.
func enter(t *testing.T, addr string) *websocket.Conn {
	t.Helper()
	k, err := newKeys(testToken)
	if err != nil {
		t.Fatal(err)
	}
	config, err := TLSFiles{}.coordinatorTLS()
	if err != nil {
		t.Fatal(err)
	}
	d := dialer{tls: config, keys: k, token: true, timing: hasty}
	ws, err := d.dial(context.Background(), addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	ws.SetReadDeadline(time.Now().Add(20 * time.Second))
	if err := say(ws, msgJoin, join{Run: randomName(16)}, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := hear(ws, msgJoined, &joined{}); err != nil {
		t.Fatal(err)
	}
	return ws
}
