package lean

import (
	"fmt"
	"io"
	"strconv"
	"time"
)

// Request is one request. Its head is written by its form.
type Request struct {
	Form    *Form
	Key     string      // of the object; empty: the request is about the bucket
	Query   []byte      // escaped by AppendQuery and sorted by name; may be empty
	Offset  int64       // of a ranged form: the first byte
	Length  int64       // of a ranged form: how many bytes
	Payload string      // hash of the body in hex; empty: it is not hashed
	MD5     string      // of a form with MD5
	Body    io.ReaderAt // has at least Size bytes; not used if Size is 0
	Size    int64
}

// readBody reads the part of the body into p of which the first byte is left bytes before its end.
func (q *Request) readBody(p []byte, left int64) error {
	n, err := q.Body.ReadAt(p, q.Size-left)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrBody, err)
}

// headWriter writes heads of requests. The signature needs the parts of the head once more, in another order, so it
// keeps where they stand.
type headWriter struct {
	signer *signer // nil: nothing is signed
	parts  []part  // of the fields of the form
}

// part is where something stands in a head.
type part struct{ from, to int }

// write makes the head of a request into b and gives it back.
func (w *headWriter) write(b []byte, t *Target, q *Request, now time.Time) ([]byte, error) {
	f := q.Form
	if f.signed {
		if err := w.signer.at(now); err != nil {
			return nil, err
		}
	}
	b = append(append(b[:0], f.method...), ' ')
	path := part{from: len(b)}
	b = append(append(b, t.Path...), '/')
	b = AppendPath(b, q.Key)
	path.to = len(b)
	query := part{len(b), len(b)}
	if len(q.Query) > 0 {
		b = append(b, '?')
		query.from = len(b)
		b = append(b, q.Query...)
		query.to = len(b)
	}
	b = append(b, " HTTP/1.1\r\n"...)
	w.parts = w.parts[:0]
	for i := range f.fields {
		b = w.field(b, &f.fields[i], t, q)
	}
	b = append(b, f.tail...)
	if f.body {
		b = strconv.AppendInt(append(b, "Content-Length: "...), q.Size, 10)
		b = append(b, "\r\n"...)
	}
	if q.asks() {
		b = append(b, "Expect: 100-continue\r\n"...)
	}
	if f.signed {
		var err error
		if b, err = w.sign(b, path, query, q); err != nil {
			return nil, err
		}
	}
	return append(b, "\r\n"...), nil
}

// field writes one header that is signed.
func (w *headWriter) field(b []byte, fd *field, t *Target, q *Request) []byte {
	b = append(b, fd.line...)
	if fd.slot == slotFixed {
		w.parts = append(w.parts, part{})
		return b
	}
	from := len(b)
	switch fd.slot {
	case slotHost:
		b = append(b, t.Host...)
	case slotDate:
		b = append(b, w.signer.date...)
	case slotPayload:
		b = append(b, q.payload()...)
	case slotMD5:
		b = append(b, q.MD5...)
	case slotRange:
		b = strconv.AppendInt(append(b, "bytes="...), q.Offset, 10)
		b = strconv.AppendInt(append(b, '-'), q.Offset+q.Length-1, 10)
	}
	w.parts = append(w.parts, part{from, len(b)})
	return append(b, "\r\n"...)
}

// asks tells whether the server is asked before the body is sent.
func (q *Request) asks() bool { return q.Form.expect && q.Size > 0 }

func (q *Request) payload() string {
	if q.Payload == "" {
		return Unsigned
	}
	return q.Payload
}

// sign appends the Authorization header to the head in b.
func (w *headWriter) sign(b []byte, path, query part, q *Request) ([]byte, error) {
	f, s := q.Form, w.signer
	t := append(append(s.text[:0], f.method...), '\n')
	t = append(append(t, b[path.from:path.to]...), '\n')
	t = append(append(t, b[query.from:query.to]...), '\n')
	for i := range f.fields {
		fd, p := &f.fields[i], w.parts[i]
		t = append(append(t, fd.lower...), ':')
		if fd.slot == slotFixed {
			t = append(t, fd.value...)
		} else {
			t = append(t, b[p.from:p.to]...)
		}
		t = append(t, '\n')
	}
	t = append(append(append(t, '\n'), f.names...), '\n')
	s.text = append(t, q.payload()...)

	b = append(append(b, "Authorization: "+algorithm+" Credential="...), s.keys.Access...)
	b = append(append(b, '/'), s.scope...)
	b = append(append(b, ", SignedHeaders="...), f.names...)
	b, err := s.appendSignature(append(b, ", Signature="...))
	if err != nil {
		return nil, err
	}
	return append(b, "\r\n"...), nil
}
