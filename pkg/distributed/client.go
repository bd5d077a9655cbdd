package distributed

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3"
)

// ClientOptions shape a Client.
type ClientOptions struct {
	Listen    string                            // host:port; empty: 127.0.0.1:7761
	Token     string                            // shared with coordinators; empty: they must be on this machine
	TLS       TLSFiles                          // certificates beside the token; usually none
	Dir       string                            // where the client keeps its recordings; empty: the working directory
	Keep      int                               // how many of them; older ones are removed after a run; 0: all
	Version   string                            // of warp
	Grace     time.Duration                     // how long a run goes on without its coordinator; 0: 30 s
	OpenStore func(s3.Config) (s3.Store, error) // nil: s3.New
	Logf      func(format string, args ...any)  // takes a line for each thing that happens; nil: none

	timing   timing
	snapshot int                                                // greatest length of a snapshot with all details
	now      func() time.Time                                   // the clock of this machine, as coordinators see it
	create   func(path string) (io.WriteCloser, error)          // makes the file of a recording
	run      func(context.Context, *job, *start, *secrets) done // performs a plan
}

// Client performs runs for coordinators, one at a time.
type Client struct {
	opts     ClientOptions
	door     doorman
	guard    *guard
	instance string
	host     string
	listener net.Listener

	mu      sync.Mutex
	job     *job                  // the run under way; nil: free
	guests  map[net.Conn]struct{} // connections that no run owns
	closing bool
}

// maxGuests is how many connections may be in the greeting at a time.
const maxGuests = 32

// NewClient makes a client. Listen or Serve open its port.
func NewClient(o ClientOptions) (*Client, error) {
	if o.Listen == "" {
		o.Listen = net.JoinHostPort("127.0.0.1", DefaultPort)
	}
	o.Listen = WithPort(o.Listen)
	if o.OpenStore == nil {
		o.OpenStore = s3.New
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.timing == (timing{}) {
		o.timing = usual
	}
	if o.snapshot == 0 {
		o.snapshot = documents[msgSnapshot]
	}
	if o.now == nil {
		o.now = clock.Now
	}
	if o.create == nil {
		o.create = createFile
	}
	if o.run == nil {
		o.run = func(ctx context.Context, j *job, st *start, sec *secrets) done { return j.run(ctx, st, sec) }
	}
	k, err := newKeys(o.Token)
	if err != nil {
		return nil, err
	}
	t, err := o.TLS.clientTLS()
	if err != nil {
		return nil, err
	}
	c := &Client{
		opts: o, guard: newGuard(), instance: randomName(16), guests: make(map[net.Conn]struct{}),
		door: doorman{tls: t, keys: k, token: o.Token != "", timing: o.timing},
	}
	if c.host, err = os.Hostname(); err != nil {
		c.host = "unknown"
	}
	return c, nil
}

// randomName is a name of n random bytes that nobody can guess.
func randomName(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the process instead
	return hex.EncodeToString(b)
}

// Listen opens the port. Without a token it must be on the loopback interface.
func (c *Client) Listen(ctx context.Context) error {
	addr, err := net.ResolveTCPAddr("tcp", c.opts.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", c.opts.Listen, err)
	}
	if c.opts.Token == "" && !addr.IP.IsLoopback() {
		return fmt.Errorf("listen on %s: whoever reaches this port can have this machine put load on any host, so a token is needed; "+
			"give one with --token-file or WARP_TOKEN, or listen on 127.0.0.1", c.opts.Listen)
	}
	c.listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", addr.String())
	return err
}

// Addr is where the client listens.
func (c *Client) Addr() net.Addr { return c.listener.Addr() }

// Serve performs runs until ctx is cancelled. A run under way is then stopped and cleaned up first.
func (c *Client) Serve(ctx context.Context) error {
	if c.listener == nil {
		if err := c.Listen(ctx); err != nil {
			return err
		}
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	down := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(down)
		c.shutDown()
	})
	defer stop()
	for {
		conn, err := c.listener.Accept()
		if ctx.Err() != nil {
			<-down
			return nil
		}
		if err != nil {
			// Out of files, most likely: others will be closed.
			c.opts.Logf("A connection could not be accepted: %v", err)
			if errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("listen on %s: %w", c.opts.Listen, err)
			}
			clock.Pause(ctx, time.Second)
			continue
		}
		if err := c.guard.admit(sourceOf(conn)); err != nil {
			_ = conn.Close() // whoever it is
			continue
		}
		wg.Go(func() { c.visit(ctx, &wg, conn) })
	}
}

// shutDown closes everything but the run under way, which is told to stop.
func (c *Client) shutDown() {
	_ = c.listener.Close() // there is nobody to tell
	c.mu.Lock()
	c.closing = true
	for conn := range c.guests {
		_ = conn.Close()
	}
	j := c.job
	c.mu.Unlock()
	if j == nil {
		c.opts.Logf("The client ends.")
		return
	}
	c.opts.Logf("The client ends when the run for the coordinator %s has stopped and cleaned up. Once more (Ctrl-C) to leave at once.", j.by)
	j.shutDown()
}

var errShutDown = errors.New("the client is being shut down")

// visit serves one connection.
func (c *Client) visit(ctx context.Context, wg *sync.WaitGroup, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	if !c.seat(conn, true) {
		c.guard.release(sourceOf(conn), false)
		return
	}
	ws, silent, err := c.door.receive(conn)
	c.guard.release(sourceOf(conn), err != nil && !silent)
	if err != nil {
		c.seat(conn, false)
		if !silent {
			c.opts.Logf("Refused a connection from %v: %v", conn.RemoteAddr(), ofPeer(err))
		}
		return
	}
	ws.SetReadLimit(large)
	j, received, err := c.greet(ctx, wg, ws)
	c.seat(conn, false)
	if err != nil {
		return // the coordinator was told, or is gone
	}
	j.attach(ws, received)
}

// seat counts a connection that no run owns, or takes it off the count.
func (c *Client) seat(conn net.Conn, sit bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !sit {
		delete(c.guests, conn)
		return true
	}
	if c.closing || len(c.guests) >= maxStrangers+maxGuests {
		return false
	}
	c.guests[conn] = struct{}{}
	return true
}
