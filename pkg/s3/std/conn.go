package std

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// connections counts those that were made.
var connections atomic.Uint64

// deadlineConn is a connection with a limit for silence. The transport does not say what it waits for, so the limit is also
// that for the beginning of a response.
type deadlineConn struct {
	net.Conn
	silence   time.Duration
	number    uint64                // from 1
	sent      atomic.Int64          // bytes of requests
	responses atomic.Int64          // whose head was read
	end       atomic.Pointer[error] // how the server ended it
}

// tlsEnd is at least the length of a message with which TLS ends a connection, and less than that of a request.
const tlsEnd = 64

// Read waits for something to read.
func (c *deadlineConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(clock.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(b)
	c.note(err)
	return n, err
}

// Write waits for room for b. The transport reads all the time; what it waits for has only been asked for now.
func (c *deadlineConn) Write(b []byte) (int, error) {
	if err := c.SetDeadline(clock.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	if n > tlsEnd {
		c.sent.Add(int64(n))
	}
	return n, err
}

// note keeps the first error that means that the server ended the connection.
func (c *deadlineConn) note(err error) {
	if err != nil && exchange.Closed(err) {
		c.end.CompareAndSwap(nil, &err)
	}
}

// plainConn is a connection that is read as HTTP/1.1: TCP, or TLS. The transport reports the first byte of the first response
// only, be it an interim one, and no end of a connection in the middle of a status line.
type plainConn struct {
	net.Conn
	link *deadlineConn

	mu    sync.Mutex
	heads heads
}

// Read waits for something to read.
func (c *plainConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.link.note(err) // TLS may end before TCP does
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && !c.heads.final {
		c.heads.read(b[:n], clock.Now())
	}
	return n, err
}

// expect prepares for the response to another request.
func (c *plainConn) expect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heads = heads{}
}

// response returns when the first byte of the final response was read, and whether anything was.
func (c *plainConn) response() (first time.Time, any bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heads.first, c.heads.any
}

// heads finds the first byte of a response behind interim ones.
type heads struct {
	any   bool      // something was read
	final bool      // the status line is not that of an interim response
	first time.Time // when the first byte of the present head was read; zero: not yet
	line  [statusEnd]byte
	held  int  // of line
	last  byte // of the head of an interim response, without carriage returns
}

// statusEnd is the length of a status line up to its status code.
const statusEnd = len("HTTP/1.1 100")

// read takes what was read at a time.
func (h *heads) read(b []byte, at time.Time) {
	h.any = true
	for _, c := range b {
		switch {
		case h.first.IsZero():
			h.first, h.held, h.last = at, 1, 0
			h.line[0] = c
		case h.held < statusEnd:
			h.line[h.held] = c
			h.held++
			if h.held == statusEnd && !interim(&h.line) {
				h.final = true
				return
			}
		case c == '\n' && h.last == '\n':
			h.first = time.Time{}
		case c != '\r':
			h.last = c
		}
	}
}

// interim reports whether a status line is that of an interim response. With 101, the connection is no longer one of HTTP.
func interim(line *[statusEnd]byte) bool {
	return line[statusEnd-3] == '1' && string(line[statusEnd-3:]) != "101"
}
