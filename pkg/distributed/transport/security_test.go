package transport

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/guard"
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
		c, err := NewServer(Options{Protocol: &testProtocol, Token: tt.token})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Listen(context.Background(), tt.listen)
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
	if _, err := NewServer(Options{Protocol: &testProtocol, Token: "too short"}); err == nil || strings.Contains(err.Error(), "too short") {
		t.Errorf("a short token: %v", err)
	}
}

func TestTokens(t *testing.T) {
	locked, open := startServer(t, nil), startServer(t, func(o *Options) { o.Token = "" })
	for _, tt := range []struct{ name, addr, token, want string }{
		{"wrong", locked.addr, "another token, also long enough", wrongToken},
		{"none", locked.addr, "", "the client needs a token"},
		{"unwanted", open.addr, testToken, "the client has no token"},
	} {
		o := testOptions()
		o.Token = tt.token
		if got := refusal(t, tt.addr, o); !strings.Contains(got, tt.want) {
			t.Errorf("%s token: %s", tt.name, got)
		}
	}
	if strings.Contains(locked.logged(), "another token") {
		t.Error("the log quotes a token")
	}
	o := testOptions()
	o.Token = ""
	if _, err := dial(t, open.addr, o); err != nil {
		t.Errorf("no token on both sides: %v", err)
	}
}

func TestProtocolVersions(t *testing.T) {
	other := testProtocol
	other.Version++
	s := startServer(t, func(o *Options) { o.Protocol = &other })
	if got := refusal(t, s.addr, testOptions()); !strings.Contains(got, "the client has protocol version 3, the coordinator 2") {
		t.Error(got)
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	if got := refusal(t, nobody, testOptions()); !strings.Contains(got, "connection refused; is") {
		t.Error(got)
	}
	web := httptest.NewTLSServer(http.NotFoundHandler())
	defer web.Close()
	if got := refusal(t, strings.TrimPrefix(web.URL, "https://"), testOptions()); !strings.Contains(got, "not a warp client (HTTP status 404)") {
		t.Error(got)
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, bad := writeCert(t, dir, "good"), writeCert(t, dir, "bad")
	s := startServer(t, func(o *Options) { o.TLS = good })
	o := testOptions()
	o.TLS = good
	if _, err := dial(t, s.addr, o); err != nil {
		t.Error(err)
	}
	o.TLS = TLSFiles{CA: bad.CA, Cert: good.Cert, Key: good.Key}
	if got := refusal(t, s.addr, o); !strings.Contains(got, "certificate") {
		t.Errorf("a server signed by somebody else: %s", got)
	}
	o.TLS = TLSFiles{CA: good.CA}
	if got := refusal(t, s.addr, o); !strings.Contains(got, "certificate") {
		t.Errorf("a dialler without a certificate: %s", got)
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

// selfSigned makes a certificate for 127.0.0.1 that is its own authority.
func selfSigned(t *testing.T) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, &c, &c, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	pk, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: pk})
}

// knock opens a websocket and reads the challenge, as anybody can.
func knock(t *testing.T, addr string, header http.Header) (*Conn, challenge, *tls.ConnectionState, *http.Response, error) {
	t.Helper()
	d := websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, HandshakeTimeout: 5 * time.Second}
	ws, answer, err := d.Dial("wss://"+addr+path, header)
	if err != nil {
		return nil, challenge{}, nil, answer, err
	}
	t.Cleanup(func() { ws.Close() })
	ws.SetReadDeadline(time.Now().Add(5 * time.Second))
	conn := &Conn{ws, &testProtocol, testTiming}
	var c challenge
	if err := conn.Receive(msgChallenge, &c); err != nil {
		t.Fatal(err)
	}
	state := ws.NetConn().(*tls.Conn).ConnectionState()
	return conn, c, &state, answer, nil
}

