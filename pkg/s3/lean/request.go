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
	signer signer  // nil: nothing is signed
	tail   string  // unsigned headers of all requests, each with its line end
	forms  []*form // of requests so far
	places places
}

// places are the positions in a request of what signatures need.
type places struct {
	path, query part
	fields      []part // values of the fields of the form
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
	from := len(b)
	if b = append(b, q.Path...); q.Path == nil {
		b = append(append(b, cmp.Or(q.Bucket, t.Path)...), '/')
		b = q.AppendKey(b)
	}
	at := &w.places
	at.path, at.query = part{from, len(b)}, part{len(b), len(b)}
	if len(q.Query) > 0 || q.Suffix != "" {
		b = append(b, '?')
		at.query.from = len(b)
		b = q.AppendQuery(b)
		at.query.to = len(b)
	}
	b = append(b, " HTTP/1.1\r\n"...)
	at.fields = at.fields[:0]
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
		if b, err = w.signer.sign(b, f, at, q); err != nil {
			return nil, err
		}
	}
	return append(b, "\r\n"...), nil
}

// field appends one header field of the form.
func (w *requestWriter) field(b []byte, fd *field, t *Target, q *exchange.Request) ([]byte, error) {
	b = append(b, fd.line...)
	if fd.slot == slotFixed {
		w.places.fields = append(w.places.fields, part{})
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
		b = append(b, w.signer.date()...)
	case slotPayload:
		b = append(b, q.PayloadHash()...)
	case slotToken:
		_, token := w.signer.token()
		b = append(b, token...)
	case slotRange:
		b = strconv.AppendInt(append(b, "bytes="...), q.Offset, 10)
		b = strconv.AppendInt(append(b, '-'), q.Offset+q.Length-1, 10)
	}
	w.places.fields = append(w.places.fields, part{from, len(b)})
	return append(b, "\r\n"...), nil
}
