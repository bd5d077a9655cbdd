package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"warp/internal/unpack"
)

// Ends gives the beginning and the end of a compressed file that must be decompressed from its start, without a look at the rows between.
// That takes half as long as reading some of their columns. Rows must be verified, like the rows of a Section.
type Ends struct {
	r      *Reader
	text   *zstd.Decoder
	length int
}

// errShort means that the text has no two ends of the length that was asked for.
var errShort = errors.New("the text is too short")

// Ends returns what reads the first and the last length bytes of text.
func (r *Reader) Ends(length int) (*Ends, error) {
	f, size := r.file()
	if f == nil {
		return nil, fmt.Errorf("read recording %s: it is not a compressed file", r.name)
	}
	// Nothing is parsed meanwhile, so the other CPUs are free. The pass over all rows checks the checksums.
	text, err := zstd.NewReader(io.NewSectionReader(f, 0, size), zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderConcurrency(2),
		zstd.IgnoreChecksum(true))
	if err != nil {
		return nil, fmt.Errorf("read recording %s: decompress: %w", r.name, err)
	}
	return &Ends{r, text, length}, nil
}

// Close ends reading.
func (e *Ends) Close() { e.text.Close() }

// First returns a Reader of the rows at the beginning. It must be called once, before Last.
func (e *Ends) First() (*Reader, error) {
	head := make([]byte, e.length)
	if _, err := io.ReadFull(e.text, head); err != nil {
		return nil, e.error(err)
	}
	return e.rows(head[:bytes.LastIndexByte(head, '\n')+1]), nil
}

// Last returns a Reader of the rows at the end.
func (e *Ends) Last() (*Reader, error) {
	tail := ring{buf: make([]byte, e.length)}
	n, err := e.text.WriteTo(&tail)
	if err == nil && n < int64(e.length) {
		err = errShort
	}
	if err != nil {
		return nil, e.error(err)
	}
	text := tail.bytes()
	return e.rows(text[bytes.IndexByte(text, '\n')+1:]), nil
}

func (e *Ends) error(err error) error {
	return fmt.Errorf("read both ends of recording %s: %w", e.r.name, err)
}

func (e *Ends) rows(text []byte) *Reader {
	in := unpack.Plain(bytes.NewReader(text))
	return &Reader{name: e.r.name, in: in, lines: newLineReader(in), layout: e.r.layout, keep: e.r.keep, parsers: 1}
}

// ring keeps the last bytes that were written to it.
type ring struct {
	buf []byte
	at  int // the oldest byte
}

func (r *ring) Write(p []byte) (int, error) {
	kept := p[max(0, len(p)-len(r.buf)):]
	n := copy(r.buf[r.at:], kept)
	copy(r.buf, kept[n:])
	r.at = (r.at + len(kept)) % len(r.buf)
	return len(p), nil
}

// bytes returns them in order.
func (r *ring) bytes() []byte { return append(bytes.Clone(r.buf[r.at:]), r.buf[:r.at]...) }
