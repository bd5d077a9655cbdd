package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"warp/pkg/op"
)

// errWriterClosed is the error of a Writer after Close.
var errWriterClosed = errors.New("write recording: writer is closed")

// Writer writes a recording. It is an op.Sink; see Flush for what is on disk when. It is not safe for concurrent use.
type Writer struct {
	dst         io.Writer
	enc         *zstd.Encoder
	text        []byte       // of the frame being filled, not yet compressed
	frame       bytes.Buffer // what is compressed of it
	begun       int          // bytes of text that frame holds
	rows        rowWriter
	commandLine string
	end         json.RawMessage
	err         error  // first failure; nothing is written after it
	held        extent // of frame and text
	written     extent // of what the underlying writer accepted
}

// extent is a number of operations, and their last end.
type extent struct {
	ops  int64
	last time.Time
}

func (e *extent) add(ops int64, last time.Time) {
	e.ops += ops
	if last.After(e.last) {
		e.last = last
	}
}

// NewWriter starts a recording: it writes the header comments and the header line to w. The configuration, if any, must
// be JSON. If only writing fails, it returns a Writer too, whose methods fail with the same error.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	// Frames are compressed in the collector's goroutine. A concurrent encoder would reduce latency that does not matter, and
	// use CPU time that the benchmark needs.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(frameText))
	if err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	wr := &Writer{dst: w, enc: enc, commandLine: h.CommandLine, end: json.RawMessage("{}")}
	wr.text = append(wr.text, markVersion...)
	wr.text = strconv.AppendInt(wr.text, Version, 10)
	wr.text = append(wr.text, '\n')
	if len(h.Config) > 0 {
		config, err := compactJSON(h.Config)
		if err != nil {
			return nil, fmt.Errorf("write recording: configuration: %w", err)
		}
		wr.comment(markConfig, config)
	}
	wr.text = append(wr.text, header...)
	if wr.rows.buckets = h.Buckets; h.Buckets {
		wr.text = append(append(wr.text, '\t'), bucketColumn...)
	}
	if wr.rows.copies = h.Copies; h.Copies {
		wr.text = append(wr.text, "\t"+sourceColumn+"\t"+copiedColumn...)
	}
	wr.text = append(wr.text, '\n')
	return wr, wr.Flush()
}

// compactJSON returns the JSON value on one line, which must fit into a comment.
func compactJSON(value json.RawMessage) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return "", err
	}
	if b.Len() > MaxRow-len(markCommandLine) {
		return "", fmt.Errorf("%d bytes of JSON, at most %d fit into a recording", b.Len(), MaxRow-len(markCommandLine))
	}
	return b.String(), nil
}

// comment adds a comment line; text has no line breaks.
func (w *Writer) comment(mark, text string) {
	w.text = append(w.text, mark...)
	w.text = append(w.text, text...)
	w.text = append(w.text, '\n')
}

// SetEnd sets the end comment, as JSON. It may be called until Close.
func (w *Writer) SetEnd(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write recording: end: %w", err)
	}
	line, err := compactJSON(b)
	if err != nil {
		return fmt.Errorf("write recording: end: %w", err)
	}
	w.end = json.RawMessage(line)
	return nil
}

// Write adds operations. They reach the underlying writer when a frame is full, or with the next Flush.
func (w *Writer) Write(ops []op.Op) error {
	if w.err != nil {
		return w.err
	}
	for i := range ops {
		w.text = w.rows.append(w.text, &ops[i])
		w.held.add(1, ops[i].End)
		switch {
		case w.begun+len(w.text) >= frameText:
			_ = w.Flush()
		case len(w.text) >= pieceText:
			w.compress(w.enc.Flush)
		}
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// compress adds the text to the frame, and ends its block with Flush of the encoder, or the frame with Close.
func (w *Writer) compress(end func() error) {
	if w.begun == 0 {
		w.frame.Reset()
		w.enc.Reset(&w.frame)
	}
	w.begun += len(w.text)
	_, err := w.enc.Write(w.text)
	w.text = w.text[:0]
	if err == nil {
		err = end()
	}
	w.note(err)
}

// note keeps the first failure.
func (w *Writer) note(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write recording: %w", err)
	}
}

// Flush ends the frame: the underlying writer then holds a file that decodes completely.
func (w *Writer) Flush() error {
	if w.err != nil || w.begun+len(w.text) == 0 {
		return w.err
	}
	if w.compress(w.enc.Close); w.err != nil {
		return w.err
	}
	w.begun = 0
	if _, err := w.dst.Write(w.frame.Bytes()); err != nil {
		w.note(err)
		return w.err
	}
	w.written.add(w.held.ops, w.held.last)
	w.held = extent{}
	return nil
}

// Close writes the last comments. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err != nil {
		if errors.Is(w.err, errWriterClosed) {
			return nil
		}
		return w.err
	}
	for _, line := range strings.FieldsFunc(w.commandLine, func(r rune) bool { return r == '\n' || r == '\r' }) {
		w.comment(markCommandLine, line[:min(len(line), MaxRow-len(markCommandLine))])
	}
	w.comment(markEnd, string(w.end))
	if err := w.Flush(); err != nil {
		return err
	}
	w.err = errWriterClosed
	return nil
}

