package distributed

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// FuzzDecode feeds frames to the decoder and to a session, as a stranger who got in might.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"type":"go","seq":1,"body":{"n":1}}`, `{"type":"live","body":{"kinds":[{"op":"GET","latency":"BQAODg5ASIAAAAAAAAcB"}]}}`,
		`{"type":"ack","ack":18446744073709551615}`, `{"type":"start","seq":2,"body":{"plan":null}}`, `{}`, `[]`, `null`, `{"type":"once","seq":1,"body":{"key":"a"}}`,
	} {
		f.Add(true, []byte(s))
	}
	f.Add(false, bytes.Repeat([]byte{0}, chunkHeader))
	f.Fuzz(func(t *testing.T, text bool, payload []byte) {
		kind := websocket.BinaryMessage
		if text {
			kind = websocket.TextMessage
		}
		fr, err := decode(kind, payload)
		if err != nil {
			return
		}
		if _, again, err := fr.encode(); err != nil && len(payload) < 1000 {
			t.Fatalf("%q was decoded but cannot be encoded: %v", payload, err)
		} else if err == nil {
			kind2, _, _ := fr.encode()
			fr2, err := decode(kind2, again)
			if err != nil || fr2.kind != fr.kind || fr2.seq != fr.seq || fr2.ack != fr.ack {
				t.Fatalf("%q became %q (%v)", payload, again, err)
			}
		}
		s := newSession(hasty, small, func(frame) {})
		_ = s.accept(fr)
		_ = s.accept(fr)
		if len(s.in) > 1 {
			t.Fatal("one message was taken in twice")
		}
		_, _ = fr.key()
	})
}

// FuzzUpgrade feeds HTTP requests to the door, as any stranger might inside a TLS session.
func FuzzUpgrade(f *testing.F) {
	f.Add([]byte(upgradeRequest + "\r\n"))
	f.Add([]byte(upgradeRequest + "Origin: http://h\r\n\r\n"))
	f.Add([]byte(upgradeRequest + "Content-Length: 5\r\n\r\nhello"))
	f.Add([]byte("GET /warp HTTP/1.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, request []byte) {
		in, out := net.Pipe()
		go func() {
			_, _ = out.Write(request) // the door may close before it has all
			_, _ = io.Copy(io.Discard, out)
		}()
		_ = in.SetReadDeadline(time.Now().Add(20 * time.Millisecond)) // a request may be short of its end
		ws, err := upgrade(in)
		if (ws == nil) == (err == nil) {
			t.Errorf("%q: connection %v, error %v", request, ws, err)
		}
		if err == nil && (!bytes.Contains(request, []byte(path)) || !bytes.Contains(bytes.ToLower(request), []byte("websocket"))) {
			t.Errorf("%q was let in", request)
		}
		in.Close()
		out.Close()
	})
}

// FuzzLive feeds live messages to a coordinator.
func FuzzLive(f *testing.F) {
	f.Add([]byte(`{"at":5,"stage":"benchmark","done":3,"kinds":[{"op":"GET","ops":3,"latency":"BQAODg5ASIAAAAAAAAcB"}]}`))
	f.Add([]byte(`{"at":-5,"kinds":[{},{},{"ops":-9223372036854775808}],"points":[{"second":1,"bytes":[1,1,1,1,1,1,1],"objects":[1,1,1,1,1,1,1]}]}`))
	f.Add([]byte(`{"points":[{"second":0,"bytes":[],"objects":[]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		o := testOptions("a", "b")
		c, err := newCoordinator(testPlan(t, "put", "127.0.0.1:1", time.Second), o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			c.members = append(c.members, newMember(c, i, "x", "id"))
		}
		c.begin(0)
		for _, m := range c.members {
			m.onLive(frame{kind: msgLive, body: body})
			m.onLive(frame{kind: msgLive, body: body})
			m.cancel(nil)
		}
		c.recent(time.Now())
		c.progress("benchmark")()
	})
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
