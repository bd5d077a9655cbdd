//go:build amd64 || arm64

package lean

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// held delays the reads of a client until what it is to read has lain in the kernel for a while.
type held struct {
	from time.Time // it was there
	done bool
}

// holdFor is how long a response lies unread.
const holdFor = 20 * time.Millisecond

// holdReads makes the socket wait, once, before it reads what the server writes now.
func holdReads(s *socket) *held {
	h := &held{}
	wait := func(fd uintptr) {
		if h.done || s.stage == stageSend || s.stage == stageCheck {
			return
		}
		for h.done = true; !sysPeek(fd); time.Sleep(time.Millisecond) {
		}
		h.from = clock.Now()
		time.Sleep(holdFor)
	}
	for _, step := range []*func(fd uintptr) bool{&s.onRoundTrip, &s.onRead, &s.onDiscard} {
		try := *step
		*step = func(fd uintptr) bool { wait(fd); return try(fd) }
	}
	return h
}

// TestArrival: what a client leaves unread is reported as unread, and nothing arrives before the server writes it. The client is held
// back before the only read of a response, or before the last read of its body.
func TestArrival(t *testing.T) {
	bothSchemes(t, func(t *testing.T, start func(func(net.Conn)) (*scripted, *Client)) {
		wrote, rest := make(chan time.Time, 1), make(chan bool)
		_, c := start(func(conn net.Conn) {
			requests(conn, func(_ int, r *http.Request) bool {
				answer := ok
				if r.Method == http.MethodGet {
					answer = " end"
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegin")
					<-rest
				}
				wrote <- clock.Now()
				_, err := io.WriteString(conn, answer)
				return err == nil
			})
		})
		c.sample.of = 1
		for n := 0; c.Arrived.IsZero(); n++ { // the kernel begins to stamp a moment after it was asked to
			if o := try(t.Context(), c, &exchange.Request{Method: "HEAD"}, 0); o.err != nil || n == 10_000 {
				t.Fatal("no stamp", o.err)
			}
			<-wrote
		}
		h := holdReads(c.conn.socket)
		for _, way := range []string{"head", "Read", "Discard"} {
			method := "GET"
			if way == "head" {
				method = "HEAD"
			}
			h.done = method == "GET"
			var err error
			var read time.Time
			perform(t.Context(), func(ctx context.Context) {
				if err = c.Do(ctx, 0, &exchange.Request{Method: method}); err != nil {
					return
				}
				switch h.done = false; way {
				case "Read":
					rest <- true
					_, err = io.ReadAll(c)
				case "Discard":
					rest <- true
					_, err = c.Discard()
				}
				read = clock.Now()
				c.Finish()
			})
			written := <-wrote
			if err != nil || c.Arrived.Before(written) || c.Arrived.After(h.from) || read.Sub(c.Arrived) < holdFor {
				t.Errorf("%s: arrived %v after it was written, %v before it was held for %v, %v before it was read (%v)",
					way, c.Arrived.Sub(written), h.from.Sub(c.Arrived), holdFor, read.Sub(c.Arrived), err)
			}
		}
	})
}
