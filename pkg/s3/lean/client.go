// Package lean is HTTP/1.1 and signature version 4, as far as S3 needs them, at the least cost: one goroutine and one connection
// per host, no allocation per exchange, bodies discarded by the kernel where it can.
//
// A Client sends a request to a Target with Do, and returns the body of the response by Next, Read or Discard.
package lean

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3/exchange"
)

const (
	readBuffer  = exchange.MaxHeader
	sendBuffer  = 32 << 10 // for requests with small bodies, or pieces of larger ones; allocated when first needed
	readSize    = 64 << 10 // of one read of a body that the kernel does not discard
	tlsReadSize = 16 << 10 // the same over TLS: the length of a record
)

// Options configure a Client.
type Options struct {
	Targets        []*Target
	Pool           *Pool                          // of idle connections, for as many targets; nil: the client has its own
	Keys           *atomic.Pointer[exchange.Keys] // may be replaced at any time; nil: requests are not signed
	Region         string                         // in signatures
	Number         int                            // of the client; spreads clients over the addresses of a name
	FirstByte      time.Duration                  // timeout for the header of a response
	Idle           time.Duration                  // timeout for silence in the middle of a body
	Close          bool                           // do not reuse connections
	RedirectTarget RedirectTarget
}

// Client performs one exchange at a time. It is not safe for concurrent use.
type Client struct {
	exchange.Response
	opts       Options
	targets    []*Target // of the options, then those that were added
	parked     []*conn   // by added target; may be nil
	ownPool    *Pool     // nil: opts.Pool is shared
	conn       *conn     // may be nil
	connTarget int       // of conn
	writer     requestWriter
	wall       wallClock
	sample     sample
	arrivals   arrivals
	watch      watch
	task       *loop.Task // that performs the present exchange; nil: a goroutine

	target  int
	stamped bool   // ask the kernel when the response arrives
	out     []byte // the request; then space for the body of the response
	in      []byte // bytes read; in[r:w] are not consumed yet
	r, w    int
	scanned int // of in[r:w], in search of the end of a header
	header  responseHeader
	body    body
	rest    []byte // of the last piece of the body, for Read

	received bool // some of a response, perhaps an interim one
	failed   bool // the body could not be read
}

// RedirectTarget makes the target of a host that the options do not name; see exchange.Client.AddTarget.
type RedirectTarget func(root url.URL, region string) (*Target, error)

// NewClient returns a client, which connects when it first has to.
func NewClient(o Options) (*Client, error) {
	c := &Client{opts: o, targets: slices.Clip(o.Targets), in: make([]byte, readBuffer), sample: sample{of: stampedOf}}
	if o.Pool == nil {
		c.ownPool = NewPool(len(o.Targets), 0)
		c.opts.Pool = c.ownPool
	}
	c.arrivals.compare()
	c.writer.tail = "User-Agent: warp\r\n"
	if o.Close {
		c.writer.tail += "Connection: close\r\n"
	}
	if o.Keys != nil {
		var err error
		if c.writer.signer, err = newSigner(o.Keys, o.Region); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Do sends a request and reads the header of its response, whatever its status. If there is no error, Finish must be called
// when the body was read as far as it matters. If the server closes the connection, that is an error (io.EOF if nothing was received,
// io.ErrUnexpectedEOF if the header is cut). But a request that met a reused connection which the server closes without a byte of a
// response is sent again once, over a new one: it was most likely closed before the request came.
func (c *Client) Do(ctx context.Context, target int, q *exchange.Request) error {
	c.Response = exchange.Response{Length: exchange.UnknownLength, Start: clock.Now()}
	c.header, c.rest, c.failed = responseHeader{}, nil, false
	c.target, c.stamped = target, c.sample.next()
	err := c.exchange(ctx, q)
	if err != nil {
		c.closeConn()
		return err
	}
	c.Status, c.Length = c.header.status, c.header.length
	c.body.begin(c, &c.header, q.Method)
	conn := c.conn
	conn.responses++
	conn.begin(ctx, conn.last, c.opts.Idle, "more of the response")
	return nil
}

// exchange sends the request and reads the header. If the server closed the connection while it was idle, that goes over another one; if
// it closed a reused connection before the first byte of a response, over a new one.
func (c *Client) exchange(ctx context.Context, q *exchange.Request) error {
	c.watch.follow(ctx)
	c.task = loop.Of(ctx)
	if err := c.acquire(ctx); err != nil {
		return err
	}
	for now := c.Start; ; now = clock.Now() {
		if c.Connected {
			now = clock.Now()
		}
		err := c.once(ctx, q, now)
		switch {
		case errors.Is(err, errStale):
			c.closeConn()
			if err := c.acquire(ctx); err != nil {
				return err
			}
		case err != nil && c.conn.responses > 0 && !c.received && ctx.Err() == nil && exchange.Closed(err):
			c.closeConn()
			if err := c.connect(ctx); err != nil {
				return err
			}
			c.Resent++
			c.use()
		default:
			return err
		}
	}
}

// once sends the request over the present connection and reads the header.
func (c *Client) once(ctx context.Context, q *exchange.Request, now time.Time) (err error) {
	c.r, c.w, c.scanned, c.received, c.EarlyResponse = 0, 0, 0, false, false
	if c.out, err = c.writer.write(c.out, c.targets[c.target], q, c.wall.at(now)); err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrRequest, err)
	}
	conn, left := c.conn, q.Size
	if !q.WaitsForContinue() && (!conn.sendsBody() || len(c.out)+int(min(left, sendBuffer)) <= sendBuffer) {
		if err := c.bufferBody(q, &left); err != nil {
			return err
		}
	}
	check := conn.mayBeStale(now)
	conn.begin(ctx, now, c.opts.FirstByte, "response")
	if conn.responses > 0 {
		conn.recheck(now)
	}
	begun := c.MaybeSent
	c.MaybeSent = true
	err = c.send(conn, q, left, check)
	if err == nil && c.header.status == 0 {
		conn.begin(ctx, conn.last, c.opts.FirstByte, "response")
		_, err = c.readHeader(conn, true)
	}
	if errors.Is(err, errStale) {
		c.MaybeSent = begun
	}
	return err
}

