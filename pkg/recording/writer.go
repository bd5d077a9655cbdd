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

	"github.com/klauspost/compress/zstd"

	"warp/pkg/op"
)

// errWriterClosed is what a Writer answers after Close.
var errWriterClosed = errors.New("write recording: it is closed")

// Writer writes a recording. It is a Sink; see Flush for what is on disk when. Its methods are not for several goroutines at once.
type Writer struct {
	dst         io.Writer
	enc         *zstd.Encoder
	text        []byte // of the frame that is being filled
	frame       []byte // the last one, for its memory
	rows        rowWriter
	commandLine string
	end         json.RawMessage
	err         error  // the first failure; nothing is written after it
	held        extent // of text
	written     extent // of what the underlying writer took
}

// extent is how many operations there are, and the last end of any.
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

// NewWriter begins a recording: it writes the comments and the header line to w. Config, if there is one, must be JSON.
// If it is only the writing that fails, it gives a Writer too, whose methods fail with the same error.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	// Frames are compressed whole, in the goroutine that fills them: the collector's. Concurrency of the encoder
	// would buy latency that nobody waits for, with CPU that the benchmark needs.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(frameText))
	if err != nil {
		return nil, fmt.Errorf("write recording: %w", err)
	}
	wr := &Writer{dst: w, enc: enc, commandLine: h.CommandLine, end: json.RawMessage("{}")}
	wr.text = append(wr.text, markVersion...)
	wr.text = strconv.AppendInt(wr.text, Version, 10)
	wr.text = append(wr.text, '\n')
	if len(h.Config) > 0 {
		config, err := oneLine(h.Config)
		if err != nil {
			return nil, fmt.Errorf("write recording: configuration: %w", err)
		}
		wr.comment(markConfig, config)
	}
	wr.text = append(wr.text, header...)
	wr.text = append(wr.text, '\n')
	return wr, wr.Flush()
}

// oneLine is the JSON value without line breaks, which must fit into a comment.
func oneLine(value json.RawMessage) (string, error) {
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

// SetEnd sets what the recording says about the run's end, as JSON. It counts until Close.
func (w *Writer) SetEnd(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write recording: end: %w", err)
	}
	line, err := oneLine(b)
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
		if len(w.text) >= frameText {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Flush ends the frame: what the underlying writer has then is a file that decodes completely.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.text) == 0 {
		return w.err
	}
	w.frame = w.enc.EncodeAll(w.text, w.frame[:0])
	w.text = w.text[:0]
	if _, err := w.dst.Write(w.frame); err != nil {
		w.err = fmt.Errorf("write recording: %w", err)
		return w.err
	}
	w.written.add(w.held.ops, w.held.last)
	w.held = extent{}
	return nil
}

// Written is how many operations the underlying writer took, and the last end of any of them.
func (w *Writer) Written() (ops int64, last time.Time) { return w.written.ops, w.written.last }

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
