package transport

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// patience notes how long each write on a connection may take.
type patience struct {
	net.Conn
	mu   sync.Mutex
	list []time.Duration
}

func (p *patience) SetWriteDeadline(at time.Time) error {
	p.mu.Lock()
	p.list = append(p.list, time.Until(at))
	p.mu.Unlock()
	return p.Conn.SetWriteDeadline(at)
}

// TestAnswersTakeTheirTime: a machine that stands still for a second while it answers a ping loses no connection.
func TestAnswersTakeTheirTime(t *testing.T) {
	near, far := net.Pipe()
	timing := Timing{Handshake: time.Hour, Ping: time.Hour, Silence: time.Hour, Write: time.Hour}
	dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return far, nil }}
	answered := make(chan error, 1)
	var peer *websocket.Conn
	var running sync.WaitGroup
	running.Go(func() {
		var err error
		if peer, _, err = dialer.Dial("ws://peer"+path, http.Header{}); err != nil {
			answered <- err
			return
		}
		peer.SetPongHandler(func(string) error { answered <- nil; return nil })
		running.Go(func() { _, _, _ = peer.ReadMessage() })
		if err := peer.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Hour)); err != nil {
			answered <- err
		}
	})
	conn := &patience{Conn: near}
	ws, err := upgrade(conn)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(&testProtocol, timing, medium, nil)
	running.Go(func() { _ = s.Serve(&Conn{ws, &testProtocol, timing}, 0) })
	if err := <-answered; err != nil {
		t.Error(err)
	}
	_ = near.Close()
	s.Close(ErrEnded)
	running.Wait()
	if least := slices.Min(conn.list); least < time.Minute {
		t.Errorf("an answer may take %v, want the time of all writes", least)
	}
}
