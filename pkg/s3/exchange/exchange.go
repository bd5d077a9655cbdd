// Package exchange is what the engines have in common: a request, its response, and the client that performs one exchange
// after the other. It knows nothing of objects, errors of S3, or retries.
package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// MaxHeader is the longest header of a response in bytes.
	MaxHeader = 16 << 10
	// MaxInterim is how many responses before the final one are too many.
	MaxInterim = 32
	// ContinueTimeout is how long to wait for a server to say whether it wants a body. One that does not say so gets it: it
	// may not know the question (RFC 9110, 10.1.1).
	ContinueTimeout = time.Second
	// Unsigned stands for the hash of a body that is not hashed.
	Unsigned = "UNSIGNED-PAYLOAD"
	// UnknownLength is the length of a body that the head of its response does not state.
	UnknownLength = -1
)

var (
	// ErrBody is the error of a request whose body could not be read in full. It is the caller's fault, not the server's.
	ErrBody = errors.New("the body of the request cannot be read")
	// ErrRequest is the error of a request that cannot be sent by any client.
	ErrRequest = errors.New("the request cannot be sent")
	// ErrInterim is the error of a server that sends MaxInterim interim responses or more.
	ErrInterim = errors.New("malformed HTTP: too many interim responses")
)

// Header is a header of a request.
type Header struct{ Name, Value string }

// Param is a parameter of a query. Neither name nor value is escaped.
type Param struct{ Name, Value string }

// Compare orders parameters by their names.
func (p Param) Compare(o Param) int { return cmp.Compare(p.Name, o.Name) }

// Request is one request to a target, which is a bucket on a host.
type Request struct {
	Method   string
	Bucket   string      // path of another bucket than that of the target, which has one too; empty: that of the target
	Key      string      // of the object; empty: the request is about the bucket
	Segment  bool        // the key is one segment of the path: its slashes are escaped too
	Path     []byte      // escaped, in place of bucket and key; nil: they are the path
	Query    []Param     // sorted by name
	Suffix   string      // of the query, escaped, which no signature covers: it proves itself that the request may be performed
	Common   *[]Header   // headers of many requests, which do not change; nil: none
	Headers  []Header    // headers of this one; they replace common ones of the same name
	Offset   int64       // of a range: its first byte
	Length   int64       // of a range: how many bytes; 0: no range
	Payload  string      // SHA-256 of the body in hex; empty: it is not hashed
	Body     io.ReaderAt // has at least Size bytes; not used if Size is 0
	Size     int64
	Expect   bool    // ask the server before sending the body
	Unsigned bool    // the engine does not sign it
	Keys     *Keys   // that sign it; nil: the keys of the client
	Chunks   *Chunks // Body, if it is one; nil: it is sent as it is
}

// URL returns the URL of the request to a bucket.
func (q *Request) URL(bucket url.URL) *url.URL {
	if q.Bucket != "" {
		bucket.Path, bucket.RawPath = q.Bucket, ""
	}
	if q.Path != nil {
		bucket.RawPath = string(q.Path)
		bucket.Path, _ = url.PathUnescape(bucket.RawPath) // what cannot be unescaped is no path, which the engine reports
	} else {
		bucket.RawPath = string(q.AppendKey([]byte(bucket.EscapedPath() + "/")))
		bucket.Path += "/" + q.Key
	}
	bucket.RawQuery = string(q.AppendQuery(nil))
	return &bucket
}

// AppendKey appends the key as the path has it.
func (q *Request) AppendKey(b []byte) []byte {
	if q.Segment {
		return AppendQuery(b, q.Key)
	}
	return AppendPath(b, q.Key)
}

// AppendQuery appends the query, escaped, without its question mark.
func (q *Request) AppendQuery(b []byte) []byte {
	b = AppendParams(b, q.Query)
	if q.Suffix != "" {
		if len(q.Query) > 0 {
			b = append(b, '&')
		}
		b = append(b, q.Suffix...)
	}
	return b
}

// HasBody reports whether the length of a body is sent, be it 0.
func (q *Request) HasBody() bool {
	switch q.Method {
	case http.MethodPut, http.MethodPost, http.MethodPatch:
		return true
	}
	return q.Size > 0
}

