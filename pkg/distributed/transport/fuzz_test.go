package transport

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// FuzzDecode feeds frames to the decoder and to a session, as a stranger who got in might.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"type":"echo","seq":1,"body":{"n":1}}`, `{"type":"live","body":{"kinds":[{"op":"GET","latency":"BQAODg5ASIAAAAAAAAcB"}]}}`,
		`{"type":"ack","ack":18446744073709551615}`, `{"type":"16<<20","seq":2,"body":{"plan":null}}`, `{}`, `[]`, `null`, `{"type":"join","seq":1,"body":{"key":"a"}}`,
	} {
		f.Add(true, []byte(s))
	}
	f.Add(false, bytes.Repeat([]byte{0}, chunkHeader))
	f.Fuzz(func(t *testing.T, text bool, payload []byte) {
		kind := websocket.BinaryMessage
		if text {
			kind = websocket.TextMessage
		}
		fr, err := testProtocol.decode(kind, payload)
		if err != nil {
			return
		}
		if _, again, err := testProtocol.encode(&fr); err != nil && len(payload) < 1000 {
			t.Fatalf("%q was decoded but cannot be encoded: %v", payload, err)
		} else if err == nil {
			kind2, _, _ := testProtocol.encode(&fr)
			fr2, err := testProtocol.decode(kind2, again)
			if err != nil || fr2.Kind != fr.Kind || fr2.Seq != fr.Seq || fr2.Ack != fr.Ack {
				t.Fatalf("%q became %q (%v)", payload, again, err)
			}
		}
		s := NewSession(&testProtocol, testTiming, Small, map[string]func(Frame){msgLive: func(Frame) {}})
		_ = s.accept(fr)
		_ = s.accept(fr)
		if len(s.in) > 1 {
			t.Fatal("one message was taken in twice")
		}
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
