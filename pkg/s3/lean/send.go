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

// rejectionTimeout is how long to wait for the response of a server that does not take any more of the body.
const rejectionTimeout = time.Second

// bufferBody appends as much of the body to c.out as fits, and reduces left by it.
func (c *Client) bufferBody(q *exchange.Request, left *int64) error {
	if *left == 0 {
		return nil
	}
	held := len(c.out)
	n := int(min(*left, int64(max(sendBuffer-held, 0))))
	if n < int(*left) || held+n > cap(c.out) {
		c.out = slices.Grow(c.out, max(0, min(sendBuffer, held+n)-held))
	}
	c.out = c.out[:held+n]
	if err := q.ReadBody(c.out[held:], *left); err != nil {
		return err
	}
	*left -= int64(n)
	return nil
}

// send sends c.out and then what is left of the body. If the response came meanwhile, c.header holds it.
func (c *Client) send(conn *conn, q *exchange.Request, left int64, check bool) error {
	c.Sent, c.FirstByte = time.Time{}, time.Time{}
	request := c.out
	if q.WaitsForContinue() {
		if check && conn.canRead() {
			return errStale
		}
		return c.sendExpecting(conn, q, &left)
	}
	if left == 0 && (conn.tls == nil || len(request) <= maxHeld) {
		sent, n, err := conn.roundTrip(request, c.in, check)
		if sent == len(request) {
			c.Sent = conn.sent
		}
		if n > 0 {
			c.w, c.FirstByte, c.received = n, conn.last, true
		}
		if sent == len(request) && n == 0 && err == io.ErrUnexpectedEOF { // TLS without an end
			err = io.EOF
		}
		if err != nil || sent == len(request) {
			return err
		}
		request = request[sent:]
	} else if check && conn.canRead() {
		return errStale
	}
	return c.stream(conn, q, request, &left)
}

// stream sends a request that is too large to be sent at once, and checks meanwhile whether the server responds.
func (c *Client) stream(conn *conn, q *exchange.Request, p []byte, left *int64) error {
	conn.timeout, conn.awaited = c.opts.Idle, "space for more of the request"
	for {
		n, err := c.sendSome(conn, q, p, left)
		p = p[n:]
		switch {
		case errors.Is(err, errEarly):
			final, err := c.readHeader(conn, false)
			if err != nil || final {
				c.EarlyResponse = true
				return err
			}
		case errors.Is(err, exchange.ErrBody):
			return err
		case err != nil:
			return c.rejected(conn, err)
		}
		if len(p) == 0 && *left == 0 {
			c.Sent = conn.sent
			return nil
		}
		if len(p) == 0 && !conn.sendsBody() {
			c.out = c.out[:0]
			if err := c.bufferBody(q, left); err != nil {
				return err
			}
			p = c.out
		}
	}
}

// sendSome sends p, and on a connection that can also what is left of the body. It returns how much of p was sent.
func (c *Client) sendSome(conn *conn, q *exchange.Request, p []byte, left *int64) (int, error) {
	if conn.sendsBody() {
		return conn.sendBody(p, q, left)
	}
	n, err := conn.write(p)
	if err == nil && *left > 0 && conn.tls != nil && c.responded(conn) {
		err = errEarly // TLS cannot stop in the middle of a write; it checks between two
	}
	return n, err
}

// responded reports whether a part of a response has come over TLS, or the end of the connection. There may be only messages
// of TLS itself, mostly after the handshake; the difference shows when they are read.
func (c *Client) responded(conn *conn) bool {
	if !conn.canRead() {
		return false
	}
	empty := c.r == c.w
	if c.r, c.w = 0, copy(c.in, c.in[c.r:c.w]); c.w == len(c.in) {
		return true
	}
	n, err := conn.readAvailable(c.in[c.w:])
	c.w += n
	c.received = c.received || n > 0
	if n > 0 && empty {
		c.FirstByte = conn.last
	}
	var timeout net.Error
	return n > 0 || !errors.As(err, &timeout) || !timeout.Timeout()
}

// rejected reads the response of a server that accepts no more of the body. Without one, the error is that of the write.
func (c *Client) rejected(conn *conn, err error) error {
	if conn.ctx.Err() != nil {
		return err
	}
	var timeout *TimeoutError
	if errors.As(err, &timeout) {
		return err
	}
	conn.begin(conn.ctx, clock.Now(), rejectionTimeout, "response")
	if final, readErr := c.readHeader(conn, true); readErr != nil || !final {
		c.header, c.FirstByte = responseHeader{}, time.Time{}
		return err
	}
	c.EarlyResponse = true
	return nil
}

// readHeader reads the header of the response into c.header and skips interim ones. Unless all was sent, it returns after
// these, with final unset.
func (c *Client) readHeader(conn *conn, sent bool) (final bool, err error) {
	for interim := 0; interim < exchange.MaxInterim; {
		end, seen := headerEnd(c.in[c.r:c.w], c.scanned)
		if c.scanned = seen; end < 0 {
			if err := c.readMore(conn); err != nil {
				return false, err
			}
			continue
		}
		if err := c.header.parse(c.in[c.r : c.r+end]); err != nil {
			return false, err
		}
		c.r += end
		if c.header.status >= 200 || c.header.status == 101 {
			return true, nil
		}
		c.header, c.FirstByte = responseHeader{}, time.Time{}
		if c.r < c.w {
			c.FirstByte = conn.last // they were read together with the end of that header
		}
		if interim++; c.r == c.w && !sent {
			return false, nil
		}
	}
	return false, exchange.ErrInterim
}

// readMore reads more of a header. It fails as soon as that cannot be one.
func (c *Client) readMore(conn *conn) error {
	if c.w > c.r {
		if err := checkProtocol(c.in[c.r:c.w]); err != nil {
			return err
		}
	}
	empty := c.r == c.w
	if err := c.fill(); err != nil {
		ended := err == io.EOF || err == io.ErrUnexpectedEOF // which of the two depends on how TLS ended
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

// buffered implements source, as do the following methods.
func (c *Client) buffered() []byte { return c.in[c.r:c.w] }

func (c *Client) consume(n int) { c.r += n }

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
	c.received = c.received || n > 0
	return err
}

func (c *Client) readBody(limit int64) ([]byte, error) {
	p := c.readSpace(limit)
	n, err := c.conn.read(p)
	return p[:n], err
}

// readSpace returns space for a piece of a body.
func (c *Client) readSpace(limit int64) []byte {
	size := readSize
	if c.conn.tls != nil {
		size = tlsReadSize
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
	n, err := conn.read(c.readSpace(limit))
	return int64(n), err
}

// sendExpecting sends the header of a request, and its body unless the response to the header is final.
func (c *Client) sendExpecting(conn *conn, q *exchange.Request, left *int64) error {
	if _, err := conn.write(c.out); err != nil {
		return c.rejected(conn, err)
	}
	conn.begin(conn.ctx, conn.last, min(exchange.ContinueTimeout, c.opts.FirstByte), "response to the header")
	final, err := c.readHeader(conn, false)
	var timeout *TimeoutError
	switch {
	case errors.As(err, &timeout):
	case err != nil:
		return err
	case final:
		c.EarlyResponse = true
		return nil
	}
	return c.stream(conn, q, nil, left)
}
