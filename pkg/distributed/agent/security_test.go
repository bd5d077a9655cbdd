package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/responder"
	"warp/pkg/distributed/coordinator"
	"warp/pkg/distributed/internal/harness"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
)

// refused tries to run, and gives the reason why that was refused.
func refusal(t *testing.T, o coordinator.Options) string {
	t.Helper()
	_, err := coordinator.Run(context.Background(), harness.Plan(t, "put", "127.0.0.1:1", time.Second), harness.Credentials, o)
	var r *coordinator.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return err.Error()
}

func TestVersions(t *testing.T) {
	t.Parallel()
	c := startClient(t, func(o *Options) { o.Version = "other" })
	if got := refusal(t, testOptions(c.addr)); !strings.Contains(got, `warp version "other"`) {
		t.Error(got)
	}
}

func TestSameClientTwice(t *testing.T) {
	t.Parallel()
	c := startClient(t, nil)
	p := harness.StartProxy(t, c.addr)
	got := refusal(t, testOptions(c.addr, p.Addr()))
	if !strings.Contains(got, "1 of 2") || !strings.Contains(got, "same client as "+c.addr) {
		t.Error(got)
	}
	harness.Until(t, "the client is free again", func() bool { return c.busy() == "" })
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	c := startClient(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	web := &http.Server{Handler: http.NotFoundHandler()}
	wl, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go web.Serve(wl)
	defer web.Close()
	got := refusal(t, testOptions(c.addr, nobody, wl.Addr().String()))
	if !strings.Contains(got, "2 of 3 clients cannot take part") || !strings.Contains(got, nobody+": connection refused") || strings.Contains(got, c.addr) {
		t.Error(got)
	}
	harness.Until(t, "the client is free", func() bool { return c.busy() == "" })
}

// TestSecondCoordinator finds the client busy, is told with whom, and disturbs nothing.
// works: MinIO warp: a client serves one coordinator at a time, of its own version
func TestSecondCoordinator(t *testing.T) {
	t.Parallel()
	server := harness.Server(t, responder.Options{})
	c := startClient(t, nil)
	started := make(chan struct{})
	var once sync.Once
	o := testOptions(c.addr)
	o.Observer = &watcher{onStage: func(s coordinator.Stage) { once.Do(func() { close(started) }) }}
	finished := make(chan error, 1)
	go func() {
		_, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 500*time.Millisecond), o)
		finished <- err
	}()
	<-started
	second := testOptions(c.addr)
	second.Name = "intruder"
	if got := refusal(t, second); !strings.Contains(got, `busy with the coordinator "tester" at 127.0.0.1`) || !strings.Contains(got, "since 20") {
		t.Error(got)
	}
	if err := <-finished; err != nil {
		t.Errorf("the first run: %v", err)
	}
	if _, _, err := runAll(context.Background(), harness.Plan(t, "put", server.Host(), 50*time.Millisecond), second); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

// TestLies sends what the protocol does not allow, as someone who knows the token.
func TestLies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		say  func(ws *transport.Conn) error
		want string
	}{
		{"gap", func(ws *transport.Conn) error {
			return ws.WriteFrame(&transport.Frame{Kind: protocol.MsgStop, Seq: 5})
		}, "message 5 out of order, want 1"},
		{"acknowledges too much", func(ws *transport.Conn) error {
			return ws.WriteFrame(&transport.Frame{Kind: "ack", Ack: 99})
		}, "never sent"},
		{"wrong order", func(ws *transport.Conn) error {
			return ws.WriteFrame(&transport.Frame{Kind: protocol.MsgWindows, Seq: 1, Body: []byte(`{}`)})
		}, "unexpected message"},
		{"no plan", func(ws *transport.Conn) error {
			return errors.Join(ws.WriteFrame(&transport.Frame{Kind: protocol.MsgSecrets, Seq: 1, Body: []byte(`{}`)}),
				ws.WriteFrame(&transport.Frame{Kind: protocol.MsgStart, Seq: 2, Body: []byte(`{}`)}))
		}, "sent no plan"},
		{"malformed body", func(ws *transport.Conn) error {
			return ws.WriteFrame(&transport.Frame{Kind: protocol.MsgSecrets, Seq: 1, Body: []byte(`{"secret_key":["hush"]}`)})
		}, `malformed body of message "secrets"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := startClient(t, nil)
			ws := enter(t, c.addr)
			_ = tt.say(ws) // it may hang up before all is said
			got := ""
			for got == "" {
				f, err := ws.ReadFrame(protocol.Large)
				if err != nil {
					got = err.Error()
				} else if f.Kind == "refuse" || f.Kind == protocol.MsgDone {
					got = string(f.Body)
				}
			}
			if !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), tt.want) || strings.Contains(got, "hush") {
				t.Errorf("the client said %s", got)
			}
			ws.Close()
			harness.Until(t, "the client is free", func() bool { return c.busy() == "" || strings.Contains(c.busy(), "connection is lost") })
		})
	}
}

// enter proves the token and joins a run, by hand.
func enter(t *testing.T, addr string) *transport.Conn {
	t.Helper()
	d, err := transport.NewDialer(transport.Options{Protocol: &protocol.Wire, Timing: harness.Timing.Timing, Token: harness.Token})
	if err != nil {
		t.Fatal(err)
	}
	ws, err := d.Dial(context.Background(), addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	ws.SetReadTimeout(20 * time.Second)
	if err := ws.Send(protocol.MsgJoin, protocol.Join{Run: rand.Text()}); err != nil {
		t.Fatal(err)
	}
	if err := ws.Receive(protocol.MsgJoined, &protocol.Joined{}); err != nil {
		t.Fatal(err)
	}
	return ws
}
