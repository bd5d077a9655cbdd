package conformance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"warp/internal/responder/stores"
	"warp/pkg/s3"
	"warp/pkg/s3/exchange"
	"warp/pkg/s3/internal/s3test"
)

// longest is the length of the longest response that is cut behind each byte, or written byte by byte.
const longest = 1000

// whole returns the response of a row that nothing is missing in and nothing follows; empty if it is not like this.
func (r *row) whole() string {
	text := strings.Join(r.pieces, "")
	if !r.want.reused || r.after > 0 || r.end != stays || !r.reads() || len(text) > longest {
		return ""
	}
	return text
}

// reads reports whether the request has no body.
func (r *row) reads() bool { return r.send != "PUT" && r.send != "EXPECT" }

// finalHeader is where the header of the final response ends.
func finalHeader(text string) int {
	for at := 0; ; {
		end := strings.Index(text[at:], "\n\r\n") + len("\n\r\n")
		if bare := strings.Index(text[at:], "\n\n") + len("\n\n"); bare >= len("\n\n") && (bare < end || end < len("\n\r\n")) {
			end = bare
		}
		interim := text[at+len("HTTP/1.1 ")] == '1'
		if at += end; !interim {
			return at
		}
	}
}

// TestCuts ends the connection behind each byte of each whole response: each cut is an error, and which one it is depends on whether
// the header was complete.
func TestCuts(t *testing.T) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			var part atomic.Value
			s := serve(t, false, func(_ *server, c *net.TCPConn) {
				if _, err := request(bufio.NewReader(c), c); err == nil {
					text, _ := part.Load().(string)
					_, _ = io.WriteString(c, text)
				}
			})
			c, _ := e.make(t, s)
			for r := range everyRow {
				text := r.whole()
				for n := range len(text) {
					part.Store(text[:n])
					want := s3.ClassClosed
					if n >= finalHeader(text) {
						want = s3.ClassShortBody
					}
					if got := classOf(t, c, r.method(), n); got != want {
						t.Errorf("%s, cut behind %d of %d bytes: %q, want %q", r.name, n, len(text), got, want)
					}
				}
			}
		})
	}
}

// classOf performs a request, reads the body in one of three ways, and returns the class of the error.
func classOf(t *testing.T, c exchange.Client, method string, way int) string {
	if err := c.Do(t.Context(), 0, &exchange.Request{Method: method}); err != nil {
		return s3.ClassifyEarly(err).Class
	}
	defer c.Finish()
	var err error
	switch way % ways {
	case byPieces:
		for err == nil {
			_, err = c.Next()
		}
		if err == io.EOF {
			err = nil
		}
	case byRead:
		_, err = io.Copy(io.Discard, c)
	default:
		_, err = c.Discard()
	}
	if err == nil {
		return ""
	}
	return s3.Classify(err).Class
}

// TestSlowAnswers holds both engines, and sessions with each kind of store, against the table with a server that writes byte by byte. A
// reset may overtake bytes before it.
func TestSlowAnswers(t *testing.T) {
	for _, engine := range []string{"lean", "std"} {
		for _, kind := range stores.Kinds {
			for r := range everyRow {
				if text := strings.Join(r.pieces, ""); len(text) > longest || r.after > 0 || r.end == resets || r.want.resent == raced || !r.reads() {
					continue
				}
				if kind.Name != s3.StoreS3 && r.method() == http.MethodDelete { // its success may have another status
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", engine, kind.Name, r.name), func(t *testing.T) {
					t.Parallel()
					slow := *r
					slow.pieces = strings.Split(strings.Join(r.pieces, ""), "")
					of := serve(t, false, (&script{row: &slow}).serve)
					cfg := kind.Config
					cfg.Hosts, cfg.Engine, cfg.Timeout, cfg.IdleTimeout = []string{of.addr}, engine, patience, patience
					session := s3test.Open(t, cfg).Session(0)
					for way := range ways {
						if way > 0 && r.overfull() {
							session = s3test.Open(t, cfg).Session(0)
						}
						r.compare(t, session, way)
					}
				})
			}
		}
	}
}

// overfull reports whether bytes follow the response. Where they come late, the next request over the connection may precede them.
func (r *row) overfull() bool { return r.end == stays && r.want.class == "" && !r.want.reused }

// everyRow ranges over the rows of the table.
func everyRow(yield func(*row) bool) {
	for _, rows := range table {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}
}

func (r *row) method() string {
	if r.send == "" {
		return http.MethodGet
	}
	return r.send
}
