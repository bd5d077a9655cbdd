//go:build unix

package lean

import (
	"io"
	"net"
	"syscall"
	"time"

	"warp/internal/clock"
)

// stage is how far a round trip got.
type stage uint8

const (
	stageCheck  stage = iota // whether the connection is still good
	stageStale               // it is not
	stageSend                // the request goes out
	stageHeldUp              // not all of it went out at once
	stageRead                // the answer is waited for
)

// polled is the part of a socket that speaks to the system by itself, instead of through net.Conn: a small request and
// its answer then take one wait and no read in vain. The functions are called by Go's poller; they return false to be
// called again when the connection is ready. Their arguments are fields, so that an exchange allocates nothing.
type polled struct {
	raw                                          syscall.RawConn
	onRead, onWrite, onRoundTrip, onDrop, onPump func(fd uintptr) bool
	onPeek                                       func(fd uintptr)

	in, out []byte
	n       int
	left    int64 // to be dropped
	errno   syscall.Errno
	stage   stage
	sent    time.Time // when the last byte was written
	ready   bool      // something can be read
	up      upload

	holding, check, heldSent bool
	held                     []byte // what hold keeps
}

func (s *socket) attach(conn *net.TCPConn) error {
	raw, err := conn.SyscallConn()
	s.raw = raw
	s.onRead, s.onWrite, s.onRoundTrip, s.onDrop, s.onPump, s.onPeek =
		s.tryRead, s.tryWrite, s.tryRoundTrip, s.tryDrop, s.tryPump, s.peek
	return err
}

// hold makes Write keep what it gets for the next Read, which sends it in a round trip.
func (s *socket) hold(check bool) {
	s.holding, s.check, s.heldSent, s.held = true, check, false, s.held[:0]
}

// release ends that and reports whether all that was held has been sent.
func (s *socket) release() bool {
	s.holding = false
	return s.heldSent
}

// sendHeld sends what was held and reads the beginning of the response.
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

// Read reads what there is, waiting for it if need be.
func (s *socket) Read(p []byte) (int, error) {
	if s.holding {
		return s.sendHeld(p)
	}
	s.in = p
	for {
		err := s.raw.Read(s.onRead)
		if err == nil {
			return s.arrived()
		}
		if err = s.goOn(err, false); err != nil {
			return 0, err
		}
	}
}

func (s *socket) tryRead(fd uintptr) bool {
	s.n, s.errno = sysRead(fd, s.in)
	return s.errno != syscall.EAGAIN || s.hasty
}

// arrived is the outcome of a read.
func (s *socket) arrived() (int, error) {
	switch {
	case s.errno != 0:
		return 0, s.fail("read", s.errno)
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
	s.keepWriting()
	for {
		err := s.raw.Write(s.onWrite)
		if len(s.out) < left {
			s.last, left = clock.Now(), len(s.out)
		}
		n := len(p) - left
		switch {
		case err == nil && s.errno != 0:
			return n, s.fail("write", s.errno)
		case err == nil:
			s.sent = s.last
			return n, nil
		}
		if err = s.goOn(err, true); err != nil {
			return n, err
		}
	}
}

// keepWriting sets the first deadline of writes; from then on goOn keeps it going.
func (s *socket) keepWriting() {
	if s.writeBy.IsZero() {
		s.writeBy = s.last.Add(lookUp)
		_ = s.TCPConn.SetWriteDeadline(s.writeBy) // fails only on a closed connection, as will what follows
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

// roundTrip is conn.roundTrip without TLS. Between sending and reading it does not even try to read, since no response
// can be there yet.
func (s *socket) roundTrip(request, answer []byte, check bool) (sent, n int, err error) {
	s.out, s.in, s.stage, s.errno = request, answer, stageSend, 0
	if check {
		s.stage = stageCheck
	}
	for {
		err := s.raw.Read(s.onRoundTrip)
		sent = len(request) - len(s.out)
		switch {
		case err == nil && s.stage == stageStale:
			return 0, 0, errStale
		case err == nil && s.stage == stageRead:
			n, err = s.arrived()
			return sent, n, err
		case err == nil && s.errno != 0:
			return sent, 0, s.fail("write", s.errno)
		case err == nil:
			return sent, 0, nil
		}
		if err = s.goOn(err, false); err != nil {
			return sent, 0, err
		}
	}
}

// tryRoundTrip takes the steps of a round trip. It runs behind the poller's preparation to wait, so that an answer which comes
// after the request was written cannot be missed, and one that came before is seen by the check.
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
			s.stage = stageHeldUp
			return true
		}
		s.sent, s.stage = s.last, stageRead
		return false
	}
	return s.tryRead(fd)
}

// pending tells, without waiting, whether something can be read, be it the end of the connection.
func (s *socket) pending() bool {
	s.ready = false
	return s.raw.Control(s.onPeek) != nil || s.ready
}

func (s *socket) peek(fd uintptr) { s.ready = sysPeek(fd) }
