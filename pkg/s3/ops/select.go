package ops

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"

	"warp/pkg/s3"
)

// Query is an SQL query on objects that are CSV without a header, and its response, a stream of events. A worker reuses it.
type Query struct {
	text   []byte
	hash   string // SHA-256 of text
	body   bytes.Reader
	events events
	parse  func(io.Reader) error // made once
}

// NewQuery returns a query with an expression, as in "SELECT s._1 FROM S3Object s".
func NewQuery(expression string) *Query {
	q := &Query{text: []byte(`<SelectObjectContentRequest xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
		"<Expression>" + EscapeXML(expression) + "</Expression><ExpressionType>SQL</ExpressionType>" +
		"<InputSerialization><CompressionType>NONE</CompressionType><CSV><FileHeaderInfo>NONE</FileHeaderInfo></CSV></InputSerialization>" +
		"<OutputSerialization><CSV/></OutputSerialization><RequestProgress><Enabled>false</Enabled></RequestProgress>" +
		"</SelectObjectContentRequest>")}
	sum := sha256.Sum256(q.text)
	q.hash = hex.EncodeToString(sum[:])
	q.events.in = bufio.NewReaderSize(nil, maxEventHeaders)
	q.parse = q.events.read
	return q
}

// Select performs a query on an object (SelectObjectContent). The records that it returns go into c.Into, and c.Bytes counts them.
func Select(ctx context.Context, s s3.Session, c *s3.Call, q *Query) error {
	c.BeginObject(http.MethodPost, s3.ReadsWrites)
	c.Act = s3.Act{Words: "query objects by SQL", Right: "s3:GetObject"}
	c.Query = append(c.Query, s3.Param{Name: "select"}, s3.Param{Name: "select-type", Value: "2"})
	c.Headers = append(c.Headers, s3.Header{Name: "Content-Type", Value: "application/xml"})
	q.body.Reset(q.text)
	c.Body, c.Size, c.Payload = &q.body, int64(len(q.text)), q.hash
	q.events.call = c
	c.Parse = q.parse
	return s.Do(ctx, c)
}

// A stream of events (application/vnd.amazon.event-stream) is a sequence of messages: a prelude of total length, length of the headers, and
// the CRC32 of both; the headers; the payload; the CRC32 of all before it.
const (
	preludeLength = 12
	sumLength     = 4

	maxEventHeaders = 16 << 10 // bytes; servers send some 100
	maxKept         = 1 << 10  // bytes of a payload other than records that are looked at
)

// events reads a stream of events, in memory that does not grow.
type events struct {
	call *s3.Call
	in   *bufio.Reader

	sum     uint32 // of the message so far
	failure *s3.Error
	payload [maxKept]byte
	kept    int   // bytes of the payload
	stated  int64 // bytes of records, by the server; -1: it has stated none
}

// eventKind is what a message tells.
type eventKind uint8

// Kinds of messages. All others keep the connection alive, or report progress.
const (
	otherEvent eventKind = iota
	recordsEvent
	statsEvent
	endEvent
	failureEvent
)

var eventKinds = map[string]eventKind{"Records": recordsEvent, "Stats": statsEvent, "End": endEvent}

// read reads a stream to its end.
func (e *events) read(r io.Reader) error {
	e.in.Reset(r)
	e.stated = -1
	for {
		kind, err := e.message()
		switch {
		case err != nil:
			return err
		case kind == failureEvent:
			return e.failure
		case kind == statsEvent:
			if err := e.readStats(); err != nil {
				return err
			}
		case kind == endEvent:
			return e.end()
		}
	}
}

// end checks that the stream ends, and that it had all records.
func (e *events) end() error {
	switch _, err := e.in.Peek(1); {
	case err == nil:
		return badEvents("there is more behind the event End")
	case err != io.EOF:
		return err
	case e.stated >= 0 && e.stated != e.call.Bytes:
		return s3.Errorf(s3.ClassWrongLength, 0, "the server states %d bytes of records, got %d", e.stated, e.call.Bytes)
	}
	return nil
}

// message reads a message.
func (e *events) message() (kind eventKind, err error) {
	headers, payload, err := e.prelude()
	if err != nil {
		return 0, err
	}
	p, err := e.peek(headers)
	if err != nil {
		return 0, err
	}
	kind, err = e.headers(p)
	if err != nil {
		return 0, err
	}
	e.pass(p)
	if err := e.body(kind, payload); err != nil {
		return 0, err
	}
	if p, err = e.peek(sumLength); err != nil {
		return 0, err
	}
	if binary.BigEndian.Uint32(p) != e.sum {
		return 0, badEvents("a message of the stream of events has a wrong checksum")
	}
	e.pass(p)
	if kind == failureEvent && e.failure.Message == "" {
		e.failure.Message = s3.OneLine(string(e.payload[:e.kept]))
	}
	return kind, nil
}

// peek returns the next n bytes, valid until more is read.
func (e *events) peek(n int) ([]byte, error) {
	p, err := e.in.Peek(n)
	if err == io.EOF {
		err = s3.Errorf(s3.ClassShortBody, 0, "the stream of events ends without the event End")
	}
	return p, err
}

// pass goes behind bytes that were peeked at, and counts them into the checksum.
func (e *events) pass(p []byte) {
	e.sum = crc32.Update(e.sum, crc32.IEEETable, p)
	_, _ = e.in.Discard(len(p)) // they are in the buffer
}

// badEvents returns the error of a response that is no valid stream of events.
func badEvents(format string, args ...any) error {
	return s3.Errorf(s3.ClassBadResponse, 0, format, args...)
}

// prelude reads the lengths of the headers and of the payload of a message.
func (e *events) prelude() (headers int, payload int64, err error) {
	p, err := e.peek(preludeLength)
	if err != nil {
		return 0, 0, err
	}
	if binary.BigEndian.Uint32(p[8:]) != crc32.ChecksumIEEE(p[:8]) {
		text, _ := e.in.Peek(e.in.Buffered())
		if known := s3.BodyError(text); known != nil {
			return 0, 0, known
		}
		return 0, 0, badEvents("the response is no stream of events")
	}
	all, part := int64(binary.BigEndian.Uint32(p)), int64(binary.BigEndian.Uint32(p[4:]))
	payload = all - part - preludeLength - sumLength
	if payload < 0 || part > maxEventHeaders {
		return 0, 0, badEvents("a message of %d bytes in the stream of events has %d bytes of headers", all, part)
	}
	e.sum = 0
	e.pass(p)
	return int(part), payload, nil
}

// headers reads the headers of a message, and notes the failure that they state.
func (e *events) headers(p []byte) (kind eventKind, err error) {
	var message, event, code, text []byte
	for len(p) > 0 {
		var name, value []byte
		if name, value, p, err = eventHeader(p); err != nil {
			return 0, err
		}
		switch string(name) {
		case ":message-type":
			message = value
		case ":event-type":
			event = value
		case ":error-code", ":exception-type":
			code = value
		case ":error-message":
			text = value
		}
	}
	switch string(message) {
	case "event":
		return eventKinds[string(event)], nil
	case "error", "exception":
		e.failure = s3.CodeError(string(code), string(text))
		return failureEvent, nil
	}
	return 0, badEvents("a message in the stream of events has the type %q", message)
}

// Lengths of the values of headers by type; bytes (6) and texts (7) state their own.
var valueLengths = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

// eventHeader cuts a header off.
func eventHeader(p []byte) (name, value, rest []byte, err error) {
	bad := func() ([]byte, []byte, []byte, error) {
		return nil, nil, nil, badEvents("a message in the stream of events has broken headers")
	}
	n := int(p[0])
	if p = p[1:]; len(p) <= n || int(p[n]) >= len(valueLengths) {
		return bad()
	}
	name, p, n = p[:n], p[n+1:], valueLengths[p[n]]
	if n < 0 {
		if len(p) < 2 {
			return bad()
		}
		n, p = int(binary.BigEndian.Uint16(p)), p[2:]
	}
	if len(p) < n {
		return bad()
	}
	return name, p[:n], p[n:], nil
}

// body reads the payload of a message: records go into the Call, the beginning of others is kept.
func (e *events) body(kind eventKind, left int64) error {
	for e.kept = 0; left > 0; {
		if _, err := e.peek(1); err != nil {
			return err
		}
		p, _ := e.in.Peek(int(min(left, int64(e.in.Buffered())))) // they are in the buffer
		if kind != recordsEvent {
			e.kept += copy(e.payload[e.kept:], p)
		} else if e.call.Bytes += int64(len(p)); e.call.Into != nil {
			if _, err := e.call.Into.Write(p); err != nil {
				return &s3.Error{Class: s3.ClassDiffers, Message: s3.OneLine(err.Error()), Err: err}
			}
		}
		left -= int64(len(p))
		e.pass(p)
	}
	return nil
}

// readStats reads how many bytes of records the server has sent.
func (e *events) readStats() error {
	text, _, _ := textOf(e.payload[:e.kept], "BytesReturned")
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n < 0 {
		return badEvents("the statistics of a query state %q bytes of records", text)
	}
	e.stated = n
	return nil
}
