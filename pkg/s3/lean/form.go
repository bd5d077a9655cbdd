package lean

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Header is a header of a request.
type Header struct{ Name, Value string }

// slot says where the value of a header comes from.
type slot uint8

const (
	slotFixed slot = iota // the form
	slotHost
	slotDate
	slotPayload
	slotRange
	slotMD5
)

// field is a header that a form sends, and signs if it signs at all.
type field struct {
	lower string
	line  string // what stands before a value: "Name: "; of a fixed one the whole line with its end
	value string // of a fixed one
	slot  slot
}

// Form is the shape of requests of one kind: method, and which headers they have. Everything about a signature that
// does not change from one request to the next is in it. It is safe for concurrent use.
type Form struct {
	method string
	signed bool
	ranged bool
	body   bool
	expect bool    // the server is asked before a body is sent
	fields []field // sorted by name, as the signature wants them
	names  string  // host;x-amz-date;...
	tail   string  // unsigned headers that are always the same, each with its line end
}

// FormOptions say what a form is like.
type FormOptions struct {
	Method  string
	Keys    *Keys    // nil: requests are not signed
	Range   bool     // for a part of an object
	Body    bool     // a body follows, or an empty one
	MD5     bool     // with the MD5 of the body
	Close   bool     // the connection is not kept
	Expect  bool     // ask the server before sending a body
	Agent   string   // name of the program
	Headers []Header // to be sent and signed
}

// NewForm makes a form. It fails if a header cannot be sent.
func NewForm(o FormOptions) (*Form, error) {
	f := &Form{method: o.Method, signed: o.Keys != nil, ranged: o.Range, body: o.Body, expect: o.Expect}
	f.dynamic("Host", slotHost)
	if f.signed {
		f.dynamic("X-Amz-Date", slotDate)
		f.dynamic("X-Amz-Content-Sha256", slotPayload)
		if o.Keys.Token != "" {
			o.Headers = append(slices.Clone(o.Headers), Header{"X-Amz-Security-Token", o.Keys.Token})
		}
	}
	if o.Range {
		f.dynamic("Range", slotRange)
	}
	if o.MD5 {
		f.dynamic("Content-Md5", slotMD5)
	}
	for _, h := range o.Headers {
		if err := f.fixed(h); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(f.fields, func(a, b field) int { return cmp.Compare(a.lower, b.lower) })
	var names []string
	for i, fd := range f.fields {
		if i > 0 && f.fields[i-1].lower == fd.lower {
			return nil, fmt.Errorf("header %q is given twice, or is one that warp sets itself", fd.lower)
		}
		names = append(names, fd.lower)
	}
	f.names = strings.Join(names, ";")
	f.tail = "User-Agent: " + cmp.Or(o.Agent, "warp") + "\r\n"
	if o.Close {
		f.tail += "Connection: close\r\n"
	}
	return f, nil
}

// Method is the method of the requests.
func (f *Form) Method() string { return f.method }

func (f *Form) dynamic(name string, s slot) {
	f.fields = append(f.fields, field{lower: strings.ToLower(name), line: name + ": ", slot: s})
}

// fixed adds a header whose value is always the same. Blanks in it are folded, as they are for the signature.
func (f *Form) fixed(h Header) error {
	if err := h.Check(); err != nil {
		return err
	}
	value := strings.Join(strings.Fields(h.Value), " ")
	f.fields = append(f.fields, field{lower: strings.ToLower(h.Name), line: h.Name + ": " + value + "\r\n", value: value})
	return nil
}

// managed are headers that belong to the exchange, and so to nobody else.
var managed = []string{
	"host", "authorization", "connection", "content-length", "transfer-encoding", "expect", "user-agent",
	"accept-encoding", "te", "upgrade", "trailer", "keep-alive",
}

// Check tells what is wrong with a header that a person wants to be sent. Its value is not repeated: it may be a secret.
func (h Header) Check() error {
	if h.Name == "" {
		return errors.New("a header has no name; write Name: value")
	}
	for _, c := range []byte(h.Name) {
		if !unreserved[c] {
			return fmt.Errorf("header %q: %q cannot be part of a name", h.Name, c)
		}
	}
	if slices.Contains(managed, strings.ToLower(h.Name)) {
		return fmt.Errorf("header %q is one that warp sets itself", h.Name)
	}
	for _, c := range []byte(h.Value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("header %q: its value holds a control character", h.Name)
		}
	}
	return nil
}
