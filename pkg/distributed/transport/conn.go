package transport

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
)

// Types of messages of the transport itself.
const (
	msgChallenge = "challenge"
	msgProof     = "proof"
	msgAccept    = "accept"
	msgRefuse    = "refuse"
	msgAck       = "ack"
	Chunk        = "chunk" // binary
)

const (
	// ChunkSize is the maximum length of a chunk.
	ChunkSize = 64 << 10
	// Small is the maximum length of a message outside of a session.
	Small = 4 << 10
)

type challenge struct {
	Protocol int    `json:"protocol"`
	Token    bool   `json:"token"` // whether one is needed, for the error of a dialler without one
	Nonce    []byte `json:"nonce"`
}

type proofBody struct {
	Protocol int    `json:"protocol"`
	Nonce    []byte `json:"nonce"`
	MAC      []byte `json:"mac"`
}

type accept struct {
	MAC []byte `json:"mac"`
}

// Refused ends a connection. As an error it is the reason that the other side gave.
type Refused struct {
	Reason PeerText `json:"reason"`
	Final  bool     `json:"final,omitempty"` // trying again makes no sense
}

// Error is the reason.
func (r *Refused) Error() string { return string(r.Reason) }

// Violation is an error for a breach of the protocol.
type Violation struct{ text string }

// Violationf makes a Violation.
func Violationf(format string, args ...any) *Violation {
	return &Violation{fmt.Sprintf(format, args...)}
}

// Error describes the breach.
func (v *Violation) Error() string { return v.text }

// limit returns the maximum length of a type of message, and whether the type is known.
func (p *Protocol) limit(kind string) (bytes int, known bool) {
	switch kind {
	case msgChallenge, msgProof, msgAccept, msgRefuse, msgAck:
		return Small, true
	}
	bytes, known = p.Messages[kind]
	return bytes, known
}

// largest is the maximum length of any message.
func (p *Protocol) largest() int64 {
	limit := chunkHeader + ChunkSize
	for _, n := range p.Messages {
		limit = max(limit, n)
	}
	return int64(limit)
}

// Frame is one message on the wire. Seq is 0 if it may be lost.
type Frame struct {
	Kind     string
	Seq, Ack uint64
	Body     []byte // JSON, or the bytes of a chunk
}

// envelope is the JSON of a control message.
type envelope struct {
	Type string          `json:"type"`
	Seq  uint64          `json:"seq,omitempty"`
	Ack  uint64          `json:"ack,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
}

// chunkHeader is the length of seq and ack before the bytes of a chunk.
const chunkHeader = 16

// encode returns the frame's websocket type and payload.
func (p *Protocol) encode(f *Frame) (websocketType int, payload []byte, err error) {
	if f.Kind == Chunk {
		b := make([]byte, 0, chunkHeader+len(f.Body))
		b = binary.BigEndian.AppendUint64(b, f.Seq)
		b = binary.BigEndian.AppendUint64(b, f.Ack)
		return websocket.BinaryMessage, append(b, f.Body...), nil
	}
	b, err := json.Marshal(envelope{f.Kind, f.Seq, f.Ack, f.Body})
	if limit, _ := p.limit(f.Kind); err == nil && len(b) > limit {
		err = fmt.Errorf("message %q has %d bytes, want at most %d", f.Kind, len(b), limit)
	}
	return websocket.TextMessage, b, err
}

// decode reads the untrusted payload of a websocket message.
func (p *Protocol) decode(websocketType int, payload []byte) (Frame, error) {
	if websocketType == websocket.BinaryMessage {
		if len(payload) < chunkHeader || len(payload) > chunkHeader+ChunkSize {
			return Frame{}, Violationf("invalid chunk length %d", len(payload))
		}
		return Frame{Chunk, binary.BigEndian.Uint64(payload), binary.BigEndian.Uint64(payload[8:]), payload[chunkHeader:]}, nil
	}
	var e envelope
	if err := json.Unmarshal(payload, &e); err != nil {
		return Frame{}, Violationf("malformed message: not JSON of the expected form")
	}
	limit, known := p.limit(e.Type)
	switch {
	case !known:
		return Frame{}, Violationf("unknown message type %.40q", e.Type)
	case len(payload) > limit:
		return Frame{}, Violationf("message %q has %d bytes, want at most %d", e.Type, len(payload), limit)
	}
	return Frame{e.Type, e.Seq, e.Ack, e.Body}, nil
}

// Open decodes the body of a message into v.
func (f *Frame) Open(v any) error {
	if err := json.Unmarshal(f.Body, v); err != nil {
		// The error itself may quote the message, which may hold a secret.
		return fmt.Errorf("malformed body of message %q", f.Kind)
	}
	return nil
}

// expect opens the frame, which must be of a kind.
func (f *Frame) expect(kind string, v any) error {
	switch f.Kind {
	case kind:
		return f.Open(v)
	case msgRefuse:
		var r Refused
		if err := f.Open(&r); err != nil {
			return err
		}
		return &r
	}
	return Violationf("unexpected message %q, want %q", f.Kind, kind)
}

// Conn is an authenticated connection.
type Conn struct {
	ws       *websocket.Conn
	protocol *Protocol
	timing   Timing
}

// RemoteAddr is the address of the other side.
func (c *Conn) RemoteAddr() net.Addr { return c.ws.RemoteAddr() }

// Close closes the connection.
func (c *Conn) Close() error { return c.ws.Close() }

// SetReadTimeout bounds all reads from now on together.
func (c *Conn) SetReadTimeout(d time.Duration) error { return c.ws.SetReadDeadline(clock.Now().Add(d)) }

// ReadFrame reads the next frame, of at most limit bytes.
func (c *Conn) ReadFrame(limit int) (Frame, error) {
	kind, r, err := c.ws.NextReader()
	if err != nil {
		return Frame{}, ofPeer(err)
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		return Frame{}, ofPeer(err)
	}
	if len(b) > limit {
		return Frame{}, Violationf("message has more than the %d bytes that are allowed now", limit)
	}
	return c.protocol.decode(kind, b)
}

// WriteFrame writes one frame.
func (c *Conn) WriteFrame(f *Frame) error {
	kind, b, err := c.protocol.encode(f)
	if err != nil {
		return err
	}
	if err := c.ws.SetWriteDeadline(clock.Now().Add(c.timing.Write)); err != nil {
		return err
	}
	return c.ws.WriteMessage(kind, b)
}

// Send writes a message outside of a session.
func (c *Conn) Send(kind string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.WriteFrame(&Frame{Kind: kind, Body: b})
}

// Receive reads a message outside of a session, and its body into v. A refusal is returned as *Refused.
func (c *Conn) Receive(kind string, v any) error {
	f, err := c.ReadFrame(Small)
	if err != nil {
		return err
	}
	return f.expect(kind, v)
}

// Refuse sends the reason why the connection ends, and returns it with what went wrong in doing so.
func (c *Conn) Refuse(why error) error {
	return errors.Join(why, c.Send(msgRefuse, Refused{Reason: PeerText(why.Error()), Final: true}))
}

// control writes a control frame of the websocket.
func (c *Conn) control(websocketType int, data []byte) error {
	return c.ws.WriteControl(websocketType, data, clock.Now().Add(c.timing.Write))
}
