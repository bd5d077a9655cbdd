package lean

import (
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// lastWords is how long to wait for an answer from a server that does not take the body any more.
const lastWords = time.Second

// takeBody reads as much of the body as there is room for, behind what c.out holds, and takes it off what is left of it.
func (c *Client) takeBody(q *exchange.Request, left *int64) error {
	if *left == 0 {
		return nil
	}
	held := len(c.out)
	n := int(min(*left, int64(max(bodyBuffer-held, 0))))
	if n < int(*left) || held+n > cap(c.out) {
		c.out = slices.Grow(c.out, max(0, min(bodyBuffer, held+n)-held))
	}
	c.out = c.out[:held+n]
	if err := q.ReadBody(c.out[held:], *left); err != nil {
		return err
	}
	*left -= int64(n)
	return nil
}

// send sends what c.out holds and then what is left of the body. If the answer came meanwhile, c.head holds it.
func (c *Client) send(conn *conn, q *exchange.Request, left int64, check bool) error {
	c.Sent, c.FirstByte = time.Time{}, time.Time{}
	request := c.out
	if q.AsksFirst() {
		if check && conn.canRead() {
			return errStale
		}
		return c.ask(conn, q, &left)
	}
	if left == 0 && (conn.tls == nil || len(request) <= maxHeld) {
		sent, n, err := conn.roundTrip(request, c.in, check)
		if err != nil || sent == len(request) {
			return c.tripped(conn, n, sent == len(request), err)
		}
		request = request[sent:]
	} else if check && conn.canRead() {
		return errStale
	}
	return c.stream(conn, q, request, &left)
}

// tripped notes what came of a trip.
func (c *Client) tripped(conn *conn, n int, sent bool, err error) error {
	if sent {
		c.Sent = conn.sent
	}
	if n > 0 {
		c.w, c.FirstByte = n, conn.last
	}
	return err
}

// stream sends a request that is too large to be sent at once, and looks meanwhile whether the server answers.
func (c *Client) stream(conn *conn, q *exchange.Request, p []byte, left *int64) error {
	conn.timeout, conn.awaited = c.opts.Idle, "room for more of the request"
	for {
		n, err := c.some(conn, q, p, left)
		p = p[n:]
		switch {
		case errors.Is(err, errEarly):
			final, err := c.readHead(conn, false)
			if err != nil || final {
				c.Early = true
				return err
			}
		case errors.Is(err, exchange.ErrBody):
			return err
		case err != nil:
			return c.refused(conn, err)
		}
		if len(p) == 0 && *left == 0 {
			c.Sent = conn.sent
			return nil
		}
		if len(p) == 0 && !conn.pumps() {
			c.out = c.out[:0]
			if err := c.takeBody(q, left); err != nil {
				return err
			}
			p = c.out
		}
	}
}

// some sends p, and what is left of the body too where the connection can. It tells how much of p went out.
func (c *Client) some(conn *conn, q *exchange.Request, p []byte, left *int64) (int, error) {
	if conn.pumps() {
		return conn.pump(p, q, left)
	}
	n, err := conn.write(p)
	if err == nil && *left > 0 && conn.tls != nil && c.answered(conn) {
		err = errEarly // TLS must not stop in the middle of a write; it looks between two of them
	}
	return n, err
}

// answered tells whether something of an answer has come over TLS, or the end of the connection. What TLS says by itself,
// mostly after its handshake, is no answer, which shows only when it is read.
func (c *Client) answered(conn *conn) bool {
	if !conn.canRead() {
		return false
	}
	empty := c.r == c.w
	if c.r, c.w = 0, copy(c.in, c.in[c.r:c.w]); c.w == len(c.in) {
		return true
	}
	n, err := conn.readAvailable(c.in[c.w:])
	c.w += n
	if n > 0 && empty {
		c.FirstByte = conn.last
	}
	var nothing net.Error
	return n > 0 || !errors.As(err, &nothing) || !nothing.Timeout()
}

// refused looks whether a server that took no more of the body said why. If not, the error is that of the write.
func (c *Client) refused(conn *conn, err error) error {
	if conn.ctx.Err() != nil {
		return err
	}
	var silent *TimeoutError
	if errors.As(err, &silent) {
		return err
	}
	conn.begin(conn.ctx, clock.Now(), lastWords, "answer")
	if final, readErr := c.readHead(conn, true); readErr != nil || !final {
		c.head, c.FirstByte = head{}, time.Time{}
		return err
	}
	c.Early = true
	return nil
}

// readHead reads the head of the answer into c.head and skips interim ones. Unless all is sent, it comes back after
// these, with final unset.
func (c *Client) readHead(conn *conn, sent bool) (final bool, err error) {
	for interim := 0; interim < maxInterim; {
		end, seen := headEnd(c.in[c.r:c.w], c.scanned)
		if c.scanned = seen; end < 0 {
			if err := c.readMore(conn); err != nil {
				return false, err
			}
			continue
		}
		if err := c.head.parse(c.in[c.r : c.r+end]); err != nil {
			return false, err
		}
		c.r += end
		if c.head.status >= 200 || c.head.status == 101 {
			return true, nil
		}
		c.head = head{}
		if interim++; c.r == c.w && !sent {
			return false, nil
		}
	}
	return false, malformed("response", []byte("interim answers without end"))
}

// readMore reads more of a head. It fails as soon as that cannot be one.
func (c *Client) readMore(conn *conn) error {
	if c.w > c.r {
		if err := checkStart(c.in[c.r:c.w]); err != nil {
			return err
		}
	}
	empty := c.r == c.w
	if err := c.fill(); err != nil {
		ended := err == io.EOF || err == io.ErrUnexpectedEOF // which of both depends on how TLS was ended
		switch {
		case ended && empty:
			return io.EOF
		case ended:
			return io.ErrUnexpectedEOF
		}
		return err
	}
	if empty {
		c.FirstByte = conn.last
	}
	return nil
}

// buffered, use, fill, direct and discard make a Client the source of its body.

func (c *Client) buffered() []byte { return c.in[c.r:c.w] }

func (c *Client) use(n int) { c.r += n }

func (c *Client) fill() error {
	switch {
	case c.r == c.w:
		c.r, c.w = 0, 0
	case c.w == len(c.in):
		c.w = copy(c.in, c.in[c.r:c.w])
		c.r = 0
	}
	if c.w == len(c.in) {
		return tooLong(len(c.in))
	}
	n, err := c.conn.read(c.in[c.w:])
	c.w += n
	return err
}

func (c *Client) direct(limit int64) ([]byte, error) {
	room := c.room(limit)
	n, err := c.conn.read(room)
	return room[:n], err
}

// room is where a piece of a body can be put.
func (c *Client) room(limit int64) []byte {
	size := readRoom
	if c.conn.tls != nil {
		size = tlsRoom
	}
	if cap(c.out) < size && int64(cap(c.out)) < limit {
		c.out = make([]byte, size)
	}
	return c.out[:min(limit, int64(cap(c.out)))]
}

func (c *Client) discard(limit int64) (int64, error) {
	conn := c.conn
	if kernelDiscards && conn.tls == nil {
		return conn.discard(limit)
	}
	n, err := conn.read(c.room(limit))
	return int64(n), err
}
