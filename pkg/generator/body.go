package generator

import (
	"errors"
	"fmt"
	"io"
)

// writeBuffer is how much WriteTo hands over at once: large enough that the calls do not count, small enough that it
// stays in the CPU's second-level cache.
const writeBuffer = 64 << 10

// Body reads the contents of one object. It is an io.ReadSeeker, io.ReaderAt and io.WriterTo. One Body serves many
// objects, one after the other, without new memory; only ReadAt may be called by several goroutines at once.
type Body struct {
	data *Data
	i    uint64
	size int64
	pos  int64
	buf  []byte // of WriteTo, made at its first call
}

// Body reads object i, which is size bytes large.
func (d *Data) Body(i uint64, size int64) *Body { return &Body{data: d, i: i, size: max(0, size)} }

// Reset makes b read object i from its start.
func (b *Body) Reset(i uint64, size int64) { b.i, b.size, b.pos = i, max(0, size), 0 }

// Size is the size of the object in bytes.
func (b *Body) Size() int64 { return b.size }

// Read reads on from the current position.
func (b *Body) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if b.pos >= b.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), b.size-b.pos)]
	b.data.Fill(p, b.i, b.pos)
	b.pos += int64(len(p))
	return len(p), nil
}

// ReadAt reads from offset off, whatever the current position is.
func (b *Body) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read object data at offset %d: it is negative", off)
	}
	n := min(int64(len(p)), max(0, b.size-off))
	b.data.Fill(p[:n], b.i, off)
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// Seek sets the position of the next Read. A position behind the end is allowed, as io.Seeker has it.
func (b *Body) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += b.pos
	case io.SeekEnd:
		offset += b.size
	default:
		return 0, fmt.Errorf("seek in object data: whence %d is none of 0, 1 and 2", whence)
	}
	if offset < 0 {
		return 0, errors.New("seek in object data: the position is before the start")
	}
	b.pos = offset
	return offset, nil
}

// WriteTo writes everything from the current position to w.
func (b *Body) WriteTo(w io.Writer) (int64, error) {
	if b.buf == nil && b.pos < b.size {
		b.buf = make([]byte, writeBuffer)
	}
	var written int64
	for b.pos < b.size {
		p := b.buf[:min(int64(len(b.buf)), b.size-b.pos)]
		b.data.Fill(p, b.i, b.pos)
		n, err := w.Write(p)
		b.pos += int64(n)
		written += int64(n)
		if err != nil {
			return written, err
		}
		if n < len(p) {
			return written, io.ErrShortWrite
		}
	}
	return written, nil
}
