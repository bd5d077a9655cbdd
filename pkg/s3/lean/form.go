package lean

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warp/pkg/s3/exchange"
)

// slot says where the value of a header comes from.
type slot uint8

const (
	slotFixed slot = iota // the form
	slotGiven             // the request's headers
	slotHost
	slotDate
	slotPayload
	slotToken
	slotRange
)

// field is a header that a form sends, and signs if it signs at all.
type field struct {
	lower string
	line  string // what stands before a value: "Name: "; of a fixed one the whole line with its end
	value string // of a fixed one
	slot  slot
	given int // of a given one: its place among the request's headers
}

// form is what requests of one kind have in common: the method and the names of headers, and all of their signatures that
// follows from these.
type form struct {
	method string
	common *[]exchange.Header
	given  []string // names of the request's own headers
	signed bool
	token  string // header of the token of temporary keys; empty: there is none
	ranged bool

	fields []field   // sorted by name
	names  string    // of AWS4 and GOOG4: host;x-amz-date;...
	shared sharedKey // of SharedKey
}

// maxForms is how many forms a client keeps. Workloads have a few.
const maxForms = 64

// form returns the form of a request.
func (w *requestWriter) form(q *exchange.Request) (*form, error) {
	signed := w.signer != nil && !q.Unsigned
	token := ""
	if signed {
		token, _ = w.signer.token()
	}
	for _, f := range w.forms {
		if f.fits(q) && f.signed == signed && f.token == token {
			return f, nil
		}
	}
	f := &form{method: q.Method, common: q.Common, signed: signed, token: token, ranged: q.Length > 0}
	if err := f.fill(q, w.signer); err != nil {
		return nil, err
	}
	if len(w.forms) < maxForms {
		w.forms = append(w.forms, f)
	}
	return f, nil
}

// fits reports whether a request has the form's method and headers.
func (f *form) fits(q *exchange.Request) bool {
	if f.method != q.Method || f.common != q.Common || f.ranged != (q.Length > 0) || len(f.given) != len(q.Headers) {
		return false
	}
	for i := range f.given {
		if f.given[i] != q.Headers[i].Name {
			return false
		}
	}
	return true
}

// fill makes the fields.
func (f *form) fill(q *exchange.Request, s signer) error {
	f.dynamic("Host", slotHost)
	if f.signed {
		s.begin(f)
	}
	if f.ranged {
		f.dynamic("Range", slotRange)
	}
	for i, h := range q.Headers {
		if err := h.Check(); err != nil {
			return err
		}
		f.given = append(f.given, h.Name)
		f.dynamic(h.Name, slotGiven)
		f.fields[len(f.fields)-1].given = i
	}
	if q.Common != nil {
		for _, h := range *q.Common {
			if err := f.fixed(h); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(f.fields, func(a, b field) int { return cmp.Compare(a.lower, b.lower) })
	for i, fd := range f.fields {
		if i > 0 && f.fields[i-1].lower == fd.lower {
			return fmt.Errorf("header %q is given twice, or is one that warp sets itself", fd.lower)
		}
	}
	if f.signed {
		s.complete(f)
	}
	return nil
}

func (f *form) dynamic(name string, s slot) {
	f.fields = append(f.fields, field{lower: strings.ToLower(name), line: name + ": ", slot: s})
}

// fixed adds a header whose value is always the same, unless the request has one of that name.
func (f *form) fixed(h exchange.Header) error {
	if err := h.Check(); err != nil {
		return err
	}
	for _, name := range f.given {
		if strings.EqualFold(name, h.Name) {
			return nil
		}
	}
	value, err := h.Sent()
	canonical := string(exchange.AppendCanonical(nil, value))
	f.fields = append(f.fields, field{lower: strings.ToLower(h.Name), line: h.Name + ": " + value + "\r\n", value: canonical})
	return err
}
