package generator

import (
	"errors"
	"fmt"
	"io"
)

// writeBuffer is the size of WriteTo's writes: large enough to make call overhead negligible, small enough to stay in
// the CPU's second-level cache.
const writeBuffer = 64 << 10

// Body reads the contents of one object. It is an io.ReadSeeker, io.ReaderAt and io.WriterTo. One Body serves many
// objects, one after the other, without new memory; only ReadAt may be called by several goroutines at once.
type Body struct {
	data *Data
	i    uint64
	size int64
	pos  int64
	buf  []byte // of WriteTo, allocated by its first call
}

// Body returns a reader of object i, which has the given size in bytes.
func (d *Data) Body(i uint64, size int64) *Body { return &Body{data: d, i: i, size: max(0, size)} }

// Reset makes b read object i from its start.
func (b *Body) Reset(i uint64, size int64) { b.i, b.size, b.pos = i, max(0, size), 0 }

// Size returns the size of the object in bytes.
func (b *Body) Size() int64 { return b.size }

// Read reads from the current position.
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

// ReadAt reads from offset off, independent of the current position.
func (b *Body) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read object data: negative offset %d", off)
	}
	n := min(int64(len(p)), max(0, b.size-off))
	b.data.Fill(p[:n], b.i, off)
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// Seek sets the position of the next Read. As with any io.Seeker, it may lie beyond the end.
func (b *Body) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += b.pos
	case io.SeekEnd:
		offset += b.size
	default:
		return 0, fmt.Errorf("seek in object data: invalid whence %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("seek in object data: position before the start")
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
