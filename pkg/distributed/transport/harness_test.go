package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"warp/internal/guard"
	"warp/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.Parallel(8)
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

const testToken = "a token for tests, long enough"

// Messages of the protocol under test.
const (
	msgJoin  = "join"
	msgEcho  = "echo" // comes back
	msgLive  = "live"
	msgLarge = "large"
)

const medium = 1 << 20

var testProtocol = Protocol{
	Version:   2,
	Messages:  map[string]int{msgJoin: Small, msgEcho: Small, msgLive: medium, msgLarge: 16 << 20, "document": Small},
	Documents: map[string]int{"document": 4 * ChunkSize},
}

var testTiming = Timing{Handshake: 5 * time.Second, Ping: 250 * time.Millisecond, Silence: 5 * time.Second, Write: 5 * time.Second}

func testOptions() Options {
	return Options{Protocol: &testProtocol, Timing: testTiming, Token: testToken}
}

// testServer has a session with everyone who joins, and echoes what it receives.
type testServer struct {
	*Server
	addr  string
	ahead atomic.Int64 // how far the guard's clock is ahead

	mu       sync.Mutex
	log      strings.Builder
	sessions []*Session
	joined   int
}

func startServer(t testing.TB, change func(*Options)) *testServer {
	t.Helper()
	s := &testServer{}
	o := testOptions()
	o.Logf = func(format string, args ...any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintf(&s.log, format+"\n", args...)
	}
	if change != nil {
		change(&o)
	}
	var err error
	if s.Server, err = NewServer(o); err != nil {
		t.Fatal(err)
	}
	s.guard = guard.New(0, func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) })
	ctx, cancel := context.WithCancel(context.Background())
	if err := s.Listen(ctx, "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.addr = s.Addr().String()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, s.greet) }()
	t.Cleanup(func() {
		cancel()
		s.mu.Lock()
		for _, session := range s.sessions {
			session.Close(ErrEnded)
		}
		s.mu.Unlock()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}

func (s *testServer) greet(c *Conn) (serve func()) {
	if c.SetReadTimeout(testTiming.Handshake) != nil || c.Receive(msgJoin, &struct{}{}) != nil {
		return nil
	}
	session := NewSession(&testProtocol, testTiming, medium, nil)
	s.mu.Lock()
	s.sessions = append(s.sessions, session)
	s.joined++
	s.mu.Unlock()
	if c.Send(msgJoin, struct{}{}) != nil {
		return nil
	}
	return func() {
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() {
			for {
				f, err := session.Receive(context.Background())
				if err == nil && f.Kind == msgEcho {
					err = session.Send(context.Background(), msgEcho, f.Body)
				}
				if err != nil {
					return
				}
			}
		})
		_ = session.Serve(c, 0)
		session.Close(ErrEnded)
	}
}

func (s *testServer) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// dial authenticates and joins.
func dial(t testing.TB, addr string, o Options) (*Conn, error) {
	t.Helper()
	d, err := NewDialer(o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Dial(context.Background(), addr)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { c.Close() })
	return c, errors.Join(c.SetReadTimeout(20*time.Second), c.Send(msgJoin, struct{}{}), c.Receive(msgJoin, &struct{}{}))
}

// refusal returns why the server refuses.
func refusal(t testing.TB, addr string, o Options) string {
	t.Helper()
	_, err := dial(t, addr, o)
	if err == nil {
		t.Fatal("it was not refused")
	}
	return err.Error()
}

// join is a session with the server.
func join(t testing.TB, addr string) *Session {
	t.Helper()
	c, err := dial(t, addr, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	s := NewSession(&testProtocol, testTiming, medium, nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Close(s.Serve(c, 0))
	}()
	t.Cleanup(func() {
		s.Close(ErrEnded)
		<-done
	})
	return s
}

// echo has a message come back.
func echo(t testing.TB, s *Session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := s.Send(ctx, msgEcho, "hello"); err != nil {
		t.Fatal(err)
	}
	if f, err := s.Receive(ctx); err != nil || string(f.Body) != `"hello"` {
		t.Fatalf("received %s, %v", f.Body, err)
	}
}

// letsIn authenticates with the right token, which must work, and waits until no other connection is left.
func letsIn(t testing.TB, s *testServer) {
	t.Helper()
	if _, err := dial(t, s.addr, testOptions()); err != nil {
		t.Errorf("the right token: %v", err)
	}
	s.drained(t)
}

// drained waits until no connection without proof is left.
func (s *testServer) drained(t testing.TB) {
	t.Helper()
	until(t, "no connection without proof is left", func() bool {
		return s.guard.Unproved() == 0
	})
}

// until waits for something that other goroutines bring about.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timeout waiting until %s", what)
		}
	}
}

// connect opens a connection without authenticating.
func connect(t testing.TB, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}
