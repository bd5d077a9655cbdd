// Package lean is HTTP/1.1 and signatures of version 4, as far as S3 needs them, at the least cost: one goroutine and one
// connection for each host, no allocation for an exchange, bodies thrown away by the kernel where it can do so.
//
// A Client sends a request to a Target with Do, and gives the body of the response with Next, Read or Discard.
package lean

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

const (
	readBuffer = exchange.MaxHead
	bodyBuffer = 32 << 10 // for requests with their bodies, or the pieces of these; made when there is one
	readRoom   = 64 << 10 // for bodies that are read, and not thrown away by the kernel
	tlsRoom    = 16 << 10 // the same over TLS, whose records are no longer
	maxInterim = 32       // answers before the real one
)

// Options shape a Client.
type Options struct {
	Targets   []*Target
	Pool      *Pool                          // of idle connections, for as many targets; nil: the client has one of its own
	Keys      *atomic.Pointer[exchange.Keys] // that sign; they may be replaced at any time; nil: requests are not signed
	Region    string                         // that is signed for
	Number    int                            // of the client; spreads clients over the addresses of a name
	FirstByte time.Duration                  // longest wait for the head of an answer
	Idle      time.Duration                  // longest silence in the middle of a body
	Close     bool                           // connections are not kept
}

// Client performs one exchange at a time. It is not safe for concurrent use.
type Client struct {
	exchange.Response
	opts   Options
	own    *Pool // nil: it is shared
	conn   *conn // nil: none
	at     int   // the target that it leads to
	writer headWriter
	wall   wallClock
	watch  watch

	target  int
	out     []byte // what is sent; while an answer is read, room for its body
	in      []byte // what was read: in[r:w] was not used yet
	r, w    int
	scanned int // of in[r:w], in search of the end of a head
	head    head
	body    body
	rest    []byte // of the last piece of the body, for Read
	failed  bool   // the body could not be read
}

// NewClient makes a client. It connects when it first has to.
func NewClient(o Options) (*Client, error) {
	c := &Client{opts: o, in: make([]byte, readBuffer)}
	if o.Pool == nil {
		c.own = NewPool(len(o.Targets), 0)
		c.opts.Pool = c.own
	}
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

// Do sends a request and reads the head of its answer, whatever its status. If there is no error, Finish must be called
// once the body was read as far as it matters. A request is never sent twice: if the server hung up after any of it
// went out, that is an error (io.EOF if no byte came back, io.ErrUnexpectedEOF if the head is cut).
func (c *Client) Do(ctx context.Context, target int, q *exchange.Request) error {
	c.Response, c.head, c.rest, c.failed = exchange.Response{Length: exchange.UnknownLength, Start: clock.Now()}, head{}, nil, false
	c.r, c.w, c.scanned, c.target = 0, 0, 0, target
	err := c.exchange(ctx, q)
	if err != nil {
		c.hangUp()
		return err
	}
	c.Status, c.Length = c.head.status, c.head.length
	c.body.begin(c, &c.head, q.Method)
	conn := c.conn
	conn.responses++
	conn.begin(ctx, conn.last, c.opts.Idle, "more of the answer")
	return nil
}

// exchange sends the request and reads the head, over a new connection if the old one is no good any more.
func (c *Client) exchange(ctx context.Context, q *exchange.Request) error {
	c.watch.follow(ctx)
	conn, err := c.connection(ctx)
	if err != nil {
		return err
	}
	now := c.Start
	if c.Connected {
		now = clock.Now()
	}
	if c.out, err = c.writer.write(c.out, c.opts.Targets[c.target], q, c.wall.at(now)); err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrRequest, err)
	}
	left := q.Size
	if !q.AsksFirst() && (!conn.pumps() || len(c.out)+int(min(left, bodyBuffer)) <= bodyBuffer) {
		if err := c.takeBody(q, &left); err != nil {
			return err
		}
	}
	for {
		check := conn.mayBeStale(now)
		conn.begin(ctx, now, c.opts.FirstByte, "answer")
		c.Begun = true
		err := c.send(conn, q, left, check)
		if err == nil && c.head.status == 0 {
			conn.begin(ctx, conn.last, c.opts.FirstByte, "answer")
			_, err = c.readHead(conn, true)
		}
		if !errors.Is(err, errStale) {
			return err
		}
		c.Begun = false
		c.hangUp()
		if conn, err = c.connection(ctx); err != nil {
			return err
		}
		now = clock.Now()
	}
}

// connection gives a connection to the target: the client's own, an idle one, or a new one.
func (c *Client) connection(ctx context.Context) (*conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.conn != nil && c.at != c.target {
		c.opts.Pool.put(c.at, c.conn)
		c.conn = nil
	}
	if c.conn == nil {
		c.conn, c.at = c.opts.Pool.take(c.target), c.target
	}
	if c.conn == nil {
		if err := c.connect(ctx); err != nil {
			return nil, err
		}
	}
	c.watch.on(c.conn.socket)
	return c.conn, ctx.Err()
}

// connect makes a connection to the target.
func (c *Client) connect(ctx context.Context) (err error) {
	c.opts.Pool.making()
	start := clock.Now()
	conn, err := c.opts.Targets[c.target].dial(ctx, c.opts.Number)
	c.Connect += clock.Now().Sub(start)
	if err != nil {
		c.opts.Pool.open.Add(-1)
		return err
	}
	c.Connected, c.conn = true, conn
	return nil
}

// Result is what is known of the present exchange.
func (c *Client) Result() *exchange.Response { return &c.Response }

// Header gives the first value of a header of the answer, whose name must be in small letters; nil if there is none.
// It is valid until the body is read.
func (c *Client) Header(lower string) []byte { return c.head.find(lower) }

// Headers copies all headers of the answer, before its body is read.
func (c *Client) Headers() http.Header { return c.head.all() }

// Next gives the next piece of the body, valid until the next call. Its error is io.EOF at the end of the body, and
// io.ErrUnexpectedEOF if the connection ended before.
func (c *Client) Next() ([]byte, error) {
	p, err := c.body.next()
	c.note(err)
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

// Discard throws the rest of the body away and tells how long it was.
func (c *Client) Discard() (int64, error) {
	n, err := c.body.drop()
	c.note(err)
	return n, err
}

func (c *Client) note(err error) { c.failed = c.failed || err != nil && err != io.EOF }

// Finish ends an exchange. The connection is kept if both sides want it and nothing of the answer is left on it.
func (c *Client) Finish() {
	if !c.body.done || c.failed || c.r != c.w || c.head.close || c.opts.Close || c.Early ||
		c.body.kind == bodyClose || c.head.status < 200 {
		c.hangUp()
	}
}

// hangUp closes the connection of the present exchange.
func (c *Client) hangUp() {
	if c.conn != nil {
		c.opts.Pool.close(c.conn)
		c.conn = nil
	}
}

// Close closes the client's connection, not those of a shared pool. No exchange may be under way.
func (c *Client) Close() {
	c.watch.end()
	c.hangUp()
	if c.own != nil {
		c.own.Close()
	}
}
