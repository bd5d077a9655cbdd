package lean

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/pkg/s3/exchange"
)

// quiet reports whether nothing comes for a moment.
func quiet(c net.Conn, in *bufio.Reader) bool {
	if in.Buffered() > 0 {
		return false
	}
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
	_, err := in.Peek(1)
	_ = c.SetReadDeadline(time.Time{})
	return errors.Is(err, os.ErrDeadlineExceeded)
}

// TestExpect asks servers of all kinds whether they want a body.
func TestExpect(t *testing.T) {
	t.Parallel()
	const proceed, denied = "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
	tests := []struct {
		name     string
		response string // to the head
		status   int
		got      bool // the server gets the body
	}{
		{"yes", proceed, 200, true},
		{"hints first", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + proceed, 200, true},
		{"nothing", "", 200, true},
		{"half a response", proceed[:10], 200, true},
		{"no", denied, 403, false},
		{"not supported", "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n", 417, false},
		{"both at once", proceed + denied, 403, false},
		{"closed", "close", 0, false},
		{"garbage", "what?\r\n\r\n", 0, false},
	}
	for _, tc := range tests {
		for _, size := range []int{1, 100 << 10, 3 << 20} {
			t.Run(tc.name+" "+strconv.Itoa(size), func(t *testing.T) {
				t.Parallel()
				early, got := make(chan bool, 1), make(chan int64, 1)
				s := serve(t, func(c net.Conn) {
					in := bufio.NewReader(c)
					r, err := http.ReadRequest(in)
					if err != nil || r.Header.Get("Expect") != "100-continue" {
						t.Errorf("request is %v, %v", r, err)
						return
					}
					early <- !quiet(c, in)
					if tc.response == "close" {
						return
					}
					_, _ = io.WriteString(c, tc.response)
					n, _ := io.Copy(io.Discard, r.Body)
					if got <- n; n == int64(size) {
						_, _ = io.WriteString(c, strings.TrimPrefix(proceed+ok, tc.response))
					}
				})
				c := newTestClient(t, s.addr, nil)
				q := put(t, strings.Repeat("x", size))
				q.Expect = true
				o := try(t.Context(), c, q, 0)
				if <-early {
					t.Error("the body was sent without waiting")
				}
				if o.status != tc.status || (o.err == nil) != (tc.status > 0) || o.kept != tc.got || c.EarlyResponse == c.Sent.After(c.Start) && tc.status > 0 {
					t.Errorf("%+v, early %v, sent %v; want status %d", o, c.EarlyResponse, c.Sent, tc.status)
				}
				if tc.response == "close" {
					return
				}
				if n := <-got; (n == int64(size)) != tc.got || !tc.got && n > 0 {
					t.Errorf("the server got %d bytes", n)
				}
			})
		}
	}
}

// TestExpectOnlyWithBody: an empty object has none.
func TestExpectOnlyWithBody(t *testing.T) {
	s := serve(t, func(c net.Conn) {
		requests(c, func(_ int, r *http.Request) bool {
			if r.Header.Get("Expect") != "" {
				t.Error("it asked")
			}
			_, err := io.WriteString(c, ok)
			return err == nil
		})
	})
	if o := try(t.Context(), newTestClient(t, s.addr, nil), &exchange.Request{Method: "PUT", Expect: true, Key: "k"}, 0); o.err != nil || o.status != 200 || !o.kept {
		t.Errorf("%+v", o)
	}
}
