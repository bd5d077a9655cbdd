//go:build unix

package lean

import (
	"sync"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// chunkSize is how much of a body is handed to the system at once. Each call ends with the system waking the receiver,
// which with 64 KiB costs half as much as everything else together, with 256 KiB a fifth, and with 1 MiB a tenth of it.
const chunkSize = 1 << 20

// chunks are buffers for pieces of bodies. A connection has one only while it writes, never while it waits, so that
// there are no more of them than CPUs, however many connections there are.
var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// upload is the state of a pump.
type upload struct {
	q       *exchange.Request
	left    int64 // of the body
	err     error // of reading it
	blocked bool  // not all that was there went out at once
	early   bool  // it stopped because something can be read
}

// pumps tells whether the connection can pump.
func (c *conn) pumps() bool { return c.tls == nil }

// pump sends p and then what is left of the body of q. If it is held up and something can be read, it stops with
// errEarly. It tells how much of p went out, and takes off left what did of the body.
func (s *socket) pump(p []byte, q *exchange.Request, left *int64) (int, error) {
	s.out, s.up = p, upload{q: q, left: *left}
	s.startWriting()
	defer func() { *left, s.up.q = s.up.left, nil }()
	for seen := s.unsent(); ; {
		err := s.raw.Write(s.onSendBody)
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

// trySendBody writes as much as the system takes now. What it does not take of a chunk is made once more when it does.
func (s *socket) trySendBody(fd uintptr) bool {
	if s.up.blocked && sysPeek(fd) {
		s.up.early = true
		return true
	}
	chunk, _ := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for s.errno = 0; s.unsent() > 0; {
		head, held := s.out, copy(chunk[:], s.out)
		p := chunk[:min(int64(held)+s.up.left, chunkSize)]
		if s.up.err = s.up.q.ReadBody(p[held:], s.up.left); s.up.err != nil {
			return true
		}
		s.out = p
		done := s.tryWrite(fd)
		sent := len(p) - len(s.out)
		s.out = head[min(sent, held):]
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