// acquire makes a connection to the target the present one: that one already, one of the pool, or a new one.
func (c *Client) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.conn != nil && c.connTarget != c.target {
		c.park()
	}
	if c.conn != nil && !c.conn.serves(c.task) {
		c.closeConn()
	}
	if c.conn == nil {
		c.conn, c.connTarget = c.unpark(c.target), c.target
	}
	if c.conn != nil && c.conn.use(c.task) != nil {
		c.closeConn()
	}
	if c.conn == nil {
		if err := c.connect(ctx); err != nil {
			return err
		}
	}
	c.use()
	return ctx.Err()
}

// use prepares the present connection for the exchange.
func (c *Client) use() {
	c.conn.stamped = c.stamped
	c.watch.on(c.conn.socket)
}

// AddTarget adds a target, to which the client keeps one connection of its own.
func (c *Client) AddTarget(root url.URL, region string) (int, error) {
	if c.opts.RedirectTarget == nil {
		return 0, errors.ErrUnsupported
	}
	t, err := c.opts.RedirectTarget(root, region)
	if err != nil {
		return 0, err
	}
	c.targets, c.parked = append(c.targets, t), append(c.parked, nil)
	return len(c.targets) - 1, nil
}

// park puts the present connection where unpark finds it.
func (c *Client) park() {
	if added := c.connTarget - len(c.opts.Targets); added >= 0 {
		c.parked[added] = c.conn
	} else {
		c.opts.Pool.put(c.connTarget, c.conn)
	}
	c.conn = nil
}

// unpark returns an idle connection to a target, or nil.
func (c *Client) unpark(target int) (idle *conn) {
	added := target - len(c.opts.Targets)
	if added < 0 {
		return c.opts.Pool.take(target, c.task)
	}
	idle, c.parked[added] = c.parked[added], nil
	if idle != nil && !idle.serves(c.task) {
		c.opts.Pool.close(idle)
		return nil
	}
	return idle
}

// connect opens a connection to the target.
func (c *Client) connect(ctx context.Context) (err error) {
	c.opts.Pool.reserve()
	start := clock.Now()
	conn, err := c.targets[c.target].dial(ctx, c.opts.Number)
	c.Connect += clock.Now().Sub(start)
	if err != nil {
		c.opts.Pool.open.Add(-1)
		return err
	}
	c.Connected, c.conn = true, conn
	return nil
}

// Result returns what is known of the present exchange.
func (c *Client) Result() *exchange.Response { return &c.Response }

// Header returns the first value of a header of the response, whose name must be in lower case; nil if there is none. It is
// valid until the body is read.
func (c *Client) Header(lower string) []byte { return c.header.find(lower) }

// Headers returns a copy of all headers of the response. It must be called before the body is read.
func (c *Client) Headers() http.Header { return c.header.all() }

// Next returns the next piece of the body, valid until the next call. The error is io.EOF at the end of the body, and
// io.ErrUnexpectedEOF if the connection ended before it.
func (c *Client) Next() ([]byte, error) {
	p, err := c.body.next()
	c.noteError(err)
	return p, err
}

// Read reads from the body; see Next.
func (c *Client) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		var err error
		if c.rest, err = c.Next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Discard discards the rest of the body and returns how long it was.
func (c *Client) Discard() (int64, error) {
	n, err := c.body.discard()
	c.noteError(err)
	return n, err
}

func (c *Client) noteError(err error) { c.failed = c.failed || err != nil && err != io.EOF }

// Finish ends an exchange. The connection is kept if both sides want that and nothing of the response is left on it.
func (c *Client) Finish() {
	if c.conn != nil && c.conn.stamped {
		c.Arrived = c.arrivals.at(c.conn.stamp, c.Start)
	}
	if !c.body.done || c.failed || c.r != c.w || c.header.close || c.opts.Close || c.EarlyResponse ||
		c.body.kind == bodyClose || c.header.status < 200 {
		c.closeConn()
	}
}

// closeConn closes the connection of the present exchange.
func (c *Client) closeConn() {
	if c.conn != nil {
		c.opts.Pool.close(c.conn)
		c.conn = nil
	}
}

// Close closes the client's connection, but none of a shared pool. No exchange may be in progress.
func (c *Client) Close() {
	c.watch.end()
	c.closeConn()
	for i, idle := range c.parked {
		if idle != nil {
			c.opts.Pool.close(idle)
			c.parked[i] = nil
		}
	}
	if c.ownPool != nil {
		c.ownPool.Close()
	}
}
