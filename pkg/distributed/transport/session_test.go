package transport

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// pair is a websocket, both ends of it.
func pair(t *testing.T) (a, b *websocket.Conn) {
	t.Helper()
	ends := make(chan *websocket.Conn, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err == nil {
			ends <- ws
		}
	}))
	defer s.Close()
	a, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(s.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return a, <-ends
}

// wireUp has a websocket carry two sessions; the function it returns cuts it.
func wireUp(t *testing.T, a, b *Session) (cut func()) {
	t.Helper()
	x, y := pair(t)
	ra, rb := a.Received(), b.Received()
	var wg sync.WaitGroup
	wg.Go(func() { _ = a.Serve(&Conn{x, &testProtocol, testTiming}, rb) })
	wg.Go(func() { _ = b.Serve(&Conn{y, &testProtocol, testTiming}, ra) })
	cut = func() {
		x.NetConn().Close()
		y.NetConn().Close()
		wg.Wait()
	}
	t.Cleanup(cut)
	return cut
}

// TestSessionSurvives cuts the connection again and again while both sides talk: all arrives, once and in order.
func TestSessionSurvives(t *testing.T) {
	a, b := NewSession(&testProtocol, testTiming, medium, nil), NewSession(&testProtocol, testTiming, medium, nil)
	const n = 3000
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range []*Session{a, b} {
		wg.Go(func() {
			for i := range n {
				if err := s.Send(ctx, Chunk, binary.BigEndian.AppendUint64(nil, uint64(i))); err != nil {
					t.Error(err)
					return
				}
			}
		})
		wg.Go(func() {
			for i := range n {
				f, err := s.Receive(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				if got := binary.BigEndian.Uint64(f.Body); got != uint64(i) {
					t.Errorf("message %d came where %d was due", got, i)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	for cuts := 0; ; cuts++ {
		cut := wireUp(t, a, b)
		select {
		case <-done:
			if cuts == 0 {
				t.Error("nothing was cut")
			}
			a.Close(ErrEnded)
			b.Close(ErrEnded)
			return
		case <-time.After(3 * time.Millisecond):
			cut()
		}
	}
}

// TestSessionTells lets the other side know why a session ended.
func TestSessionTells(t *testing.T) {
	a, b := NewSession(&testProtocol, testTiming, medium, nil), NewSession(&testProtocol, testTiming, medium, nil)
	wireUp(t, a, b)
	a.Close(errors.New("because"))
	<-b.done
	if err := b.Err(); err == nil || err.Error() != "because" {
		t.Errorf("the other side heard %v", err)
	}
	if err := b.Send(context.Background(), msgEcho, nil); err == nil {
		t.Error("a message was sent after the end")
	}
}

// TestSessionWindow drops a peer that does not wait.
func TestSessionWindow(t *testing.T) {
	s := NewSession(&testProtocol, testTiming, medium, nil)
	var err error
	for i := range window + 1 {
		err = s.accept(Frame{Kind: msgEcho, Seq: uint64(i + 1)})
	}
	var v *Violation
	if !errors.As(err, &v) {
		t.Errorf("got %v", err)
	}
}

// TestSlowReader is a coordinator that takes ever so long to write: the client waits, within its window.
func TestSlowReader(t *testing.T) {
	a, b := NewSession(&testProtocol, testTiming, medium, nil), NewSession(&testProtocol, testTiming, medium, nil)
	var sent atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	wireUp(t, a, b)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for range 10 * window {
			if a.Send(ctx, Chunk, make([]byte, ChunkSize)) != nil {
				return
			}
			sent.Add(1)
		}
	}()
	until(t, "the window is full", func() bool { return sent.Load() == window })
	for i := range 10 * window {
		if n := sent.Load(); n > int64(i+window) {
			t.Fatalf("%d messages in flight when %d were consumed", n, i)
		}
		if _, err := b.Receive(ctx); err != nil {
			t.Fatal(err)
		}
	}
	<-finished
	a.Close(ErrEnded)
	b.Close(ErrEnded)
}
