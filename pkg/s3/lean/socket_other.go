//go:build !unix

package lean

import (
	"errors"
	"net"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3/exchange"
)

// kernelDiscards reports whether the kernel can discard received bytes.
const kernelDiscards = false

// platform is the part of a socket that differs where the package makes no system calls of its own. There, connections are
// not checked before they are reused, and a response that comes before all of a body is sent is seen afterwards.
type platform struct {
	sent    time.Time // when the last byte was written
	stamped bool
	stamp   int64 // always 0, unknown: when the kernel had the last byte that was read
}

// link is a connection of Go's poller.
type link interface{ net.Conn }

func newPolled(c *net.TCPConn) (link, error) { return c, nil }

func (s *socket) serves(*loop.Task) bool { return true }
func (s *socket) use(*loop.Task) error   { return nil }
func (s *socket) attach() error          { return nil }

// Read reads what is available, waiting for it if need be.
func (s *socket) Read(p []byte) (int, error) {
	for {
		n, err := s.link.Read(p)
		if n > 0 {
			s.last = clock.Now()
		}
		if err == nil || n > 0 {
			return n, nil
		}
		if err = s.resume(err, false); err != nil {
			return 0, err
		}
	}
}

// Write writes all of p.
func (s *socket) Write(p []byte) (int, error) {
	for done := 0; ; {
		n, err := s.link.Write(p[done:])
		if done += n; n > 0 {
			s.last = clock.Now()
		}
		if err == nil {
			s.sent = s.last
			return done, nil
		}
		if err = s.resume(err, true); err != nil {
			return done, err
		}
	}
}

func (s *socket) hold(bool)                   {}
func (s *socket) release() (tried, sent bool) { return true, true }

// roundTrip is conn.roundTrip without TLS.
func (s *socket) roundTrip(request, response []byte, _ bool) (sent, n int, err error) {
	if sent, err = s.Write(request); err != nil {
		return sent, 0, err
	}
	n, err = s.Read(response)
	return sent, n, err
}

func (s *socket) canRead() bool                { return false }
func (s *socket) discard(int64) (int64, error) { return 0, errors.ErrUnsupported }

// sendsBody reports whether sendBody can be used.
func (c *conn) sendsBody() bool { return false }

func (s *socket) sendBody([]byte, *exchange.Request, *int64) (int, error) {
	return 0, errors.ErrUnsupported
}