// prepared precedes the kind of operations of the preparation in a recording. MinIO warp knows no phases; it takes such
// operations for a kind of their own, and does not count them with measured ones.
const prepared = "PREPARE_"

// rowWriter writes operations as rows of a recording.
type rowWriter struct {
	rows    uint64 // written so far
	buckets bool   // they have the column
	copies  bool   // they have the columns about copies
	stamps  struct{ start, firstByte, sent, end, due stamper }
}

// oneLine makes one line of a text.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// append appends o to b as one row. It allocates only if b has no room.
func (r *rowWriter) append(b []byte, o *op.Op) []byte {
	if o.Kind.IsComposite() {
		one := *o
		one.Key, one.Err = oneLine.Replace(o.Key), oneLine.Replace(o.Err)
		b, o = append(b, markWhole...), &one
	}
	b = strconv.AppendUint(b, r.rows, 10)
	b = strconv.AppendUint(append(b, '\t'), uint64(o.Thread), 10)
	b = appendKind(append(b, '\t'), o)
	b = appendText(append(b, '\t'), o.Client)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Objects), 10)
	b = strconv.AppendInt(append(b, '\t'), o.Bytes, 10)
	b = appendText(append(b, '\t'), o.Endpoint)
	b = appendText(append(b, '\t'), o.Key)
	b = appendText(append(b, '\t'), o.Err)
	b = r.stamps.start.append(append(b, '\t'), o.Start)
	b = appendKnown(append(b, '\t'), &r.stamps.firstByte, o.FirstByte)
	b = appendKnown(append(b, '\t'), &r.stamps.sent, o.Sent)
	b = r.stamps.end.append(append(b, '\t'), o.End)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Service()), 10)
	b = strconv.AppendUint(append(b, '\t'), uint64(o.Cat), 10)
	b = appendKnown(append(b, '\t'), &r.stamps.due, o.Due)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Status), 10)
	b = strconv.AppendInt(append(b, '\t'), int64(o.Retries), 10)
	b = appendText(append(b, '\t'), o.Phase)
	b = appendOwn(b, o)
	if r.buckets {
		b = appendText(append(b, '\t'), o.Bucket)
	}
	if r.copies {
		b = appendText(append(b, '\t'), o.Source)
		b = strconv.AppendInt(append(b, '\t'), o.Copied, 10)
	}
	r.rows++
	return append(b, '\n')
}

// appendOwn appends the columns about the client's own part of o. They are mostly empty, which costs next to nothing.
func appendOwn(b []byte, o *op.Op) []byte {
	b = append(b, '\t')
	if o.OwnLate > 0 {
		b = strconv.AppendInt(b, int64(o.OwnLate), 10)
	}
	b = append(b, '\t')
	if unread, known := o.Unread(); known {
		b = strconv.AppendInt(b, int64(unread), 10)
	}
	b = append(b, '\t')
	if o.Resent > 0 {
		b = strconv.AppendInt(b, int64(o.Resent), 10)
	}
	return b
}

// appendKind appends the kind of o.
func appendKind(b []byte, o *op.Op) []byte {
	kind := string(o.Kind)
	switch {
	case o.Phase != op.PhasePrepare:
		return appendText(b, kind)
	case needsQuotes(kind):
		return appendText(b, prepared+kind)
	}
	return appendText(append(b, prepared...), kind)
}

// appendKnown appends t, or nothing if it is zero.
func appendKnown(b []byte, s *stamper, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	return s.append(b, t)
}

// appendText appends s, quoted if necessary, and truncated to maxText.
func appendText(b []byte, s string) []byte {
	if len(s) > maxText {
		s = s[:maxText-3] + "..."
	}
	if !needsQuotes(s) {
		return append(b, s...)
	}
	b = append(b, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		b = append(b, s[:i+1]...)
		b = append(b, '"')
		s = s[i+1:]
	}
	b = append(b, s...)
	return append(b, '"')
}

// needsQuotes reports whether s must be quoted to be read back unchanged.
func needsQuotes(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		for i+8 <= len(s) && !anyBelow(eightBytes(s[i:]), '"'+1) {
			i += 8
		}
		if i < len(s) && s[i] <= '"' && (s[i] == '\t' || s[i] == '"' || s[i] == '\r' || s[i] == '\n') {
			return true
		}
	}
	if s[0] < utf8.RuneSelf {
		return s[0] == ' ' || s[0] == '\v' || s[0] == '\f'
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(first)
}
