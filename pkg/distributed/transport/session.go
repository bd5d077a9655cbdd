package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// window is how many messages may be in flight in one direction before the other side has consumed any of them.
const window = 32

// Session is one end of a message stream. It outlives the connections that carry it: see the package comment.
type Session struct {
	protocol *Protocol
	timing   Timing
	lossy    map[string]func(Frame) // take messages that may be lost, by type; called by the goroutine that reads
	limit    int                    // maximum length of an incoming message
	in       chan Frame
	wake     chan struct{} // wakes the writer
	done     chan struct{} // closed when the session is over
	serving  sync.Mutex    // held by Serve

	mu       sync.Mutex
	out      []Frame       // not acknowledged yet, in order
	next     uint64        // number of the next message, from 1
	room     chan struct{} // closed when out has shrunk
	latest   *Frame        // message that may be lost, and waits to be sent
	accepted uint64        // number of the last message that was put into in
	consumed uint64        // and of the last that was taken out
	err      error         // why the session is over
}

// NewSession makes a session whose incoming messages have at most limit bytes. Messages that may be lost go to lossy, by type.
func NewSession(p *Protocol, t Timing, limit int, lossy map[string]func(Frame)) *Session {
	return &Session{
		protocol: p, timing: t, lossy: lossy, limit: limit, in: make(chan Frame, window), wake: make(chan struct{}, 1),
		done: make(chan struct{}), next: 1, room: make(chan struct{}),
	}
}

// ErrEnded is why a session is over that ended as it should.
var ErrEnded = errors.New("the session has ended")

// Done is closed when the session is over.
func (s *Session) Done() <-chan struct{} { return s.done }

// Close ends the session. The other side receives the reason unless it is ErrEnded.
func (s *Session) Close(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.out, s.latest = nil, nil
		close(s.done)
	}
}

// Err is why the session is over; nil if it is not.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Send queues a message. It waits while too many are in flight, as when the connection is lost.
func (s *Session) Send(ctx context.Context, kind string, body any) error {
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

// TrySend queues a message unless too many are in flight.
func (s *Session) TrySend(kind string, body any) (ok bool, err error) {
	b, err := encodeBody(kind, body)
	if err == nil {
		ok, _, err = s.queue(kind, b)
	}
	return ok, err
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

func (s *Session) queue(kind string, b []byte) (ok bool, room <-chan struct{}, err error) {
	// One that cannot be written would end every connection that is to carry it.
	if limit, _ := s.protocol.limit(kind); kind != Chunk && len(b)+envelopeRoom > limit {
		return false, nil, fmt.Errorf("message %q has %d bytes, want at most %d", kind, len(b), limit)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return false, nil, s.err
	case len(s.out) >= window:
		return false, s.room, nil
	}
	s.out = append(s.out, Frame{Kind: kind, Seq: s.next, Body: b})
	s.next++
	s.wakeWriter()
	return true, nil, nil
}

// Post sends a message that may be lost, as soon as possible. The next one takes its place.
func (s *Session) Post(kind string, body any) {
	b, err := encodeBody(kind, body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.latest = &Frame{Kind: kind, Body: b}
		s.wakeWriter()
	}
}

func (s *Session) wakeWriter() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Receive returns the next message. It is for one goroutine.
func (s *Session) Receive(ctx context.Context) (Frame, error) {
	select {
	case f := <-s.in:
		s.mu.Lock()
		s.consumed++
		s.wakeWriter()
		s.mu.Unlock()
		return f, nil
	case <-s.done:
		return Frame{}, s.Err()
	case <-ctx.Done():
		return Frame{}, context.Cause(ctx)
	}
}

// Received is the number of the last message that was consumed: the other side goes on behind it.
func (s *Session) Received() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.consumed
}

// acknowledge forgets what the other side has consumed.
func (s *Session) acknowledge(ack uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.out) == 0 || ack < s.out[0].Seq {
		if ack >= s.next {
			return Violationf("acknowledged a message that was never sent")
		}
		return nil
	}
	n := ack - s.out[0].Seq + 1
	if n > uint64(len(s.out)) {
		return Violationf("acknowledged a message that was never sent")
	}
	clear(s.out[:n]) // what they held may be large, or secret
	s.out = s.out[n:]
	close(s.room)
	s.room = make(chan struct{})
	return nil
}

