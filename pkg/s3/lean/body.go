package lean

import (
	"bytes"
	"io"
)

// source is where a body reader gets its bytes from.
type source interface {
	// buffered are the bytes that were read and not used yet.
	buffered() []byte
	// use drops the first n of them.
	use(n int)
	// fill reads at least one more byte into the buffer, of which len(buffered()) must be less than its size.
	fill() error
	// direct reads at most limit bytes past the buffer, which must be empty. The result is valid until the next call.
	direct(limit int64) ([]byte, error)
	// discard throws at most limit bytes away, but at least one; the buffer must be empty.
	discard(limit int64) (int64, error)
}

// bodyKind is how the end of a body is found.
type bodyKind uint8

const (
	bodyNone    bodyKind = iota // there is none
	bodyLength                  // by its length
	bodyChunked                 // by its last chunk
	bodyClose                   // by the end of the connection
)

const (
	maxChunkLine = 4 << 10 // of the line before a chunk: its size and what the server adds to it
	maxTrailer   = 8 << 10 // of all lines after the last chunk
	wholeStream  = 1 << 60
)

// body reads the body of an answer piece by piece.
type body struct {
	src     source
	kind    bodyKind
	left    int64 // of the body, or of the present chunk
	started bool  // a chunk was begun, so that a line end is due after it
	done    bool
}

// begin sets the body up that follows h in answer to a request of this method.
func (b *body) begin(src source, h *head, method string) {
	*b = body{src: src, left: h.length}
	switch {
	case method == "HEAD", h.status == 204, h.status == 304, h.status/100 == 1:
		b.done = true
	case h.chunked:
		b.kind, b.left = bodyChunked, 0
	case h.length == unknown:
		b.kind, b.left = bodyClose, wholeStream
	default:
		b.kind, b.done = bodyLength, h.length == 0
	}
}

// next gives the next piece of the body, valid until the next call. At its end the error is io.EOF.
func (b *body) next() ([]byte, error) {
	if err := b.more(); err != nil {
		return nil, err
	}
	p := b.src.buffered()
	if len(p) == 0 && b.kind != bodyChunked {
		var err error
		if p, err = b.src.direct(b.left); err != nil {
			return nil, b.cut(err)
		}
		b.took(len(p))
		return p, nil
	}
	if len(p) == 0 {
		if err := b.src.fill(); err != nil {
			return nil, b.cut(err)
		}
		p = b.src.buffered()
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	b.src.use(len(p))
	b.took(len(p))
	return p, nil
}

// drop throws the rest of the body away and tells how long it was.
func (b *body) drop() (int64, error) {
	var n int64
	for {
		if err := b.more(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
		if held := min(int64(len(b.src.buffered())), b.left); held > 0 {
			b.src.use(int(held))
			b.took(int(held))
			n += held
			continue
		}
		if b.kind == bodyChunked && b.left < int64(maxChunkLine) { // it is cheaper to read its end along with it
			if err := b.src.fill(); err != nil {
				return n, b.cut(err)
			}
			continue
		}
		gone, err := b.src.discard(b.left)
		n += gone
		b.took(int(gone))
		if err = b.cut(err); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

// more makes sure that there is more of the body, and of the present chunk. It is io.EOF if there is not.
func (b *body) more() error {
	if b.done {
		return io.EOF
	}
	if b.kind != bodyChunked || b.left > 0 {
		return nil
	}
	if err := b.chunk(); err != nil {
		return err
	}
	if b.done {
		return io.EOF
	}
	return nil
}

func (b *body) took(n int) {
	b.left -= int64(n)
	if b.kind == bodyLength && b.left == 0 {
		b.done = true
	}
}

// cut says what it means that reading failed: only a body without a length may end with the connection.
func (b *body) cut(err error) error {
	if err == nil || err != io.EOF {
		return err
	}
	if b.kind == bodyClose {
		b.done = true
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

// chunk reads what stands between chunks. After the last one it reads the trailers, which nobody asked for.
func (b *body) chunk() error {
	if b.started {
		line, err := b.line(len("\r\n"))
		if err != nil {
			return err
		}
		if len(line) > 0 {
			return malformed("chunk end", line)
		}
	}
	line, err := b.line(maxChunkLine)
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
		if line, err = b.line(limit); err != nil {
			return err
		}
		if len(line) == 0 {
			b.done = true
			return nil
		}
	}
	return malformed("trailer", line)
}

// line reads a line of at most limit bytes. It is valid until the next one.
func (b *body) line(limit int) ([]byte, error) {
	for seen := 0; ; {
		p := b.src.buffered()
		if i := bytes.IndexByte(p[seen:], '\n'); i >= 0 {
			end := seen + i + 1
			if end > limit {
				return nil, malformed("chunk line", p)
			}
			line, _ := cutLine(p[:end])
			b.src.use(end)
			return line, nil
		}
		if seen = len(p); seen >= limit {
			return nil, malformed("chunk line", p)
		}
		if err := b.src.fill(); err != nil {
			return nil, b.cut(err)
		}
	}
}
