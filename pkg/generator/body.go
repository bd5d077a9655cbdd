package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// writeBuffer is the size of WriteTo's writes: large enough to make call overhead negligible, small enough to stay in
// the CPU's second-level cache.
const writeBuffer = 64 << 10

// Body reads the contents of one object, or of a part of it. It is an io.ReadSeeker, io.ReaderAt and io.WriterTo. One Body serves many
// objects, one after the other, without new memory; only ReadAt may be called by several goroutines at once.
type Body struct {
	data *Data
	i    uint64
	from int64 // where the part begins in the object
	size int64
	pos  int64  // in the part
	buf  []byte // of WriteTo, allocated by its first call
}

// Body returns a reader of object i, which has the given size in bytes.
func (d *Data) Body(i uint64, size int64) *Body { return &Body{data: d, i: i, size: max(0, size)} }

// Reset makes b read object i from its start.
func (b *Body) Reset(i uint64, size int64) { b.ResetPart(i, 0, size) }

// ResetPart makes b read size bytes of object i from offset off.
func (b *Body) ResetPart(i uint64, off, size int64) {
	b.i, b.from, b.size, b.pos = i, off, max(0, size), 0
}

// Size returns the number of bytes that b reads.
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
	b.data.fill(p, b.i, b.from+b.pos)
	b.pos += int64(len(p))
	return len(p), nil
}

// ReadAt reads from offset off, independent of the current position.
func (b *Body) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read object data: negative offset %d", off)
	}
	n := min(int64(len(p)), max(0, b.size-off))
	b.data.fill(p[:n], b.i, b.from+off)
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
	if need := min(writeBuffer, b.size-b.pos); int64(len(b.buf)) < need {
		b.buf = make([]byte, min(writeBuffer, max(need, 2*int64(len(b.buf))))) // a thousand threads with small objects need little
	}
	var written int64
	for b.pos < b.size {
		p := b.buf[:min(int64(len(b.buf)), b.size-b.pos)]
		b.data.fill(p, b.i, b.from+b.pos)
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

// checkBuffer is how much is compared at a time; it stays in the CPU's first-level cache.
const checkBuffer = 16 << 10

// Checker is an io.Writer that compares what is written to it with the contents of an object. It accepts all bytes,
// also after a wrong one, so that a checked download costs the same as any other; call Err at the end. Reset reuses it
// for another object without allocation. It does not know the size of the object: checking that is up to the caller.
type Checker struct {
	data  *Data
	i     uint64
	pos   int64
	wrong int64  // offset of the first wrong byte; -1: all are right
	want  []byte // nil before something is written
}

// Check returns a Checker for object i from offset off (at least 0).
func (d *Data) Check(i uint64, off int64) *Checker {
	c := &Checker{data: d}
	c.Reset(i, off)
	return c
}

// Reset makes c compare with object i from offset off, and forgets earlier results.
func (c *Checker) Reset(i uint64, off int64) { c.i, c.pos, c.wrong = i, off, -1 }

// Write compares the next bytes. It never fails.
func (c *Checker) Write(p []byte) (int, error) {
	taken := len(p)
	if c.want == nil {
		c.want = make([]byte, checkBuffer)
	}
	for len(p) > 0 && c.wrong < 0 {
		got := p[:min(len(p), len(c.want))]
		want := c.want[:len(got)]
		c.data.fill(want, c.i, c.pos)
		if !bytes.Equal(got, want) {
			c.wrong = c.pos + int64(firstDifference(got, want))
		}
		c.pos += int64(len(got))
		p = p[len(got):]
	}
	return taken, nil
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// Wrong returns the offset in the object of the first wrong byte, and whether there is one.
func (c *Checker) Wrong() (off int64, found bool) { return c.wrong, c.wrong >= 0 }

// Err returns nil if all bytes were right, else an error with the position of the first wrong one.
func (c *Checker) Err() error {
	if c.wrong < 0 {
		return nil
	}
	return fmt.Errorf("wrong data: byte %d of the object differs from what was stored", c.wrong)
}