// TestLies sends what no protocol allows, as someone who knows the token: the session ends, and says why.
func TestLies(t *testing.T) {
	t.Parallel()
	text := func(format string, args ...any) func(*Conn) error {
		return func(c *Conn) error {
			return c.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...))
		}
	}
	for _, tt := range []struct {
		name string
		send func(*Conn) error
		want string
	}{
		{"unknown", text(`{"type":"sing","seq":1}`), `unknown message type "sing"`},
		{"no JSON", text("hello"), "not JSON"},
		{"too long", text(`{"type":"echo","seq":1,"body":"%s"}`, strings.Repeat("x", Small)), "want at most 4096"},
		{"far too long", text(`{"type":"echo","seq":1,"body":"%s"}`, strings.Repeat("x", 20<<20)), ""},
		{"too long for this side", text(`{"type":"large","seq":1,"body":"%s"}`, strings.Repeat("x", medium)), "more than the 1048576 bytes"},
		{"gap", func(c *Conn) error { return c.WriteFrame(&Frame{Kind: msgEcho, Seq: 5}) }, "message 5 out of order, want 1"},
		{"no number", func(c *Conn) error { return c.WriteFrame(&Frame{Kind: msgEcho}) }, `message "echo" has no number`},
		{"acknowledges too much", func(c *Conn) error { return c.WriteFrame(&Frame{Kind: msgAck, Ack: 99}) }, "never sent"},
		{"chunk", func(c *Conn) error { return c.ws.WriteMessage(websocket.BinaryMessage, []byte("short")) }, "invalid chunk length 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t, nil)
			c, err := dial(t, s.addr, testOptions())
			if err != nil {
				t.Fatal(err)
			}
			_ = tt.send(c) // it may be disconnected before all is sent
			got := ""
			for got == "" {
				f, err := c.ReadFrame(16 << 20)
				if err != nil {
					got = err.Error()
				} else if f.Kind == msgRefuse {
					got = string(f.Body)
				}
			}
			if !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), tt.want) {
				t.Errorf("the server said %s", got)
			}
		})
	}
}

// TestReplay sends a proof that was good in another session.
func TestReplay(t *testing.T) {
	c := startServer(t, nil)
	k, err := newKeys(testToken, testProtocol.Version)
	if err != nil {
		t.Fatal(err)
	}
	_, ch, state, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	nonce := newNonce()
	mac, err := k.proof(roleDialer, state, ch.Nonce, nonce)
	if err != nil {
		t.Fatal(err)
	}
	other, _, _, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Send(msgProof, proofBody{testProtocol.Version, nonce, mac}); err != nil {
		t.Fatal(err)
	}
	var r *Refused
	if err := other.Receive(msgAccept, &accept{}); !errors.As(err, &r) {
		t.Fatalf("a proof of another session: %v", err)
	}
	// An own proof of the client, sent back as the coordinator's, is none.
	third, ch3, state3, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	mac, err = k.proof(roleServer, state3, ch3.Nonce, nonce)
	if err != nil {
		t.Fatal(err)
	}
	if err := third.Send(msgProof, proofBody{testProtocol.Version, nonce, mac}); err != nil {
		t.Fatal(err)
	}
	if err := third.Receive(msgAccept, &accept{}); !errors.As(err, &r) {
		t.Fatalf("a proof of the other role: %v", err)
	}
}

// TestManInTheMiddle has TLS on both sides, and passes all messages on.
func TestManInTheMiddle(t *testing.T) {
	c := startServer(t, nil)
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
	if got := refusal(t, l.Addr().String(), testOptions()); !strings.Contains(got, wrongToken) {
		t.Error(got)
	}
}

// TestImpostor poses as a server that accepts everybody.
func TestImpostor(t *testing.T) {
	impostor := startServer(t, func(o *Options) { o.Token = "the token of somebody else" })
	k, err := newKeys(testToken, testProtocol.Version)
	if err != nil {
		t.Fatal(err)
	}
	impostor.keys.dialer = k.dialer // it accepts the proof without being able to prove anything itself
	if got := refusal(t, impostor.addr, testOptions()); !strings.Contains(got, "it is an impostor") {
		t.Error(got)
	}
}

func TestBrowserIsRefused(t *testing.T) {
	c := startServer(t, nil)
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
	c := startServer(t, nil)
	ws, ch, _, _, err := knock(t, c.addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := (challenge{testProtocol.Version, true, ch.Nonce}); !reflect.DeepEqual(ch, want) {
		t.Errorf("the challenge is %v", ch)
	}
	for _, kind := range []string{msgJoin, msgEcho, msgLarge} {
		if err := ws.Send(kind, struct{}{}); err != nil {
			break
		}
	}
	if f, err := ws.ReadFrame(16 << 20); err == nil {
		t.Errorf("without a proof, the client answered %s %s", f.Kind, f.Body)
	}
}

// TestPortScan connects and hangs: strangers are few, thrown out in time, and a coordinator gets in meanwhile.
func TestPortScan(t *testing.T) {
	t.Parallel()
	c := startServer(t, func(o *Options) { o.Timing.Handshake = 2 * time.Second })
	var conns []net.Conn
	for range guard.UnprovedSource - 2 {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	if _, err := dial(t, c.addr, testOptions()); err != nil {
		t.Errorf("among silent connections: %v", err)
	}
	for _, conn := range conns {
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !isReset(err) {
			t.Fatalf("a silent stranger was not thrown out: %v", err)
		}
	}
	c.drained(t)
}

func isReset(err error) bool { return err != nil && strings.Contains(err.Error(), "reset") }
