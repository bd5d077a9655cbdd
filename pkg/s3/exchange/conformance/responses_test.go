package conformance

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/pkg/s3"
	"warp/pkg/s3/internal/s3test"
)

// TestAnswers holds both engines against the table, over TCP and TLS.
func TestAnswers(t *testing.T) {
	for _, engine := range []string{"lean", "std"} {
		for _, secure := range []bool{false, true} {
			for _, rows := range table {
				for i := range rows {
					r := &rows[i]
					t.Run(fmt.Sprintf("%s/TLS=%v/%s", engine, secure, r.name), func(t *testing.T) {
						t.Parallel()
						r.test(t, engine, secure)
					})
				}
			}
		}
	}
}

// script is a server of one row.
type script struct {
	*row
	pause time.Duration

	mu    sync.Mutex
	wrote []time.Time // when the pieces of the last response were about to be written
}

// serve responds to the requests over one connection.
func (s *script) serve(of *server, raw *net.TCPConn) {
	c := of.secured(raw)
	in := bufio.NewReader(c)
	for n := 0; ; n++ {
		q, err := request(in, c)
		if err != nil {
			return
		}
		if n < s.after {
			s.note(true)
			_, err = io.WriteString(c, answer(q))
		} else if err = s.respond(c); err == nil && s.end != stays {
			s.finish(c, raw)
			_, _ = io.Copy(io.Discard, in)
			return
		}
		if err != nil {
			return
		}
	}
}

// answer is a response with nothing wrong in it.
func answer(q *http.Request) string {
	if q.Method == http.MethodPut {
		return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	}
	return fine(hello)[0]
}

func (s *script) note(first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first {
		s.wrote = nil
	}
	s.wrote = append(s.wrote, time.Now())
}

func (s *script) respond(c net.Conn) error {
	for i, text := range s.pieces {
		if i > 0 {
			time.Sleep(s.pause)
		}
		s.note(i == 0)
		if _, err := io.WriteString(c, text); err != nil {
			return err
		}
	}
	return nil
}

func (s *script) finish(c net.Conn, raw *net.TCPConn) {
	switch s.end {
	case ends:
		_ = c.(interface{ CloseWrite() error }).CloseWrite()
		_ = raw.CloseWrite()
	case cuts:
		_ = raw.CloseWrite()
	case resets:
		_ = raw.SetLinger(0)
		_ = raw.Close()
	}
}

// test compares what an engine makes of a response with the row, twice. A process that stood still in the pause between two pieces read the
// first of them too late, so that is tried again with longer pauses.
func (r *row) test(t *testing.T, engine string, secure bool) {
	for pause := 20 * time.Millisecond; ; pause *= 4 {
		s := &script{row: r, pause: pause}
		of := serve(t, secure, s.serve)
		cfg := s3.Config{Hosts: []string{of.addr}, TLS: secure, Insecure: secure, Engine: engine, Expect: r.send == "EXPECT", Timeout: patience, IdleTimeout: patience}
		session := s3test.Open(t, cfg).Session(0)
		for range r.after {
			if got, err := r.request(t.Context(), session, byPieces); got.verdict.class != "" || got.resent > 0 {
				t.Fatalf("the response before: %v", err)
			}
		}
		late, single := false, r.after > 0 || r.excess && engine == "std"
		for i := range 2 {
			if i > 0 && single {
				break
			}
			got := r.compare(t, session, i)
			late = late || s.late(t, got.at, r.want.first)
		}
		want := int64(2)
		if r.want.reused || single && r.want.resent == 0 {
			want = 1
		}
		if n := of.made.Load(); n != want {
			t.Errorf("%d connections, want %d", n, want)
		}
		if !late || t.Failed() {
			return
		}
		if pause > 5*time.Second {
			t.Fatal("the first byte of the final response is always that of a later piece")
		}
	}
}

// compare sends the request, reads the response in one of the ways, and compares what comes of it with the row.
func (r *row) compare(t *testing.T, s s3.Session, way int) outcome {
	t.Helper()
	got, err := r.request(t.Context(), s, way)
	got.reused, got.first = r.want.reused, r.want.first // which are seen from outside
	if r.want.resent == raced && got.resent <= way {
		got.resent = raced
	}
	if got.verdict != r.want {
		t.Errorf("%+v, want %+v; %v", got.verdict, r.want, err)
	}
	return got
}

// Ways to read a body.
const (
	byPieces = iota
	byRead
	byDiscard
	ways
)

// outcome is what an engine made of a response.
type outcome struct {
	verdict
	at time.Time // of the first byte
}

func (r *row) request(ctx context.Context, s s3.Session, way int) (outcome, error) {
	var body bytes.Buffer
	c := &s3.Call{Method: r.method(), Key: "k", Size: -1, Want: []string{"x-a"}}
	switch {
	case way == byPieces:
		c.Into = &body
	case way == byRead && r.send == "":
		c.Parse = func(from io.Reader) error {
			_, err := io.Copy(&body, from)
			return err
		}
	}
	if !r.reads() {
		c.Method, c.Body, c.Size, c.Access = http.MethodPut, strings.NewReader("hello"), 5, s3.MakesObjects
	}
	err := s.Do(ctx, c)
	got := outcome{verdict: verdict{class: s3test.Class(err), resent: c.Resent}, at: c.FirstByte}
	if err == nil {
		if got.body = body.String(); way == byDiscard && c.Bytes == int64(len(r.want.body)) {
			got.body = r.want.body
		}
		got.header = strings.Join(strings.Fields(strings.Join(c.Got, "")), " ") // a fold is one blank or several
	}
	return got, err
}

// late reports whether the first byte was read after the server wrote another piece.
func (s *script) late(t *testing.T, at time.Time, first int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first == none || first >= len(s.wrote) {
		if !at.IsZero() {
			t.Errorf("nothing of a response came, but the first byte of one is said to have come %v", at)
		}
		return false
	}
	if at.Before(s.wrote[first]) {
		t.Errorf("the first byte is said to have come %v before it was written", s.wrote[first].Sub(at))
	}
	return first+1 < len(s.wrote) && !at.Before(s.wrote[first+1])
}
