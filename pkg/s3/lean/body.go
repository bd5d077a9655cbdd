package lean

import (
	"bytes"
	"io"
)

// source is what a body is read from.
type source interface {
	// buffered returns the bytes that were read and not consumed yet.
	buffered() []byte
	// consume drops the first n of them.
	consume(n int)
	// fill reads at least one more byte into the buffer, which must have space: len(buffered()) is less than its size.
	fill() error
	// readBody reads at most limit bytes past the buffer, which must be empty. The result is valid until the next call.
	readBody(limit int64) ([]byte, error)
	// discard discards at most limit bytes and at least one; the buffer must be empty.
	discard(limit int64) (int64, error)
}

// bodyKind says how the end of a body is found.
type bodyKind uint8

const (
	bodyNone    bodyKind = iota // there is no body
	bodyLength                  // by its length
	bodyChunked                 // by its last chunk
	bodyClose                   // by the end of the connection
)

const (
	maxChunkLine = 4 << 10 // of the line before a chunk: its size and extensions
	maxTrailer   = 8 << 10 // of all lines after the last chunk
	unlimited    = 1 << 60
)

// body reads the body of a response piece by piece.
type body struct {
	src     source
	kind    bodyKind
	left    int64 // of the body, or of the present chunk
	started bool  // a chunk was begun; a line end follows it
	done    bool
}

// begin prepares for the body that follows h in the response to a request of this method.
func (b *body) begin(src source, h *responseHeader, method string) {
	*b = body{src: src, left: h.length}
	switch {
	case method == "HEAD", h.status == 204, h.status == 304, h.status/100 == 1:
		b.done = true
	case h.chunked:
		b.kind, b.left = bodyChunked, 0
	case h.length == unknown:
		b.kind, b.left = bodyClose, unlimited
	default:
		b.kind, b.done = bodyLength, h.length == 0
	}
}

// next returns the next piece of the body, valid until the next call. At its end the error is io.EOF.
func (b *body) next() ([]byte, error) {
	if err := b.ensure(); err != nil {
		return nil, err
	}
	p := b.src.buffered()
	if len(p) == 0 && b.kind != bodyChunked {
		var err error
		if p, err = b.src.readBody(b.left); err != nil {
			return nil, b.endError(err)
		}
		b.advance(len(p))
		return p, nil
	}
	if len(p) == 0 {
		if err := b.src.fill(); err != nil {
			return nil, b.endError(err)
		}
		p = b.src.buffered()
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	b.src.consume(len(p))
	b.advance(len(p))
	return p, nil
}

// discard discards the rest of the body and returns how long it was.
func (b *body) discard() (int64, error) {
	var n int64
	for {
		if err := b.ensure(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		if held := min(int64(len(b.src.buffered())), b.left); held > 0 {
			b.src.consume(int(held))
			b.advance(int(held))
			n += held
			continue
		}
		if b.kind == bodyChunked && b.left < int64(maxChunkLine) { // cheaper to read it together with what follows
			if err := b.src.fill(); err != nil {
				return n, b.endError(err)
			}
			continue
		}
		gone, err := b.src.discard(b.left)
		n += gone
		b.advance(int(gone))
		if err = b.endError(err); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

// ensure starts the next chunk if the present one is used up. It returns io.EOF at the end of the body.
func (b *body) ensure() error {
	if b.done {
		return io.EOF
	}
	if b.kind != bodyChunked || b.left > 0 {
		return nil
	}
	if err := b.nextChunk(); err != nil {
		return err
	}
	if b.done {
		return io.EOF
	}
	return nil
}

func (b *body) advance(n int) {
	b.left -= int64(n)
	if b.kind == bodyLength && b.left == 0 {
		b.done = true
	}
}

// endError converts an error of reading: only a body without a length may end with the connection.
func (b *body) endError(err error) error {
	if err == nil || err != io.EOF {
		return err
	}
	if b.kind == bodyClose {
		b.done = true
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

// nextChunk reads what stands between chunks. After the last one it skips the trailers.
func (b *body) nextChunk() error {
	if b.started {
		line, err := b.readLine(len("\r\n"))
		if err != nil {
			return err
		}
		if len(line) > 0 {
			return malformed("chunk end", line)
		}
	}
	line, err := b.readLine(maxChunkLine)
	if err != nil {
		return err
	}
	size, _, _ := bytes.Cut(line, []byte(";"))
	n, ok := parseDigits(trim(size), 16)
	if !ok {
		return malformed("chunk size", line)
	}
	b.left, b.started = n, true
	if n > 0 {
		return nil
	}
	for limit := maxTrailer; limit > 0; limit -= len(line) + len("\r\n") {
		if line, err = b.readLine(limit); err != nil {
			return err
		}
		if len(line) == 0 {
			b.done = true
			return nil
		}
	}
	return malformed("trailer", line)
}

// readLine reads a line of at most limit bytes, valid until the next call.
func (b *body) readLine(limit int) ([]byte, error) {
	for seen := 0; ; {
		p := b.src.buffered()
		if i := bytes.IndexByte(p[seen:], '\n'); i >= 0 {
			end := seen + i + 1
			if end > limit {
				return nil, malformed("chunk line", p)
			}
			if end < 2 || p[end-2] != '\r' { // a bare line feed ends no line here (RFC 9112, 7.1)
				return nil, malformed("chunk line", p[:end])
			}
			line, _ := cutLine(p[:end])
			b.src.consume(end)
			return line, nil
		}
		if seen = len(p); seen >= limit {
			return nil, malformed("chunk line", p)
		}
		if err := b.src.fill(); err != nil {
			return nil, b.endError(err)
		}
	}
}
