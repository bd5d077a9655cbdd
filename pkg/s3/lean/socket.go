package lean

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"warp/internal/clock"
)

// lookUp is how often a sender that is held up looks whether the server has answered instead of reading.
const lookUp = 50 * time.Millisecond

// socket is a TCP connection with patience: every wait ends with the context of the present exchange, and when the
// server was silent for too long. It is a net.Conn, so that TLS can go over it.
//
// The poller's deadlines are not set for each wait, because that would cost as much as a small system call. They are
// left alone as long as they come too early; when one passes, the socket looks whether the time is really over, and
// sets the next one if not.
type socket struct {
	*net.TCPConn
	polled // what belongs to the system

	ctx      context.Context // of the present exchange
	last     time.Time       // when something was last read or written
	patience time.Duration   // how long after last to wait for more
	awaited  string          // what is waited for, for errors
	hasty    bool            // reading does not wait, but ends in an error that is a timeout

	readBy, writeBy time.Time // the poller's deadlines
}

func newSocket(conn *net.TCPConn) (*socket, error) {
	s := &socket{TCPConn: conn, last: clock.Now()}
	return s, s.attach(conn)
}

// begin makes the socket ready for waits of one kind, from now on.
func (s *socket) begin(ctx context.Context, now time.Time, patience time.Duration, awaited string) {
	s.ctx, s.last, s.patience, s.awaited = ctx, now, patience, awaited
	if end := now.Add(patience); s.readBy.IsZero() || s.readBy.After(end) {
		s.readBy = end
		_ = s.TCPConn.SetReadDeadline(end) // fails only on a closed connection, as will what follows
	}
}

// interrupt ends the present wait, of another goroutine.
func (s *socket) interrupt() { _ = s.TCPConn.SetDeadline(time.Unix(1, 0)) }

// goOn decides what to do about an error of a wait: nil means to wait on.
func (s *socket) goOn(err error, write bool) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	now, end := clock.Now(), s.last.Add(s.patience)
	if !now.Before(end) {
		return &TimeoutError{Waited: s.patience, For: s.awaited}
	}
	if write {
		s.writeBy = now.Add(min(lookUp, end.Sub(now)))
		err = s.TCPConn.SetWriteDeadline(s.writeBy)
	} else {
		s.readBy = end
		err = s.TCPConn.SetReadDeadline(end)
	}
	if err == nil {
		err = s.ctx.Err() // it may have ended just before the deadline that was to tell of it was overwritten
	}
	return err
}

// SetDeadline does nothing: the socket has its own idea of patience. So do its companions.
func (s *socket) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (s *socket) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (s *socket) SetWriteDeadline(time.Time) error { return nil }

// fail wraps an error of the system as package net does.
func (s *socket) fail(what string, e syscall.Errno) error {
	return &net.OpError{Op: what, Net: "tcp", Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: os.NewSyscallError(what, e)}
}
