package lean

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"warp/internal/clock"
)

// writePoll is how often a blocked sender checks whether the server has responded instead of reading.
const writePoll = 50 * time.Millisecond

// socket is a TCP connection on which every wait ends with the context of the present exchange, or when the peer was silent
// for too long. It is a net.Conn, so that TLS can run over it.
//
// The deadlines of Go's poller are not set for each wait: that would cost as much as a small system call. They stay while they are
// too early; when one passes, the socket checks whether the time is really over, and sets the next one if not.
type socket struct {
	link
	platform

	ctx         context.Context // of the present exchange
	last        time.Time       // of the last byte read or written
	timeout     time.Duration   // how long after last to wait for more
	awaited     string          // what is waited for, for errors
	nonblocking bool            // Read does not wait; it fails with a timeout

	readDeadline, writeDeadline time.Time // of the poller
}

func newSocket(l link) (*socket, error) {
	s := &socket{link: l, last: clock.Now()}
	return s, s.attach()
}

// begin prepares the socket for waits of one kind, from now on.
func (s *socket) begin(ctx context.Context, now time.Time, timeout time.Duration, awaited string) {
	s.ctx, s.last, s.timeout, s.awaited = ctx, now, timeout, awaited
	if end := now.Add(timeout); s.readDeadline.IsZero() || s.readDeadline.After(end) {
		s.readDeadline = end
		_ = s.link.SetReadDeadline(end) // fails only on a closed connection, as will what follows
	}
}

// readPoll is how long after it sent a request over a reused connection the client looks again for a response, or the end
// of the connection. If that end came before the request, and the server goes on reading, the poller does not report it
// again.
const readPoll = 50 * time.Millisecond

// recheck makes the present wait for something to read look once more after readPoll.
func (s *socket) recheck(now time.Time) {
	if end := now.Add(readPoll); s.readDeadline.After(end) {
		s.readDeadline = end
		_ = s.link.SetReadDeadline(end) // fails only on a closed connection, as will what follows
	}
}

// interrupt ends the present wait from another goroutine.
func (s *socket) interrupt() { _ = s.link.SetDeadline(time.Unix(1, 0)) }

// resume handles the error of a wait. It returns nil if the wait goes on.
func (s *socket) resume(err error, write bool) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	if err := s.ctx.Err(); err != nil {
		return err
	}
	now, end := clock.Now(), s.last.Add(s.timeout)
	if !now.Before(end) {
		return &TimeoutError{Waited: s.timeout, For: s.awaited}
	}
	if write {
		s.writeDeadline = now.Add(min(writePoll, end.Sub(now)))
		err = s.link.SetWriteDeadline(s.writeDeadline)
	} else {
		s.readDeadline = end
		err = s.link.SetReadDeadline(end)
	}
	if err == nil {
		err = s.ctx.Err() // the deadline just overwritten may have been that of interrupt
	}
	return err
}

// SetDeadline does nothing: the socket manages its own deadlines.
func (s *socket) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing; see SetDeadline.
func (s *socket) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing; see SetDeadline.
func (s *socket) SetWriteDeadline(time.Time) error { return nil }

// opError wraps an error of the system as package net does.
func (s *socket) opError(operation string, e syscall.Errno) error {
	return &net.OpError{Op: operation, Net: "tcp", Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: os.NewSyscallError(operation, e)}
}

// watch ends a wait when the context of an exchange ends. The operations of a run share a context, so it registers with that
// once, not for each exchange.
type watch struct {
	done   <-chan struct{} // of the context that is watched
	stop   func() bool
	socket atomic.Pointer[socket] // of the present exchange, or of the last one
}

// follow watches ctx. Contexts with the same Done channel count as one.
func (w *watch) follow(ctx context.Context) {
	done := ctx.Done()
	if done == w.done {
		return
	}
	w.end()
	if w.done = done; done != nil {
		w.stop = context.AfterFunc(ctx, w.interrupt)
	}
}

// on sets the socket to wake. The context must be checked once after it: it may have ended just before.
func (w *watch) on(s *socket) {
	if w.socket.Load() != s {
		w.socket.Store(s)
	}
}

// interrupt may come late and hit another exchange, which finds its own context alive and waits on.
func (w *watch) interrupt() {
	if s := w.socket.Load(); s != nil {
		s.interrupt()
	}
}

func (w *watch) end() {
	if w.stop != nil {
		w.stop()
	}
	w.done, w.stop = nil, nil
}
