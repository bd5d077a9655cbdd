package lean

import (
	"cmp"
	"strconv"
	"time"

	"warp/pkg/s3/exchange"
)

// requestWriter writes request lines and headers. The signature needs parts of them again, in another order, so it keeps
// their positions.
type requestWriter struct {
	signer *signer // nil: nothing is signed
	tail   string  // unsigned headers of all requests, each with its line end
	forms  []*form // of requests so far
	parts  []part  // of the fields of the form
}

// part is the position of something in a request.
type part struct{ from, to int }

// write writes the request line and the header into b and returns it.
func (w *requestWriter) write(b []byte, t *Target, q *exchange.Request, now time.Time) ([]byte, error) {
	if w.signer != nil {
		if err := w.signer.at(now, t.region, q.Keys); err != nil {
			return nil, err
		}
	}
	f, err := w.form(q)
	if err != nil {
		return nil, err
	}
	b = append(append(b[:0], f.method...), ' ')
	path := part{from: len(b)}
	b = append(append(b, cmp.Or(q.Bucket, t.Path)...), '/')
	b = exchange.AppendPath(b, q.Key)
	path.to = len(b)
	query := part{len(b), len(b)}
	if len(q.Query) > 0 {
		b = append(b, '?')
		query.from = len(b)
		b = exchange.AppendParams(b, q.Query)
		query.to = len(b)
	}
	b = append(b, " HTTP/1.1\r\n"...)
	w.parts = w.parts[:0]
	for i := range f.fields {
		if b, err = w.field(b, &f.fields[i], t, q); err != nil {
			return nil, err
		}
	}
	b = append(b, w.tail...)
	if q.HasBody() {
		b = strconv.AppendInt(append(b, "Content-Length: "...), q.Size, 10)
		b = append(b, "\r\n"...)
	}
	if q.WaitsForContinue() {
		b = append(b, "Expect: 100-continue\r\n"...)
	}
	if f.signed {
		if b, err = w.sign(b, f, path, query, q); err != nil {
			return nil, err
		}
	}
	return append(b, "\r\n"...), nil
}

// field appends one header field of the form.
func (w *requestWriter) field(b []byte, fd *field, t *Target, q *exchange.Request) ([]byte, error) {
	b = append(b, fd.line...)
	if fd.slot == slotFixed {
		w.parts = append(w.parts, part{})
		return b, nil
	}
	from := len(b)
	switch fd.slot {
	case slotGiven:
		value, err := q.Headers[fd.given].Sent()
		if err != nil {
			return nil, err
		}
		b = append(b, value...)
	case slotHost:
		b = append(b, t.Host...)
	case slotDate:
		b = append(b, w.signer.date...)
	case slotPayload:
		b = append(b, q.PayloadHash()...)
	case slotToken:
		b = append(b, w.signer.keys.Token...)
	case slotRange:
		b = strconv.AppendInt(append(b, "bytes="...), q.Offset, 10)
		b = strconv.AppendInt(append(b, '-'), q.Offset+q.Length-1, 10)
	}
	w.parts = append(w.parts, part{from, len(b)})
	return append(b, "\r\n"...), nil
}

// sign appends the Authorization header to b.
func (w *requestWriter) sign(b []byte, f *form, path, query part, q *exchange.Request) ([]byte, error) {
	s := w.signer
	t := append(append(s.text[:0], f.method...), '\n')
	t = append(append(t, b[path.from:path.to]...), '\n')
	t = append(append(t, b[query.from:query.to]...), '\n')
	for i := range f.fields {
		fd, p := &f.fields[i], w.parts[i]
		t = append(append(t, fd.lower...), ':')
		if fd.slot == slotFixed {
			t = append(t, fd.value...)
		} else {
			t = exchange.AppendCanonical(t, b[p.from:p.to])
		}
		t = append(t, '\n')
	}
	t = append(append(append(t, '\n'), f.names...), '\n')
	s.text = append(t, q.PayloadHash()...)

	b = append(append(b, "Authorization: "+algorithm+" Credential="...), s.keys.Access...)
	b = append(append(b, '/'), s.scope...)
	b = append(append(b, ", SignedHeaders="...), f.names...)
	b, err := s.appendSignature(append(b, ", Signature="...))
	if err != nil {
		return nil, err
	}
	if q.Chunks != nil && q.Chunks.Signed {
		q.Chunks.Sign(s, b[len(b)-exchange.SignatureLength:])
	}
	return append(b, "\r\n"...), nil
}
