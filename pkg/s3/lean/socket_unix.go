//go:build unix

package lean

import (
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"warp/internal/clock"
	"warp/pkg/load/loop"
	"warp/pkg/s3/exchange"
)

// stage is how far a round trip got.
type stage uint8

const (
	stageCheck   stage = iota // check whether the connection is still open
	stageStale                // it is not
	stageSend                 // send the request
	stageBlocked              // the system did not take all of it
	stageRead                 // wait for the response
)

// link is a connection, and how it waits. Read and Write call a function until it returns true, whenever the connection may be ready.
type link interface {
	syscall.RawConn
	LocalAddr() net.Addr
	RemoteAddr() net.Addr
	SetDeadline(t time.Time) error // may be called at any time
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
	Close() error
	// serves reports whether it can wait as an exchange must: by means of a task, or without one.
	serves(t *loop.Task) bool
	// use makes it wait by means of this task.
	use(t *loop.Task) error
}

// polled is a connection of Go's poller.
type polled struct {
	*net.TCPConn
	raw syscall.RawConn
}

func newPolled(c *net.TCPConn) (link, error) {
	raw, err := c.SyscallConn()
	return polled{c, raw}, err
}

func (p polled) Control(f func(fd uintptr)) error    { return p.raw.Control(f) }
func (p polled) Read(f func(fd uintptr) bool) error  { return p.raw.Read(f) }
func (p polled) Write(f func(fd uintptr) bool) error { return p.raw.Write(f) }
func (polled) serves(t *loop.Task) bool              { return t == nil }
func (polled) use(*loop.Task) error                  { return nil }

// platform is the part of a socket that makes its own system calls instead of going through net.Conn: a small request and its
// response take one wait, and no read in vain. Go's poller calls the functions; they return false to be called again when the
// connection is ready. Their arguments are fields, so that an exchange allocates nothing.
type platform struct {
	receiver
	onRead, onWrite, onRoundTrip, onDiscard, onSendBody func(fd uintptr) bool
	onPeek                                              func(fd uintptr)

	in, out  []byte
	n        int   // bytes read
	left     int64 // bytes to discard
	errno    syscall.Errno
	stage    stage
	sent     time.Time // when the last byte was written
	readable bool      // outcome of onPeek
	up       upload

	holding, check, heldSent bool
	held                     []byte // see hold
}

func (s *socket) attach() error {
	s.onRead, s.onWrite, s.onRoundTrip, s.onDiscard, s.onSendBody, s.onPeek =
		s.tryRead, s.tryWrite, s.tryRoundTrip, s.tryDiscard, s.trySendBody, s.peek
	return s.askForStamps(s.link)
}

// hold makes Write keep its bytes until the next Read, which sends them in a round trip.
func (s *socket) hold(check bool) {
	s.holding, s.check, s.heldSent, s.held = true, check, false, s.held[:0]
}

// release ends hold. It reports whether Read was called, and whether it sent all of the kept bytes.
func (s *socket) release() (tried, sent bool) {
	tried = !s.holding
	s.holding = false
	return tried, s.heldSent
}

// sendHeld sends the kept bytes and reads the beginning of the response.
func (s *socket) sendHeld(p []byte) (int, error) {
	s.holding = false
	sent, n, err := s.roundTrip(s.held, p, s.check)
	if s.heldSent = sent == len(s.held); err != nil || s.heldSent {
		return n, err
	}
	if _, err := s.Write(s.held[sent:]); err != nil {
		return 0, err
	}
	s.heldSent = true
	return s.Read(p)
}

// Read reads what is available, waiting for it if need be.
func (s *socket) Read(p []byte) (int, error) {
	if s.holding {
		return s.sendHeld(p)
	}
	s.in = p
	for {
		err := s.link.Read(s.onRead)
		if err == nil {
			return s.readResult()
		}
		if err = s.resume(err, false); err != nil {
			return 0, err
		}
	}
}

func (s *socket) tryRead(fd uintptr) bool {
	s.n, s.errno = s.receive(fd, s.in)
	return s.errno != syscall.EAGAIN || s.nonblocking
}

// readResult returns the outcome of tryRead.
func (s *socket) readResult() (int, error) {
	switch {
	case s.errno != 0:
		return 0, s.opError("read", s.errno)
	case s.n == 0:
		return 0, io.EOF
	}
	s.last = clock.Now()
	return s.n, nil
}

// Write writes all of p.
func (s *socket) Write(p []byte) (int, error) {
	if s.holding {
		s.held = append(s.held, p...)
		return len(p), nil
	}
	s.out = p
	left := len(p)
	s.startWriting()
	for {
		err := s.link.Write(s.onWrite)
		if len(s.out) < left {
			s.last, left = clock.Now(), len(s.out)
		}
		n := len(p) - left
		switch {
		case err == nil && s.errno != 0:
			return n, s.opError("write", s.errno)
		case err == nil:
			s.sent = s.last
			return n, nil
		}
		if err = s.resume(err, true); err != nil {
			return n, err
		}
	}
}

