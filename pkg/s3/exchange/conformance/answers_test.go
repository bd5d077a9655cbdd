package conformance

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"warp/pkg/s3/exchange"
)

// answers are what servers may say, and what both engines make of it.
var answers = []struct {
	name, text string
	body       string
	header     string // X-A of the response
	fails      bool   // the head or the body
	reused     bool   // the connection
}{
	{name: "length", text: "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok", body: "ok", header: "b", reused: true},
	{name: "close", text: "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", body: "ok"},
	{name: "close, keep-alive", text: "HTTP/1.1 200 OK\r\nConnection: close, keep-alive\r\nContent-Length: 2\r\n\r\nok", body: "ok"},
	{name: "close, keep-alive in two lines", text: "HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", body: "ok"},
	{name: "keep-alive of HTTP/1.0", text: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", body: "ok", reused: true},
	{name: "folded line", text: "HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 2\r\n\r\nok", body: "ok", header: "b c", reused: true},
	{name: "CR in a value", text: "HTTP/1.1 200 OK\r\nX-A: b\rc\r\nContent-Length: 2\r\n\r\nok", fails: true},
	{name: "NUL in a value", text: "HTTP/1.1 200 OK\r\nX-A: b\x00c\r\nContent-Length: 2\r\n\r\nok", fails: true},
	{name: "chunks", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", body: "ok", reused: true},
	{name: "bare LF behind a chunk size", text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n", fails: true},
	{name: "chunks in HTTP/1.0", text: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", body: "2\r\nok\r\n0\r\n\r\n"},
	{name: "interim", text: "HTTP/1.1 103 Early Hints\r\nX-A: c\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", body: "ok", reused: true},
	{name: "cut header", text: "HTTP/1.1 200 OK\r\nContent-Le", fails: true},
	{name: "cut body", text: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", fails: true},
	{name: "too long a body", text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nok", body: "o"},
}

func TestAnswers(t *testing.T) {
	for _, e := range engines {
		for _, secure := range []bool{false, true} {
			for _, a := range answers {
				t.Run(e.name+"/"+map[bool]string{false: "plain/", true: "TLS/"}[secure]+a.name, func(t *testing.T) {
					s := serve(t, secure, func(s *server, raw *net.TCPConn) {
						c := s.secured(raw)
						in := bufio.NewReader(c)
						for {
							if _, err := request(in, c); err != nil {
								return
							}
							if _, err := io.WriteString(c, a.text); err != nil || !a.reused {
								if closer, ok := c.(interface{ CloseWrite() error }); ok && err == nil {
									_ = closer.CloseWrite()
								}
								_, _ = io.Copy(io.Discard, in)
								return
							}
						}
					})
					c, end := e.make(t, s)
					defer end()
					for range 2 {
						var body []byte
						err := c.Do(t.Context(), 0, &exchange.Request{Method: "GET"})
						if err == nil {
							header := strings.Join(strings.Fields(string(c.Header("x-a"))), " ") // a fold is one blank or several
							body, err = io.ReadAll(c)
							c.Finish()
							if header != a.header && !a.fails {
								t.Errorf("header %q, want %q", header, a.header)
							}
						}
						if (err != nil) != a.fails || !a.fails && string(body) != a.body || c.Result().Resent > 0 {
							t.Errorf("%q, %v, resent %d", body, err, c.Result().Resent)
						}
					}
					if n := s.made.Load(); n != map[bool]int64{false: 2, true: 1}[a.reused] {
						t.Errorf("%d connections", n)
					}
				})
			}
		}
	}
}
