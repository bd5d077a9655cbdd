package distributed

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gorilla/websocket"

	"warp/internal/clock"
)

// Types of messages; see the package comment for who sends which, and when.
const (
	msgChallenge  = "challenge"
	msgProof      = "proof"
	msgAccept     = "accept"
	msgRefuse     = "refuse"
	msgHello      = "hello"
	msgWelcome    = "welcome"
	msgClock      = "clock"
	msgJoin       = "join"
	msgJoined     = "joined"
	msgAck        = "ack"
	msgLive       = "live"
	msgSecrets    = "secrets"
	msgStart      = "start"
	msgOnce       = "once"
	msgMake       = "make"
	msgMade       = "made"
	msgValue      = "value"
	msgMeet       = "meet"
	msgGo         = "go"
	msgStop       = "stop"
	msgNotice     = "notice"
	msgMeasured   = "measured"
	msgParting    = "parting"
	msgBounds     = "bounds"
	msgWindows    = "windows"
	msgAggregated = "aggregated"
	msgFetch      = "fetch"
	msgSnapshot   = "snapshot"
	msgChunk      = "chunk" // binary
	msgHanded     = "handed"
	msgKeep       = "keep"
	msgDone       = "done"
	msgBye        = "bye"
)

const (
	chunkSize = 64 << 10
	small     = 4 << 10
	medium    = 1 << 20
	large     = 16 << 20
)

// limits are the greatest lengths of messages, in bytes, without what came before them in chunks: see documents. What is
// not listed is not known.
var limits = map[string]int{
	msgChallenge: small, msgProof: small, msgAccept: small, msgRefuse: small, msgHello: small, msgWelcome: small,
	msgClock: small, msgJoin: small, msgJoined: small, msgAck: small,
	msgLive: medium, msgSecrets: 64 << 10, msgStart: large,
	msgOnce: small, msgMake: small, msgMade: medium, msgValue: medium,
	msgMeet: 64 << 10, msgGo: 64 << 10, msgStop: small, msgNotice: small, msgMeasured: small, msgParting: small,
	msgBounds: small, msgWindows: medium, msgAggregated: small, msgFetch: small, msgSnapshot: small,
	msgHanded: small, msgKeep: small, msgDone: medium, msgBye: small,
}

// frame is one message on the wire. Seq is 0 if it may be lost.
type frame struct {
	kind     string
	seq, ack uint64
	body     []byte // JSON, or the bytes of a chunk
}

// envelope is the JSON of a control message.
type envelope struct {
	Type string          `json:"type"`
	Seq  uint64          `json:"seq,omitempty"`
	Ack  uint64          `json:"ack,omitempty"`
	Body json.RawMessage `json:"body,omitempty"`
}

// chunkHeader is seq and ack before the bytes of a chunk.
const chunkHeader = 16

// encode gives the frame's websocket type and payload.
func (f *frame) encode() (websocketType int, payload []byte, err error) {
	if f.kind == msgChunk {
		b := make([]byte, 0, chunkHeader+len(f.body))
		b = binary.BigEndian.AppendUint64(b, f.seq)
		b = binary.BigEndian.AppendUint64(b, f.ack)
		return websocket.BinaryMessage, append(b, f.body...), nil
	}
	b, err := json.Marshal(envelope{f.kind, f.seq, f.ack, f.body})
	if err == nil && len(b) > limits[f.kind] {
		err = fmt.Errorf("a message of type %q would be %d bytes long, more than the %d that are allowed", f.kind, len(b), limits[f.kind])
	}
	return websocket.TextMessage, b, err
}

// decode reads the payload of a websocket message. Nothing in it is trusted.
func decode(websocketType int, payload []byte) (frame, error) {
	if websocketType == websocket.BinaryMessage {
		if len(payload) < chunkHeader || len(payload) > chunkHeader+chunkSize {
			return frame{}, fmt.Errorf("a chunk of %d bytes is none", len(payload))
		}
		return frame{msgChunk, binary.BigEndian.Uint64(payload), binary.BigEndian.Uint64(payload[8:]), payload[chunkHeader:]}, nil
	}
	var e envelope
	if err := json.Unmarshal(payload, &e); err != nil {
		return frame{}, errors.New("a message is not JSON of the expected form")
	}
	limit, known := limits[e.Type]
	switch {
	case !known:
		return frame{}, fmt.Errorf("messages of type %.40q are not known", e.Type)
	case len(payload) > limit:
		return frame{}, fmt.Errorf("a message of type %q is %d bytes long, more than the %d that are allowed", e.Type, len(payload), limit)
	}
	return frame{e.Type, e.Seq, e.Ack, e.Body}, nil
}

// open reads the body of a message into v.
func (f *frame) open(v any) error {
	if err := json.Unmarshal(f.body, v); err != nil {
		// The error itself may quote the message, which may hold a secret.
		return fmt.Errorf("the body of a message of type %q is malformed", f.kind)
	}
	return nil
}

// readFrame reads the next frame, of at most so many bytes.
func readFrame(ws *websocket.Conn, most int) (frame, error) {
	kind, r, err := ws.NextReader()
	if err != nil {
		return frame{}, ofPeer(err)
	}
	b, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return frame{}, ofPeer(err)
	}
	if len(b) > most {
		return frame{}, &violation{fmt.Sprintf("a message is longer than the %d bytes that are allowed now", most)}
	}
	f, err := decode(kind, b)
	if err != nil {
		return frame{}, &violation{err.Error()}
	}
	return f, nil
}

// writeFrame writes one frame; timeout bounds it.
func writeFrame(ws *websocket.Conn, f *frame, timeout time.Duration) error {
	kind, b, err := f.encode()
	if err != nil {
		return err
	}
	if err := ws.SetWriteDeadline(clock.Now().Add(timeout)); err != nil {
		return err
	}
	return ws.WriteMessage(kind, b)
}

// say writes a message before there is a session.
func say(ws *websocket.Conn, kind string, body any, timeout time.Duration) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return writeFrame(ws, &frame{kind: kind, body: b}, timeout)
}

// hear reads a message before there is a session, and its body into v. A refusal comes back as *refused.
func hear(ws *websocket.Conn, kind string, v any) error {
	f, err := readFrame(ws, small)
	if err != nil {
		return err
	}
	return f.expect(kind, v)
}

// expect opens the frame, which must be of a kind.
func (f *frame) expect(kind string, v any) error {
	switch f.kind {
	case kind:
		return f.open(v)
	case msgRefuse:
		var r refuse
		if err := f.open(&r); err != nil {
			return err
		}
		return &refused{r}
	}
	return &violation{fmt.Sprintf("it said %q where %q was due", f.kind, kind)}
}

// violation is an error for a breach of the protocol.
type violation struct{ text string }

func (v *violation) Error() string { return v.text }

// refused is an error for what the other side refused, in its words.
type refused struct{ refuse }

func (r *refused) Error() string { return string(r.Reason) }
