package distributed

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
func wireUp(t *testing.T, a, b *session) (cut func()) {
	t.Helper()
	x, y := pair(t)
	ra, rb := a.received(), b.received()
	var wg sync.WaitGroup
	wg.Go(func() { _ = a.serve(x, rb) })
	wg.Go(func() { _ = b.serve(y, ra) })
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
	a, b := newSession(hasty, medium, nil), newSession(hasty, medium, nil)
	const n = 3000
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for _, s := range []*session{a, b} {
		wg.Go(func() {
			for i := range n {
				if err := s.send(ctx, msgChunk, binary.BigEndian.AppendUint64(nil, uint64(i))); err != nil {
					t.Error(err)
					return
				}
			}
		})
		wg.Go(func() {
			for i := range n {
				f, err := s.recv(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				if got := binary.BigEndian.Uint64(f.body); got != uint64(i) {
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
			a.close(errOver)
			b.close(errOver)
			return
		case <-time.After(3 * time.Millisecond):
			cut()
		}
	}
}

// TestSessionTells lets the other side know why a session ended.
func TestSessionTells(t *testing.T) {
	a, b := newSession(hasty, medium, nil), newSession(hasty, medium, nil)
	wireUp(t, a, b)
	a.close(errors.New("because"))
	<-b.done
	if err := b.reason(); err == nil || err.Error() != "because" {
		t.Errorf("the other side heard %v", err)
	}
	if err := b.send(context.Background(), msgNotice, notice{}); err == nil {
		t.Error("a message was sent after the end")
	}
}

// TestSessionWindow drops a peer that does not wait.
func TestSessionWindow(t *testing.T) {
	s := newSession(hasty, medium, nil)
	var err error
	for i := range window + 1 {
		err = s.accept(frame{kind: msgNotice, seq: uint64(i + 1)})
	}
	var v *violation
	if !errors.As(err, &v) {
		t.Errorf("got %v", err)
	}
}
