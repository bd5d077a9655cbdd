package responder

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"
)

// chunk is how much of a body is moved at once; zeros are the contents of objects whose contents are not kept.
const chunk = 64 << 10

var (
	zeros   [chunk]byte
	buffers = sync.Pool{New: func() any { return new([chunk]byte) }}

	etag   = []string{`"0123456789abcdef0123456789abcdef-1"`}
	octets = []string{"application/octet-stream"}
	when   = []string{"Mon, 02 Jan 2006 15:04:05 GMT"} // of objects that are not kept
)

// zeroReader reads zero bytes.
type zeroReader struct{ left int64 }

func (z *zeroReader) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), z.left)], zeros[:])
	z.left -= int64(n)
	return n, nil
}

// WriteTo spares the copy into a buffer.
func (z *zeroReader) WriteTo(w io.Writer) (total int64, err error) {
	for z.left > 0 {
		n, err := w.Write(zeros[:min(chunk, z.left)])
		total += int64(n)
		z.left -= int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// Reader reads a range of contents: zero bytes, if they were not kept.
func Reader(content []byte, from, length int64) io.Reader {
	if content != nil {
		return bytes.NewReader(content[from : from+length])
	}
	return &zeroReader{length}
}

// ParseRange reads "bytes=a-b", "bytes=a-" and "bytes=-n" for an object of the given size.
func ParseRange(s string, size int64) (from, length int64, ok bool) {
	s, isBytes := strings.CutPrefix(s, "bytes=")
	a, b, isRange := strings.Cut(s, "-")
	if !isBytes || !isRange {
		return 0, 0, false
	}
	if a == "" {
		n, err := strconv.ParseInt(b, 10, 64)
		n = min(n, size)
		return size - n, n, err == nil && n > 0
	}
	from, err := strconv.ParseInt(a, 10, 64)
	if err != nil || from < 0 || from >= size {
		return 0, 0, false
	}
	to := size - 1
	if b != "" {
		if to, err = strconv.ParseInt(b, 10, 64); err != nil || to < from {
			return 0, 0, false
		}
		to = min(to, size-1)
	}
	return from, to - from + 1, true
}