// WaitsForContinue reports whether the server is asked before the body is sent.
func (q *Request) WaitsForContinue() bool { return q.Expect && q.Size > 0 }

// PayloadHash is what the signature says about the body.
func (q *Request) PayloadHash() string {
	switch {
	case q.Chunks != nil:
		return q.Chunks.payloadHash()
	case q.Payload == "":
		return Unsigned
	}
	return q.Payload
}

// ReadBody reads into p the part of the body that begins left bytes before its end.
func (q *Request) ReadBody(p []byte, left int64) error {
	n, err := q.Body.ReadAt(p, q.Size-left)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrBody, err)
}

// Response is the head of a response, and when things happened.
type Response struct {
	Status        int           // 0: there was no response
	Length        int64         // of the body, or UnknownLength
	MaybeSent     bool          // some of the request may have reached the server
	EarlyResponse bool          // it came before the body of the request was sent; the rest was not sent
	Resent        int           // how often it was sent again, over another connection: the server had closed a reused one
	Start         time.Time     // of the exchange
	Sent          time.Time     // last byte of the request was handed to the system; zero: not all of it was
	FirstByte     time.Time     // first byte was read; zero: none was
	Arrived       time.Time     // the kernel had the last byte that was read, once the exchange is finished; zero: unknown
	Connected     bool          // a connection was made for it
	Connect       time.Duration // how long that took: name lookup, TCP, TLS
	HTTP2         uint64        // number of the connection that it was a stream of; 0: it was HTTP/1.1
}

// Client performs one exchange at a time. It is not safe for concurrent use.
type Client interface {
	// Do sends a request and reads the head of its response, whatever its status. If there is no error, Finish must be called
	// once the body was read as far as it matters.
	Do(ctx context.Context, target int, q *Request) error
	// AddTarget adds a target of this client, the root of a host that requests to another one are redirected to, and returns its
	// number. Requests to it are signed for the region.
	AddTarget(root url.URL, region string) (target int, err error)
	// Result is what is known of the present exchange, valid until the next one.
	Result() *Response
	// Header returns the first value of a header of the response, whose name must be in lower case; nil if there is none.
	// It is valid until the body is read.
	Header(lower string) []byte
	// Headers copies all headers of the response, before its body is read.
	Headers() http.Header
	// Next returns the next piece of the body, valid until the next call. Its error is io.EOF at the end of the body, and
	// io.ErrUnexpectedEOF if the connection ended before.
	Next() ([]byte, error)
	// Read reads from the body; see Next.
	Read(p []byte) (int, error)
	// Discard throws the rest of the body away and returns how long it was.
	Discard() (int64, error)
	// Finish ends an exchange.
	Finish()
	// Close closes connections that are the client's own. No exchange may be in progress.
	Close()
}

// managed are headers that belong to the exchange, and cannot be set.
var managed = []string{
	"host", "authorization", "connection", "content-length", "transfer-encoding", "expect", "user-agent",
	"accept-encoding", "te", "upgrade", "trailer", "keep-alive", "range", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token",
	"x-amz-s3session-token", "x-goog-date", "x-goog-content-sha256", "x-ms-date",
}

// Check reports what is wrong with a header that is to be sent. Its value is not repeated: it may be a secret.
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
	_, err := h.Sent()
	return err
}

// Sent is the value as it is sent: as it was given, but for blanks at its ends, which are no part of it (RFC 9110, 5.5).
func (h *Header) Sent() (string, error) {
	for _, c := range []byte(h.Value) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return "", fmt.Errorf("header %q: its value holds a control character", h.Name)
		}
	}
	return strings.Trim(h.Value, " \t"), nil
}

// AppendCanonical appends a value that is sent as it is signed: with one space in place of several blanks.
func AppendCanonical[T string | []byte](b []byte, value T) []byte {
	for i := range len(value) {
		c := value[i]
		if c != ' ' && c != '\t' {
			b = append(b, c)
		} else if i == 0 || value[i-1] != ' ' && value[i-1] != '\t' {
			b = append(b, ' ')
		}
	}
	return b
}
