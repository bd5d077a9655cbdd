package agent

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"warp/internal/clock"
	"warp/pkg/distributed/protocol"
	"warp/pkg/distributed/transport"
	"warp/pkg/s3"
)

// ClientOptions shape a Client.
type Options struct {
	Listen    string                            // host:port; empty: 127.0.0.1:7761
	Token     string                            // shared with coordinators; empty: they must be on this machine
	TLS       transport.TLSFiles                // certificates beside the token; usually none
	Dir       string                            // where the client keeps its recordings; empty: the working directory
	Keep      int                               // how many of them; older ones are removed after a run; 0: all
	Version   string                            // of warp
	Grace     time.Duration                     // how long a run goes on without its coordinator; 0: 30 s
	OpenStore func(s3.Config) (s3.Store, error) // nil: s3.New
	Logf      func(format string, args ...any)  // takes a line for each thing that happens; nil: none

	Timing   protocol.Timing
	snapshot int                                                                           // greatest length of a snapshot with all details
	now      func() time.Time                                                              // the clock of this machine, as coordinators see it
	create   func(path string) (io.WriteCloser, error)                                     // makes the file of a recording
	run      func(context.Context, *job, *protocol.Start, *protocol.Secrets) protocol.Done // performs a plan
}

// Client performs runs for coordinators, one at a time.
type Agent struct {
	opts     Options
	server   *transport.Server
	instance string
	host     string
	jobs     sync.WaitGroup

	mu      sync.Mutex
	job     *job // the run under way; nil: free
	closing bool
}

// NewClient makes a client. Listen or Serve open its port.
func New(o Options) (*Agent, error) {
	if o.Listen == "" {
		o.Listen = net.JoinHostPort("127.0.0.1", transport.DefaultPort)
	}
	o.Listen = transport.WithPort(o.Listen)
	if o.OpenStore == nil {
		o.OpenStore = s3.New
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Grace == 0 {
		o.Grace = protocol.DefaultGrace
	}
	if o.Timing == (protocol.Timing{}) {
		o.Timing = protocol.DefaultTiming
	}
	if o.snapshot == 0 {
		o.snapshot = protocol.Wire.Documents[protocol.MsgSnapshot]
	}
	if o.now == nil {
		o.now = clock.Now
	}
	if o.create == nil {
		o.create = createFile
	}
	if o.run == nil {
		o.run = func(ctx context.Context, j *job, st *protocol.Start, sec *protocol.Secrets) protocol.Done {
			return j.run(ctx, st, sec)
		}
	}
	server, err := transport.NewServer(transport.Options{Protocol: &protocol.Wire, Timing: o.Timing.Timing, Token: o.Token, TLS: o.TLS, Logf: o.Logf})
	if err != nil {
		return nil, err
	}
	c := &Agent{opts: o, server: server, instance: protocol.RandomID(16)}
	if c.host, err = os.Hostname(); err != nil {
		c.host = "unknown"
	}
	return c, nil
}

// Listen opens the port. Without a token it must be on the loopback interface.
func (c *Agent) Listen(ctx context.Context) error { return c.server.Listen(ctx, c.opts.Listen) }

// Addr is where the client listens.
func (c *Agent) Addr() net.Addr { return c.server.Addr() }

// Serve performs runs until ctx is cancelled. A run under way is then stopped and cleaned up first. Listen was called before.
func (c *Agent) Serve(ctx context.Context) error {
	down := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(down)
		c.shutDown()
	})
	err := c.server.Serve(ctx, func(conn *transport.Conn) func() { return c.greet(ctx, conn) })
	if !stop() {
		<-down
	}
	c.jobs.Wait()
	return err
}

// shutDown stops the run under way.
func (c *Agent) shutDown() {
	c.mu.Lock()
	c.closing = true
	j := c.job
	c.mu.Unlock()
	if j == nil {
		c.opts.Logf("The client ends.")
		return
	}
	c.opts.Logf("The client ends when the run for the coordinator %s has stopped and cleaned up. Once more (Ctrl-C) to leave at once.", j.coordinator)
	j.shutDown()
}

var errShutDown = errors.New("the client is being shut down")
