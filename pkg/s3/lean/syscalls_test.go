//go:build unix

package lean

import (
	"net"
	"slices"
	"testing"
	"time"

	"warp/pkg/s3/exchange"
)

// TestSystemCalls: a request and its response take one send and one receive, which finds what it looks for. Only the first
// reuse of a connection, and one after a pause, also look whether the server closed it.
func TestSystemCalls(t *testing.T) {
	bothSchemes(t, func(t *testing.T, start func(func(net.Conn)) (*scripted, *Client)) {
		_, c := start(respond("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"))
		var calls []string
		for i, want := range [][]string{nil, {"check", "send", "receive"}, {"send", "receive"}, {"check", "send", "receive"}, {"send", "receive"}} {
			for _, q := range []*exchange.Request{{Method: "GET"}, put(t, "body")} {
				switch {
				case i == 1:
					c.conn.responses = 1
				case i == 3:
					c.conn.last = c.conn.last.Add(-2 * staleAfter)
				case i > 0:
					c.conn.last = c.conn.last.Add(time.Hour) // however long the test is held up
				}
				calls = nil
				if o := try(t.Context(), c, q, 0); o.err != nil || o.body != "hello" || !o.kept {
					t.Fatalf("%d: %+v", i, o)
				}
				if i > 0 && !slices.Equal(calls, want) {
					t.Errorf("%d, %s: %q, want %q", i, q.Method, calls, want)
				}
			}
			if i == 0 {
				recordCalls(c.conn.socket, &calls)
			}
		}
	})
}

// recordCalls notes the system calls of a socket in order.
func recordCalls(s *socket, calls *[]string) {
	step, read, write := s.onRoundTrip, s.onRead, s.onWrite
	s.onRoundTrip = func(fd uintptr) bool {
		switch s.stage {
		case stageCheck:
			*calls = append(*calls, "check", "send")
		case stageSend:
			*calls = append(*calls, "send")
		default:
			*calls = append(*calls, "receive")
		}
		return step(fd)
	}
	s.onRead = func(fd uintptr) bool { *calls = append(*calls, "receive"); return read(fd) }
	s.onWrite = func(fd uintptr) bool { *calls = append(*calls, "send"); return write(fd) }
}
