//go:build !unix

package lean

import (
	"errors"
	"net"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// canDrop tells whether the system can throw received bytes away by itself.
const canDrop = false

// polled is the part of a socket that is different where the system cannot be spoken to directly. There connections
// are not looked at before they are used again, and answers that come before a body was sent are seen when it was sent.
type polled struct {
	sent time.Time // when the last byte was written
}

func (s *socket) attach(*net.TCPConn) error { return nil }

// Read reads what there is, waiting for it if need be.
func (s *socket) Read(p []byte) (int, error) {
	for {
		n, err := s.TCPConn.Read(p)
		if n > 0 {
			s.last = clock.Now()
		}
		if err == nil || n > 0 {
			return n, nil
		}
		if err = s.goOn(err, false); err != nil {
			return 0, err
		}
	}
}

// Write writes all of p.
func (s *socket) Write(p []byte) (int, error) {
	for done := 0; ; {
		n, err := s.TCPConn.Write(p[done:])
		if done += n; n > 0 {
			s.last = clock.Now()
		}
		if err == nil {
			s.sent = s.last
			return done, nil
		}
		if err = s.goOn(err, true); err != nil {
			return done, err
		}
	}
}

func (s *socket) hold(bool)     {}
func (s *socket) release() bool { return true }

// roundTrip sends a small request and reads the beginning of its response.
func (s *socket) roundTrip(request, answer []byte, _ bool) (sent, n int, err error) {
	if sent, err = s.Write(request); err != nil {
		return sent, 0, err
	}
	n, err = s.Read(answer)
	return sent, n, err
}

func (s *socket) pending() bool             { return false }
func (s *socket) drop(int64) (int64, error) { return 0, errors.ErrUnsupported }

// pumps tells whether the connection can pump.
func (c *conn) pumps() bool { return false }

func (s *socket) pump([]byte, *exchange.Request, *int64) (int, error) {
	return 0, errors.ErrUnsupported
}
