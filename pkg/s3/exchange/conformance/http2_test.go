package conformance

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
)

// Frames of HTTP/2, and their flags (RFC 9113, 6).
const (
	frameData     = 0
	frameHeaders  = 1
	frameReset    = 3
	frameSettings = 4
	framePing     = 6
	frameGoAway   = 7

	endStream  = 1
	ack        = 1
	endHeaders = 4
)

// Error codes of HTTP/2 (RFC 9113, 7).
const (
	noError       = 0
	protocolError = 1
	internalError = 2
	refusedStream = 7
	calm          = 11 // "enhance your calm"
)

// stream is a request over a connection of HTTP/2.
type stream struct {
	*tls.Conn
	raw   *net.TCPConn
	id    uint32
	known bool // the client knows the settings
}

func (s *stream) frame(kind, flags byte, id uint32, payload []byte) {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = binary.BigEndian.AppendUint32(append(b, flags), id)
	_, _ = s.Write(append(b, payload...)) // whether it came shows what the client does
}

func numbers(n ...uint32) (b []byte) {
	for _, v := range n {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

func (s *stream) respond() {
	s.frame(frameHeaders, endHeaders, s.id, []byte{0x88}) // status 200
	s.frame(frameData, endStream, s.id, []byte("hello"))
}

func (s *stream) hints() { s.frame(frameHeaders, endHeaders, s.id, []byte("\x08\x03103")) }

// goAway says that streams beyond the last are not processed.
func (s *stream) goAway(last, code uint32) { s.frame(frameGoAway, 0, 0, numbers(last, code)) }

func (s *stream) reset(code uint32) { s.frame(frameReset, 0, s.id, numbers(code)) }

// end ends the connection as a row of the table does.
func (s *stream) end(how ending) { (&script{row: &row{end: how}}).finish(s.Conn, s.raw) }

// next reads frames until a request is complete, and the client writes nothing more: what it writes to a connection that was reset is
// told so, and then reads no more than its end.
func (s *stream) next() error {
	for complete := false; !complete || !s.known; {
		var head [9]byte
		if _, err := io.ReadFull(s, head[:]); err != nil {
			return err
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(s, payload); err != nil {
			return err
		}
		switch kind, flags := head[3], head[4]; {
		case (kind == frameHeaders || kind == frameData) && flags&endStream != 0:
			s.id, complete = binary.BigEndian.Uint32(head[5:]), true
		case kind == framePing && flags&ack == 0:
			s.frame(framePing, ack, 0, payload)
		case kind == frameSettings && flags&ack == 0:
			s.frame(frameSettings, ack, 0, nil)
		case kind == frameSettings:
			s.known = true
		}
	}
	return nil
}

// streamRows are what servers do with the first request after others, and what becomes of it. net/http sends what the server did not
// process again by itself; what may have been processed follows the rule of HTTP/1.1.
var streamRows = []struct {
	name  string
	after int // requests with a response over the same connection before
	do    func(s *stream)
	want  verdict // class, resent
}{
	{"refused by GOAWAY", 1, func(s *stream) { s.goAway(s.id-2, noError) }, verdict{resent: 1}},
	{"refused by GOAWAY, which ends", 1, func(s *stream) { s.goAway(s.id-2, noError); s.end(ends) }, verdict{resent: 1}},
	{"refused by GOAWAY over a new connection", 0, func(s *stream) { s.goAway(0, noError); s.end(ends) }, verdict{resent: 1}},
	{"refused by GOAWAY with an error over a new connection", 0, func(s *stream) { s.goAway(0, calm); s.end(ends) }, verdict{class: "connection closed"}},
	{"refused", 1, func(s *stream) { s.reset(refusedStream) }, verdict{resent: 1}},
	{"refused over a new connection", 0, func(s *stream) { s.reset(refusedStream) }, verdict{resent: 1}},
	{"reset as wrong", 1, func(s *stream) { s.reset(protocolError) }, verdict{resent: 1}},
	{"reset", 1, func(s *stream) { s.reset(internalError) }, verdict{class: "connection reset"}},
	{"reset, which ends", 1, func(s *stream) { s.reset(internalError); s.end(ends) }, verdict{class: "connection reset"}},

	{"processed, GOAWAY, ends", 1, func(s *stream) { s.goAway(s.id, noError); s.end(ends) }, verdict{resent: 1}},
	{"processed, GOAWAY, cut", 1, func(s *stream) { s.goAway(s.id, noError); s.end(cuts) }, verdict{resent: 1}},
	{"processed, GOAWAY, reset", 1, func(s *stream) { s.goAway(s.id, noError); s.end(resets) }, verdict{resent: 1}},
	{"processed, GOAWAY, ends, new connection", 0, func(s *stream) { s.goAway(s.id, noError); s.end(ends) }, verdict{class: "connection closed"}},
	{"ends", 1, func(s *stream) { s.end(ends) }, verdict{resent: 1}},
	{"cut", 1, func(s *stream) { s.end(cuts) }, verdict{resent: 1}},
	{"reset connection", 1, func(s *stream) { s.end(resets) }, verdict{resent: 1}},
	{"ends, new connection", 0, func(s *stream) { s.end(ends) }, verdict{class: "connection closed"}},
	{"reset connection, new", 0, func(s *stream) { s.end(resets) }, verdict{class: "connection reset"}},
	{"interim, ends", 1, func(s *stream) { s.hints(); s.end(ends) }, verdict{class: "connection closed"}},
	{"interim, GOAWAY, ends", 1, func(s *stream) { s.hints(); s.goAway(s.id, noError); s.end(ends) }, verdict{class: "connection closed"}},
	{"GOAWAY, responds", 1, func(s *stream) { s.goAway(s.id, noError); s.respond(); s.end(ends) }, verdict{}},
	{"interim, responds", 1, func(s *stream) { s.hints(); s.respond() }, verdict{}},
}

// TestStreams: requests over HTTP/2 that the server does not process, or may have processed, are sent again as HTTP/1.1 has it, or fail;
// and each sending is counted.
func TestStreams(t *testing.T) {
	for _, upload := range []bool{false, true} {
		for _, r := range streamRows {
			t.Run(fmt.Sprintf("upload=%v/%s", upload, r.name), func(t *testing.T) {
				t.Parallel()
				var received atomic.Int64
				of := serve(t, true, func(of *server, raw *net.TCPConn) {
					cfg := of.cert.Clone()
					cfg.NextProtos = []string{"h2"}
					s := &stream{Conn: tls.Server(raw, cfg), raw: raw}
					s.frame(frameSettings, 0, 0, nil)
					if _, err := io.CopyN(io.Discard, s, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
						return
					}
					for s.next() == nil {
						if n := received.Add(1); n == int64(r.after)+1 {
							r.do(s)
						} else {
							s.respond()
						}
					}
				})
				cfg := s3.Config{Hosts: []string{of.addr}, TLS: true, Insecure: true, HTTP2: true, Timeout: patience, IdleTimeout: patience}
				session := s3test.Open(t, cfg).Session(0)
				for i := range r.after + 1 {
					var body bytes.Buffer
					c := &s3.Call{Method: "GET", Key: "k", Size: -1, Into: &body}
					if upload {
						c.Method, c.Body, c.Size, c.Into, c.Parse = "PUT", strings.NewReader("hello"), 5, nil, func(r io.Reader) error { _, err := body.ReadFrom(r); return err }
					}
					err := session.Do(t.Context(), c)
					want := verdict{}
					if i == r.after {
						want = r.want
					}
					if s3test.Class(err) != want.class || c.Resent != want.resent || err == nil && body.String() != "hello" {
						t.Errorf("%v, resent %d, want class %q, resent %d; %q", err, c.Resent, want.class, want.resent, &body)
					}
					if (want.class == "") != !c.FirstByte.IsZero() {
						t.Errorf("first byte %v", c.FirstByte)
					}
				}
				if n := received.Load(); n != int64(r.after+1+r.want.resent) {
					t.Errorf("the server had %d requests", n)
				}
			})
		}
	}
}
