package formats

import (
	"bytes"
	"fmt"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// failed reports whether the operation had no effect.
func (e *event) failed() bool { return e.Status >= 300 && e.Status != 304 }

// setRequest sets kind, bucket, key and parameters from the first line of a request, "GET /bucket/key HTTP/1.1". It returns false if the
// request is not one of Kinds.
func (e *event) setRequest(line []byte, out *events) bool {
	method, path := cutField(line, ' ')
	path, _, _ = bytes.Cut(path, []byte(" HTTP/"))
	bucket, key, query := out.pathOf(path)
	var ok bool
	if len(e.Bucket) == 0 && isService(bucket, key) {
		return false
	}
	if e.Kind, ok = methodKind(string(method), key, query); !ok {
		return false
	}
	if e.Key = key; e.Kind == op.List {
		e.Key = nil
	}
	e.setQuery(query, out)
	if len(e.Bucket) == 0 {
		e.Bucket = bucket
	}
	return true
}

// setMoved sets the size and the range from the size in the log, or from the bytes received and sent. Each may be Unknown.
func (e *event) setMoved(size, received, sent int64) {
	switch {
	case e.Kind == op.List:
	case e.Kind == op.Put, e.Kind == op.PutPart:
		if e.Size = received; received <= 0 && size > 0 {
			e.Size = size
		}
	case e.Kind == op.Get && e.failed():
	case e.Kind == op.Get && e.Status == 206:
		e.Size, e.Offset, e.Length = trace.Unknown, trace.Unknown, max(0, sent)
		if size > e.Length {
			e.Size = size
		}
	case e.Kind == op.Get && size > 0:
		e.Size = size
	case e.Kind == op.Get:
		e.Size = sent
	case size > 0:
		e.Size = size
	}
}

// setTime sets the start from a date and a time.
func (e *event) setTime(stamp []byte) (err error) {
	var ok bool
	if e.Start, ok = isoTime(stamp); !ok {
		return fmt.Errorf("%w %q", errTime, stamp)
	}
	return nil
}

// setRange sets the range from a Range header, "bytes=0-99".
func (e *event) setRange(b []byte) {
	b, ok := bytes.CutPrefix(b, []byte("bytes="))
	if !ok || bytes.IndexByte(b, ',') >= 0 {
		return
	}
	first, last := cutField(b, '-')
	from, hasFirst := number(first)
	to, hasLast := number(last)
	switch {
	case hasFirst && hasLast && to >= from:
		e.Offset, e.Length = from, to-from+1
	case hasFirst && len(last) == 0:
		if e.Offset = from; e.Size > from {
			e.Length = e.Size - from
		}
	case hasLast && len(first) == 0:
		e.Offset, e.Length = trace.Unknown, to
	}
}

// setContentRange sets range and size from a Content-Range header, "bytes 0-99/1000".
func (e *event) setContentRange(b []byte) {
	b = bytes.TrimPrefix(b, []byte("bytes "))
	span, total := cutField(b, '/')
	first, last := cutField(span, '-')
	from, ok1 := number(first)
	to, ok2 := number(last)
	if !ok1 || !ok2 || to < from {
		return
	}
	e.Offset, e.Length = from, to-from+1
	if size, ok := number(total); ok {
		e.Size = size
	}
}