// Serve carries the session over a connection until that is lost or the session is over, and closes the connection. The
// other side has consumed what came up to received. The error is how the connection ended.
func (s *Session) Serve(c *Conn, received uint64) error {
	s.serving.Lock()
	defer s.serving.Unlock()
	defer func() { _ = c.Close() }()
	if err := s.acknowledge(received); err != nil {
		s.Close(err)
		return err
	}
	lost := make(chan struct{})
	var readErr error
	go func() {
		defer close(lost)
		readErr = s.read(c)
	}()
	writeErr := s.write(c, received, lost)
	_ = c.Close() // ends the reading
	<-lost
	if writeErr == nil || isClosed(writeErr) && readErr != nil {
		return readErr
	}
	return writeErr
}

// read takes in frames until the connection ends.
func (s *Session) read(c *Conn) error {
	alive := func(string) error { return c.SetReadTimeout(s.timing.Silence) }
	c.ws.SetPongHandler(alive)
	c.ws.SetPingHandler(func(text string) error { // the library's own gives up the connection after a second
		_ = c.control(websocket.PongMessage, []byte(text)) // without a connection reading fails too
		return nil
	})
	for {
		if err := alive(""); err != nil {
			return err
		}
		f, err := c.ReadFrame(s.limit)
		if err == nil {
			err = s.accept(f)
		}
		var v *Violation
		var r *Refused
		if errors.As(err, &v) || errors.As(err, &r) {
			s.Close(err) // the writer sends the reason
			return err
		}
		if err != nil {
			return err
		}
	}
}

// accept takes in one frame.
func (s *Session) accept(f Frame) error {
	if f.Kind == msgRefuse {
		return f.expect("", nil)
	}
	if err := s.acknowledge(f.Ack); err != nil {
		return err
	}
	if f.Seq == 0 {
		take := s.lossy[f.Kind]
		switch {
		case f.Kind == msgAck:
		case take != nil:
			take(f)
		default:
			return Violationf("message %q has no number", f.Kind)
		}
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.Seq <= s.accepted:
		return nil // sent again after a reconnect
	case f.Seq != s.accepted+1:
		return Violationf("message %d out of order, want %d", f.Seq, s.accepted+1)
	}
	select {
	case s.in <- f:
		s.accepted = f.Seq
		return nil
	default:
		return Violationf("more than %d messages without waiting for acknowledgement", window)
	}
}

// isClosed reports whether an error is that of a connection that either side closed.
func isClosed(err error) bool {
	var c *websocket.CloseError
	return errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &c) ||
		errors.Is(err, websocket.ErrCloseSent)
}

// write sends frames until the connection is lost or the session is over.
func (s *Session) write(c *Conn, received uint64, lost <-chan struct{}) error {
	ping := time.NewTicker(s.timing.Ping)
	defer ping.Stop()
	w := writer{Session: s, sent: received, acked: s.Received()}
	for {
		f, over := w.pick()
		if over != nil {
			return s.leave(c, over)
		}
		if f != nil {
			if err := c.WriteFrame(f); err != nil {
				return err
			}
			continue
		}
		select {
		case <-s.wake:
		case <-s.done:
		case <-lost:
			if over := s.Err(); over != nil {
				return s.leave(c, over)
			}
			return nil
		case <-ping.C:
			if err := c.control(websocket.PingMessage, nil); err != nil {
				return err
			}
		}
	}
}

// leave sends why the session is over, if the other side does not know.
func (s *Session) leave(c *Conn, why error) error {
	var r *Refused
	if !errors.Is(why, ErrEnded) && !errors.As(why, &r) {
		_ = c.Refuse(why) // the connection ends anyway
	}
	_ = c.control(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
	return nil
}

// writer knows how far a connection has come.
type writer struct {
	*Session
	sent  uint64 // number of the last message that was written to this connection
	acked uint64 // last acknowledgement that was
}

// pick takes the next frame to send, nil if there is none; over: the session is.
func (w *writer) pick() (f *Frame, over error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return nil, w.err
	case len(w.out) > 0 && w.out[len(w.out)-1].Seq > w.sent:
		i := 0
		if w.sent >= w.out[0].Seq {
			i = int(w.sent - w.out[0].Seq + 1)
		}
		c := w.out[i]
		f, w.sent = &c, c.Seq
	case w.latest != nil:
		f, w.latest = w.latest, nil
	case w.consumed > w.acked:
		f = &Frame{Kind: msgAck}
	default:
		return nil, nil
	}
	f.Ack, w.acked = w.consumed, w.consumed
	return f, nil
}
