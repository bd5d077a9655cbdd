package responder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"warp/internal/clock"
	"warp/pkg/op"
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

// put reads the body, whatever the answer will be, and then answers.
func (x *exchange) put() {
	content, size, err := x.readBody()
	if err != nil {
		return // the client hung up
	}
	if !x.ready() {
		return
	}
	if !x.s.opts.Forget && !x.s.store.put(x.bucket, x.key, size, content) {
		x.fail(http.StatusNotFound, "NoSuchBucket")
		return
	}
	x.w.Header()["Etag"] = etag
	x.s.opts.Versions.put(x.w.Header())
	x.status(http.StatusOK)
}

func (x *exchange) readBody() (content []byte, size int64, err error) {
	buf := buffers.Get().(*[chunk]byte)
	defer buffers.Put(buf)
	start := clock.Now()
	a := &x.answer
	part := x.part(x.r.ContentLength)
	for {
		n, err := x.r.Body.Read(buf[:part])
		size += int64(n)
		if x.s.opts.Keep && !x.s.opts.Forget {
			content = append(content, buf[:n]...)
		}
		if a.Stall > 0 && x.injection.Stall == 0 && size >= x.r.ContentLength/2 {
			x.stall()
		}
		if a.Bandwidth > 0 && n > 0 {
			x.pace(start, size)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
	}
	if a.Bandwidth > 0 || a.Stall > 0 {
		x.injection.Body = clock.Now().Sub(start)
	}
	return content, size, nil
}

// part is how much of a body is moved at once: with a bandwidth or a stall, so little that it is spread evenly.
func (x *exchange) part(size int64) int64 {
	part := int64(chunk)
	if x.answer.Bandwidth > 0 {
		part = min(part, max(x.answer.Bandwidth/200, 512))
	}
	if x.answer.Stall > 0 {
		part = min(part, max(size/2, 1))
	}
	return part
}

// get answers GET and HEAD.
func (x *exchange) get() {
	if !x.ready() {
		return
	}
	o := object{size: x.s.opts.ObjectSize}
	h := x.w.Header()
	h["Last-Modified"] = when
	if !x.s.opts.Forget {
		var found bool
		if o, found = x.s.store.get(x.bucket, x.key); !found {
			x.fail(http.StatusNotFound, "NoSuchKey")
			return
		}
		h["Last-Modified"] = []string{o.modified.UTC().Format(http.TimeFormat)}
	}
	from, length, status := int64(0), o.size, http.StatusOK
	if asked := x.r.Header.Get("Range"); asked != "" {
		status = http.StatusPartialContent
		var ok bool
		if from, length, ok = parseRange(asked, o.size); !ok {
			x.fail(http.StatusRequestedRangeNotSatisfiable, "InvalidRange")
			return
		}
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, from+length-1, o.size))
	}
	h["Etag"], h["Content-Type"] = etag, octets
	h["Content-Length"] = []string{strconv.FormatInt(length, 10)}
	x.status(status)
	if x.kind == op.Get {
		x.writeBody(o, from, length)
	}
}

func (x *exchange) writeBody(o object, from, length int64) {
	a := &x.answer
	if a.Bandwidth == 0 && a.Stall == 0 {
		_, _ = io.Copy(x.w, o.reader(from, length)) // the client may be gone
		return
	}
	start := clock.Now()
	flush := http.NewResponseController(x.w)
	body, part := o.reader(from, length), x.part(length)
	for sent := int64(0); sent < length; {
		n := min(part, length-sent)
		if a.Bandwidth > 0 {
			x.pace(start, sent+n)
		}
		x.injection.Last = clock.Now()
		if _, err := io.CopyN(x.w, body, n); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
		sent += n
		if a.Stall > 0 && x.injection.Stall == 0 && sent >= length/2 {
			x.stall()
		}
	}
	x.injection.Body = max(0, x.injection.Last.Sub(start))
}

func (o *object) reader(from, length int64) io.Reader {
	if o.content != nil {
		return bytes.NewReader(o.content[from : from+length])
	}
	return &zeroReader{length}
}

// zeroReader reads as so many zero bytes.
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

func (x *exchange) delete() {
	if x.answer.Obey {
		x.deleteObject(x.key, x.r.URL.Query().Get("versionId"))
	}
	if !x.ready() {
		return
	}
	x.deleteObject(x.key, x.r.URL.Query().Get("versionId"))
	x.status(http.StatusNoContent)
}

// tags keeps the tags of an object as they come, and gives them back.
func (x *exchange) tags() {
	content, _, err := x.readBody()
	if err != nil || !x.ready() {
		return // the client hung up, or has its answer
	}
	content, found := x.s.store.tags(x.bucket, x.key, x.r.Method == http.MethodPut, content)
	switch {
	case !found:
		x.fail(http.StatusNotFound, "NoSuchKey")
	case x.r.Method == http.MethodPut:
		x.status(http.StatusOK)
	default:
		x.injection.Status = http.StatusOK
		x.w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = x.w.Write(content) // the client may be gone
	}
}

// parseRange reads "bytes=a-b", "bytes=a-" and "bytes=-n" for an object of the given size.
func parseRange(s string, size int64) (from, length int64, ok bool) {
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