// startWriting sets the first deadline of writes; resume sets the following ones.
func (s *socket) startWriting() {
	if s.writeDeadline.IsZero() {
		s.writeDeadline = s.last.Add(writePoll)
		_ = s.link.SetWriteDeadline(s.writeDeadline) // fails only on a closed connection, as will what follows
	}
}

func (s *socket) tryWrite(fd uintptr) bool {
	for s.errno = 0; len(s.out) > 0; {
		n, errno := sysWrite(fd, s.out)
		if errno == syscall.EAGAIN {
			return false
		}
		if errno != 0 {
			s.errno = errno
			return true
		}
		s.out = s.out[n:]
	}
	return true
}

// roundTrip is conn.roundTrip without TLS.
func (s *socket) roundTrip(request, response []byte, check bool) (sent, n int, err error) {
	s.out, s.in, s.stage, s.errno = request, response, stageSend, 0
	if check {
		s.stage = stageCheck
	}
	for {
		err := s.link.Read(s.onRoundTrip)
		sent = len(request) - len(s.out)
		switch {
		case err == nil && s.stage == stageStale:
			return 0, 0, errStale
		case err == nil && s.stage == stageRead:
			n, err = s.readResult()
			return sent, n, err
		case err == nil && s.errno != 0:
			return sent, 0, s.opError("write", s.errno)
		case err == nil:
			return sent, 0, nil
		}
		if err = s.resume(err, false); err != nil {
			return sent, 0, err
		}
	}
}

// tryRoundTrip takes the steps of a round trip. The poller is armed before the request is sent, so no response can be
// missed, and the first read comes only when there is something to read.
func (s *socket) tryRoundTrip(fd uintptr) bool {
	switch s.stage {
	case stageCheck:
		if sysPeek(fd) {
			s.stage = stageStale
			return true
		}
		fallthrough
	case stageSend:
		n, errno := sysWrite(fd, s.out)
		if errno == syscall.EAGAIN {
			n, errno = 0, 0
		}
		s.out, s.errno = s.out[n:], errno
		s.last = clock.Now()
		if errno != 0 || len(s.out) > 0 {
			s.stage = stageBlocked
			return true
		}
		s.sent, s.stage = s.last, stageRead
		return false
	}
	return s.tryRead(fd)
}

// canRead reports, without waiting, whether there is something to read, such as the end of the connection.
func (s *socket) canRead() bool {
	s.readable = false
	return s.link.Control(s.onPeek) != nil || s.readable
}

func (s *socket) peek(fd uintptr) { s.readable = sysPeek(fd) }

// chunkSize is how much of a body one system call sends. Each call wakes the receiver, which costs half as much as everything
// else together with 64 KiB, a fifth with 256 KiB, and a tenth with 1 MiB.
const chunkSize = 1 << 20

// chunks are buffers for pieces of bodies. A connection has one only while it writes, never while it waits, so there are no more
// of them than CPUs.
var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// upload is the state of sendBody.
type upload struct {
	q       *exchange.Request
	left    int64 // of the body
	err     error // of reading it
	blocked bool  // the system did not take all of a chunk
	early   bool  // it stopped because there is something to read
}

// sendsBody reports whether sendBody can be used.
func (c *conn) sendsBody() bool { return c.tls == nil }

// sendBody sends p and then what is left of the body of q. If it blocks and there is something to read, it stops with errEarly.
// It returns how much of p was sent, and reduces left by what was sent of the body.
func (s *socket) sendBody(p []byte, q *exchange.Request, left *int64) (int, error) {
	s.out, s.up = p, upload{q: q, left: *left}
	s.startWriting()
	defer func() { *left, s.up.q = s.up.left, nil }()
	for seen := s.unsent(); ; {
		err := s.link.Write(s.onSendBody)
		if now := s.unsent(); now < seen {
			s.last, seen = clock.Now(), now
		}
		n := len(p) - len(s.out)
		switch {
		case err == nil && s.up.err != nil:
			return n, s.up.err
		case err == nil && s.errno != 0:
			return n, s.opError("write", s.errno)
		case err == nil && s.up.early:
			return n, errEarly
		case err == nil:
			s.sent = s.last
			return n, nil
		}
		if err = s.resume(err, true); err != nil {
			return n, err
		}
	}
}

func (s *socket) unsent() int64 { return int64(len(s.out)) + s.up.left }

// trySendBody sends as much as the system takes now. What it does not take of a chunk is read from the body again.
func (s *socket) trySendBody(fd uintptr) bool {
	if s.up.blocked && sysPeek(fd) {
		s.up.early = true
		return true
	}
	chunk, _ := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for s.errno = 0; s.unsent() > 0; {
		request, held := s.out, copy(chunk[:], s.out)
		p := chunk[:min(int64(held)+s.up.left, chunkSize)]
		if s.up.err = s.up.q.ReadBody(p[held:], s.up.left); s.up.err != nil {
			return true
		}
		s.out = p
		done := s.tryWrite(fd)
		sent := len(p) - len(s.out)
		s.out = request[min(sent, held):]
		s.up.left -= int64(max(0, sent-held))
		if s.errno != 0 {
			return true
		}
		if !done {
			s.up.blocked = true
			return false
		}
	}
	return true
}
