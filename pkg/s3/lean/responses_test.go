package lean

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"warp/pkg/s3/exchange"
)

// responses are what servers may say, and what is to be made of it.
var responses = []struct {
	name   string
	method string // GET if empty
	text   string
	status int
	body   string
	err    string // part of the error
	kept   bool
	open   bool // the end of the body is the end of the connection, so that a cut there cannot be noticed
}{
	{name: "length", text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, body: "hello", kept: true},
	{name: "names in any case", text: "HTTP/1.1 200 OK\r\ncoNTENT-lENGTH:5\r\nX-Other:\t\r\n\r\nhello", status: 200, body: "hello", kept: true},
	{name: "bare line feeds", text: "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", status: 200, body: "hello", kept: true},
	{name: "no reason", text: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", status: 200, kept: true},
	{name: "same length twice", text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", status: 200, body: "x", kept: true},
	{name: "chunked", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n06;a=b;c=\"d\"\r\n world\r\n0\r\n\r\n", status: 200, body: "hello world", kept: true},
	{name: "trailers", text: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX-A: b\r\nX-C: d\r\n\r\n", status: 200, body: "0123456789", kept: true},
	{name: "until the end", text: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello", status: 200, body: "hello", open: true},
	{name: "HTTP/1.0", text: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200, body: "hello"},
	{name: "HTTP/1.0 that goes on", text: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: Keep-Alive\r\n\r\nhello", status: 200, body: "hello", kept: true},
	{name: "close", text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: x, Close\r\n\r\nhello", status: 200, body: "hello"},
	{name: "204", text: "HTTP/1.1 204 No Content\r\n\r\n", status: 204, kept: true},
	{name: "204 with a length", text: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", status: 204, kept: true},
	{name: "304", text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", status: 304, kept: true},
	{name: "HEAD with a length", method: "HEAD", text: "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", status: 200, kept: true},
	{name: "HEAD, chunked", method: "HEAD", text: "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n", status: 404, kept: true},
	{name: "error", text: "HTTP/1.1 503 Slow Down\r\nContent-Length: 4\r\n\r\nbusy", status: 503, body: "busy", kept: true},
	{name: "redirect", text: "HTTP/1.1 301 Moved\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n", status: 301, kept: true},
	{name: "interim", text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", status: 200, body: "ok", kept: true},
	{name: "other protocol", text: "HTTP/1.1 101 Switching Protocols\r\n\r\n", status: 101},
	{name: "bytes behind the body", text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello more", status: 200, body: "hello"},
	{name: "response behind HEAD", method: "HEAD", text: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", status: 200},
	{name: "bytes behind chunks", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\nmore", status: 200, body: "x"},
	{name: "length and chunks", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\nx\r\n0\r\n\r\n", status: 200, body: "x", kept: true},

	{name: "garbage", text: "hello, who are you?\r\n\r\n", err: "malformed HTTP response"},
	{name: "TLS alert", text: "\x15\x03\x01\x00\x02\x02\x46", err: `malformed HTTP response "\x15`},
	{name: "other version", text: "HTTP/2.0 200 OK\r\n\r\n", err: "malformed HTTP response"},
	{name: "later version", text: "HTTP/1.9 200 OK\r\n\r\n", err: "malformed HTTP version"},
	{name: "no status", text: "HTTP/1.1 OK\r\n\r\n", err: "malformed HTTP"},
	{name: "status of letters", text: "HTTP/1.1 2x0 OK\r\n\r\n", err: "malformed HTTP status"},
	{name: "small status", text: "HTTP/1.1 099 OK\r\n\r\n", err: "malformed HTTP status"},
	{name: "long status", text: "HTTP/1.1 2000 OK\r\n\r\n", err: "malformed HTTP response"},
	{name: "two lengths", text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", err: "malformed HTTP Content-Length"},
	{name: "negative length", text: "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", err: "malformed HTTP Content-Length"},
	{name: "huge length", text: "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", err: "malformed HTTP Content-Length"},
	{name: "empty length", text: "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", err: "malformed HTTP Content-Length"},
	{name: "other coding", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", err: "malformed HTTP transfer encoding"},
	{name: "blank before the first line", text: "HTTP/1.1 200 OK\r\n X-A: b\r\n\r\n", err: "malformed HTTP header"},
	{name: "no colon", text: "HTTP/1.1 200 OK\r\nX-A\r\n\r\n", err: "malformed HTTP header"},
	{name: "blank before colon", text: "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", err: "malformed HTTP header"},
	{name: "huge header", text: "HTTP/1.1 200 OK\r\nX-A: " + strings.Repeat("x", 20<<10) + "\r\n\r\n", err: "header longer than"},
	{name: "interim without end", text: strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 100), err: "too many interim responses"},
	{name: "bad chunk", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", status: 200, err: "malformed HTTP chunk size"},
	{name: "negative chunk", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", status: 200, err: "malformed HTTP chunk size"},
	{name: "huge chunk", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", status: 200, err: "malformed HTTP chunk size"},
	{name: "empty chunk size", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", status: 200, err: "malformed HTTP chunk size"},
	{name: "chunk too long", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n", status: 200, body: "x", err: "malformed HTTP chunk"},
	{name: "endless chunk line", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("x", 5000) + "\r\n", status: 200, err: "malformed HTTP chunk"},
	{name: "endless trailer", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X-A: b\r\n", 2000), status: 200, err: "malformed HTTP"},
}

func TestResponses(t *testing.T) {
	for _, tc := range responses {
		for way := range 3 {
			t.Run(fmt.Sprint(tc.name, "/", way), func(t *testing.T) {
				s := serve(t, func(c net.Conn) {
					requests(c, func(int, *http.Request) bool {
						_, err := io.WriteString(c, tc.text)
						return err == nil && tc.kept // otherwise the server closes, as it may be read to the end
					})
				})
				c := newTestClient(t, s.addr, nil)
				q := &exchange.Request{Method: method(tc.method), Key: "k"}
				for range 2 {
					o := try(t.Context(), c, q, way)
					if o.status != tc.status || !strings.Contains(text(o.err), tc.err) || tc.err == "" && o.err != nil ||
						tc.err == "" && !same(o.body, tc.body, way) || o.kept != tc.kept {
						t.Errorf("%+v, want status %d, body %q, error %q, kept %v", o, tc.status, tc.body, tc.err, tc.kept)
					}
				}
				if n := s.conns.Load(); tc.kept && n != 1 || !tc.kept && n != 2 {
					t.Errorf("%d connections for two exchanges", n)
				}
			})
		}
	}
}

func method(m string) string {
	if m == "" {
		return "GET"
	}
	return m
}

// TestCutResponses ends the connection behind every byte of every response.
func TestCutResponses(t *testing.T) {
	var part atomicString
	s := serve(t, func(c net.Conn) {
		requests(c, func(int, *http.Request) bool {
			_, _ = io.WriteString(c, part.Load())
			return false
		})
	})
	c := newTestClient(t, s.addr, nil)
	for _, tc := range responses {
		if tc.err != "" || strings.Contains(tc.name, "behind") {
			continue
		}
		q := &exchange.Request{Method: method(tc.method), Key: "k"}
		headerEnd := strings.LastIndex(tc.text[:len(tc.text)-len(tc.body)], "\r\n\r\n")
		for n := range len(tc.text) {
			part.Store(tc.text[:n])
			o := try(t.Context(), c, q, n)
			want := "cut"
			if n == 0 {
				want = "closed"
			}
			if strings.HasSuffix(tc.text[:n], "\r\n\r\n") && strings.Contains(tc.text[:n], " 10") && !strings.Contains(tc.text[:n], " 200") {
				want = "closed" // between an interim response and the real one
			}
			if tc.open && n >= headerEnd+4 {
				want = ""
			}
			if text(o.err) != want || o.kept {
				t.Errorf("%s, cut after %d of %d bytes: %+v, want %q", tc.name, n, len(tc.text), o, want)
			}
		}
	}
}

// TestSlowResponses sends every response byte by byte.
func TestSlowResponses(t *testing.T) {
	for _, tc := range responses {
		if len(tc.text) > 1000 || strings.Contains(tc.name, "behind") {
			continue
		}
		s := serve(t, func(c net.Conn) {
			requests(c, func(int, *http.Request) bool {
				for i := range len(tc.text) {
					if _, err := io.WriteString(c, tc.text[i:i+1]); err != nil {
						return false
					}
				}
				return tc.kept
			})
		})
		c := newTestClient(t, s.addr, nil)
		for way := range 3 {
			o := try(t.Context(), c, &exchange.Request{Method: method(tc.method), Key: "k"}, way)
			if o.status != tc.status || !strings.Contains(text(o.err), tc.err) || tc.err == "" && !same(o.body, tc.body, way) || o.kept != tc.kept {
				t.Errorf("%s: %+v", tc.name, o)
			}
		}
	}
}

// FuzzResponse feeds the reader whatever comes: it must end, and without a panic, and never keep a connection of whose
// response anything is left.
func FuzzResponse(f *testing.F) {
	for _, a := range responses {
		f.Add([]byte(a.text), uint8(len(a.text)), a.method == "HEAD")
	}
	f.Fuzz(func(t *testing.T, response []byte, step uint8, isHead bool) {
		src := &memory{text: response, step: 1 + int(step), in: make([]byte, readBuffer)}
		m := "GET"
		if isHead {
			m = "HEAD"
		}
		var h responseHeader
		for seen := 0; ; {
			end, next := headerEnd(src.buffered(), seen)
			if seen = next; end >= 0 {
				if h.parse(src.buffered()[:end]) != nil {
					return
				}
				src.consume(end)
				break
			}
			if src.fill() != nil {
				return
			}
		}
		_, _ = h.all(), h.find("content-length")
		var b body
		b.begin(src, &h, m)
		got := 0
		for {
			p, err := b.next()
			if got += len(p); err != nil {
				break
			}
			if len(p) == 0 {
				t.Fatal("an empty piece")
			}
		}
		if got > len(response) {
			t.Errorf("%d bytes came out of %d", got, len(response))
		}
	})
}

// memory is a source of bytes that come in steps.
type memory struct {
	text []byte
	step int
	in   []byte
	r, w int
}

func (m *memory) buffered() []byte { return m.in[m.r:m.w] }
func (m *memory) consume(n int)    { m.r += n }

func (m *memory) fill() error {
	m.w = copy(m.in, m.in[m.r:m.w])
	m.r = 0
	if m.w == len(m.in) {
		return tooLong(len(m.in))
	}
	p, err := m.readBody(int64(len(m.in) - m.w))
	m.w += copy(m.in[m.w:], p)
	return err
}

func (m *memory) readBody(limit int64) ([]byte, error) {
	if len(m.text) == 0 {
		return nil, io.EOF
	}
	n := min(m.step, len(m.text), int(limit))
	p := m.text[:n]
	m.text = m.text[n:]
	return p, nil
}

func (m *memory) discard(limit int64) (int64, error) {
	p, err := m.readBody(limit)
	return int64(len(p)), err
}
