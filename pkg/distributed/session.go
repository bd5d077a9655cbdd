package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/gorilla/websocket"
)

// window is how many messages may be under way in one direction before the other side has consumed any of them.
const window = 32

// session is one side's end of the talk between a coordinator and a client about one run. It outlives the connections
// that carry it: see the package comment. Its messages come out of recv once and in order.
type session struct {
	timing  timing
	onLive  func(frame) // takes messages that may be lost; called by the goroutine that reads
	limit   int         // greatest length of an incoming message
	in      chan frame
	wake    chan struct{} // tells the writer that there is something to do
	done    chan struct{} // closed when the session is over
	serving sync.Mutex    // held by serve

	mu       sync.Mutex
	out      []frame       // not acknowledged yet, in order
	next     uint64        // number of the next message, from 1
	room     chan struct{} // closed when out has shrunk
	latest   *frame        // live message that waits to be sent
	accepted uint64        // number of the last message that was put into in
	consumed uint64        // and of the last that was taken out
	err      error         // why the session is over
}

func newSession(t timing, limit int, onLive func(frame)) *session {
	return &session{
		timing: t, onLive: onLive, limit: limit, in: make(chan frame, window), wake: make(chan struct{}, 1),
		done: make(chan struct{}), next: 1, room: make(chan struct{}),
	}
}

// errOver is why a session is over that ended as it should.
var errOver = errors.New("the run is over")

// close ends the session. Where err is a violation, the other side is told.
func (s *session) close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.out, s.latest = nil, nil
		close(s.done)
	}
}

// reason is why the session is over; nil if it is not.
func (s *session) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// send queues a message. It waits while too many are under way, as when the connection is lost.
func (s *session) send(ctx context.Context, kind string, body any) error {
	b, err := encodeBody(kind, body)
	if err != nil {
		return err
	}
	for {
		ok, room, err := s.queue(kind, b)
		if ok || err != nil {
			return err
		}
		select {
		case <-room:
		case <-s.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// try queues a message if that can be done at once, and drops it otherwise.
func (s *session) try(kind string, body any) {
	if b, err := encodeBody(kind, body); err == nil {
		_, _, _ = s.queue(kind, b) // dropped is fine
	}
}

func encodeBody(kind string, body any) ([]byte, error) {
	if b, ok := body.([]byte); ok {
		return b, nil
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode %q: %w", kind, err)
	}
	return b, nil
}

// envelopeRoom is what an envelope adds to a body at most.
const envelopeRoom = 128

func (s *session) queue(kind string, b []byte) (ok bool, room <-chan struct{}, err error) {
	// One that cannot be written would end every connection that is to carry it.
	if most := limits[kind]; kind != msgChunk && len(b)+envelopeRoom > most {
		return false, nil, fmt.Errorf("what it has to say (%q) is %d bytes long, too much for the %d that are allowed", kind, len(b), most)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return false, nil, s.err
	case len(s.out) >= window:
		return false, s.room, nil
	}
	s.out = append(s.out, frame{kind: kind, seq: s.next, body: b})
	s.next++
	s.poke()
	return true, nil, nil
}

// post sends a message that may be lost, as soon as possible. The next one takes its place.
func (s *session) post(kind string, body any) {
	b, err := encodeBody(kind, body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.latest = &frame{kind: kind, body: b}
		s.poke()
	}
}

// poke wakes the writer.
func (s *session) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// recv gives the next message. It is for one goroutine.
func (s *session) recv(ctx context.Context) (frame, error) {
	select {
	case f := <-s.in:
		s.mu.Lock()
		s.consumed++
		s.poke()
		s.mu.Unlock()
		return f, nil
	case <-s.done:
		return frame{}, s.reason()
	case <-ctx.Done():
		return frame{}, context.Cause(ctx)
	}
}

// received is the number of the last message that was consumed: the other side goes on behind it.
func (s *session) received() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.consumed
}

// acknowledge forgets what the other side has consumed.
func (s *session) acknowledge(ack uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.out) == 0 || ack < s.out[0].seq {
		if ack >= s.next {
			return &violation{"it acknowledged what was never sent"}
		}
		return nil
	}
	n := ack - s.out[0].seq + 1
	if n > uint64(len(s.out)) {
		return &violation{"it acknowledged what was never sent"}
	}
	clear(s.out[:n]) // what they held may be large, or secret
	s.out = s.out[n:]
	close(s.room)
	s.room = make(chan struct{})
	return nil
}

// serve carries the session over a connection until that is lost or the session is over. The other side has consumed
// what came up to received. It closes the connection. The error tells how the connection ended.
func (s *session) serve(ws *websocket.Conn, received uint64) error {
	s.serving.Lock()
	defer s.serving.Unlock()
	defer func() { _ = ws.Close() }()
	if err := s.acknowledge(received); err != nil {
		s.close(err)
		return err
	}
	lost := make(chan struct{})
	var readErr error
	go func() {
		defer close(lost)
		readErr = s.read(ws)
	}()
	writeErr := s.write(ws, received, lost)
	_ = ws.Close() // ends the reading
	<-lost
	if writeErr == nil || isClosed(writeErr) && readErr != nil {
		return readErr
	}
	return writeErr
}

// read takes in frames until the connection ends.
func (s *session) read(ws *websocket.Conn) error {
	alive := func(string) error { return ws.SetReadDeadline(deadline(s.timing.silence)) }
	ws.SetPongHandler(alive)
	for {
		if err := alive(""); err != nil {
			return err
		}
		f, err := readFrame(ws, s.limit)
		if err == nil {
			err = s.accept(f)
		}
		var v *violation
		var r *refused
		if errors.As(err, &v) || errors.As(err, &r) {
			s.close(err) // the writer tells the other side what it did wrong
			return err
		}
		if err != nil {
			return err
		}
	}
}

// accept takes in one frame.
func (s *session) accept(f frame) error {
	if f.kind == msgRefuse {
		return f.expect("", nil)
	}
	if err := s.acknowledge(f.ack); err != nil {
		return err
	}
	if f.seq == 0 {
		switch {
		case f.kind == msgAck:
		case f.kind == msgLive && s.onLive != nil:
			s.onLive(f)
		default:
			return &violation{fmt.Sprintf("a message of type %q came without a number", f.kind)}
		}
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.seq <= s.accepted:
		return nil // sent again after a reconnect
	case f.seq != s.accepted+1:
		return &violation{fmt.Sprintf("message %d came where %d was due", f.seq, s.accepted+1)}
	}
	select {
	case s.in <- f:
		s.accepted = f.seq
		return nil
	default:
		return &violation{fmt.Sprintf("it sent more than %d messages without waiting", window)}
	}
}

// isClosed tells whether an error is that of a connection that ended, by either side.
func isClosed(err error) bool {
	var c *websocket.CloseError
	return errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &c) ||
		errors.Is(err, websocket.ErrCloseSent)
}
