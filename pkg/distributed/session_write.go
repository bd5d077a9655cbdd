package distributed

import (
	"errors"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
)

func deadline(d time.Duration) time.Time { return clock.Now().Add(d) }

// write sends frames until the connection is lost or the session is over.
func (s *session) write(ws *websocket.Conn, received uint64, lost <-chan struct{}) error {
	ping := time.NewTicker(s.timing.ping)
	defer ping.Stop()
	w := writer{session: s, sent: received, acked: s.received()}
	for {
		f, over := w.pick()
		if over != nil {
			return s.leave(ws, over)
		}
		if f != nil {
			if err := writeFrame(ws, f, s.timing.write); err != nil {
				return err
			}
			continue
		}
		select {
		case <-s.wake:
		case <-s.done:
		case <-lost:
			if over := s.reason(); over != nil {
				return s.leave(ws, over)
			}
			return nil
		case <-ping.C:
			if err := ws.WriteControl(websocket.PingMessage, nil, deadline(s.timing.write)); err != nil {
				return err
			}
		}
	}
}

// leave says why the session is over, if the other side does not know.
func (s *session) leave(ws *websocket.Conn, why error) error {
	var r *refused
	if !errors.Is(why, errOver) && !errors.As(why, &r) {
		_ = say(ws, msgRefuse, refuse{peerText(why.Error()), true}, s.timing.write) // the connection ends anyway
	}
	_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), deadline(s.timing.write))
	return nil
}

// writer knows how far a connection has come.
type writer struct {
	*session
	sent  uint64 // number of the last message that was written to this connection
	acked uint64 // last acknowledgement that was
}

// pick takes the next frame to send, nil if there is none; over: the session is.
func (w *writer) pick() (f *frame, over error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return nil, w.err
	case len(w.out) > 0 && w.out[len(w.out)-1].seq > w.sent:
		i := 0
		if w.sent >= w.out[0].seq {
			i = int(w.sent - w.out[0].seq + 1)
		}
		c := w.out[i]
		f, w.sent = &c, c.seq
	case w.latest != nil:
		f, w.latest = w.latest, nil
	case w.consumed > w.acked:
		f = &frame{kind: msgAck}
	default:
		return nil, nil
	}
	f.ack, w.acked = w.consumed, w.consumed
	return f, nil
}
