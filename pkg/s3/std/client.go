// Package std is the engine of net/http and minio-go's signer: HTTP/1.1 and, over TLS, HTTP/2; signatures of versions 2 and 4;
// proxies. It is the second opinion on package lean, which serves by default.
package std

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"warp/pkg/s3/exchange"
)

// readBuffer is how much of a body is read at once. Reads of at least the transport's own buffer go past that buffer.
const readBuffer = 128 << 10

// Target is a bucket on a host. It is safe for concurrent use.
type Target struct {
	URL       url.URL // of the bucket: scheme, host, path without a slash at its end
	Virtual   bool    // the bucket is part of the host's name
	Region    string  // that is signed for
	Transport http.RoundTripper
}

// Options shape a Client.
type Options struct {
	Targets []*Target
	Keys    *atomic.Pointer[exchange.Keys] // that sign; they may be replaced at any time; nil: requests are not signed
	V2      bool                           // sign with version 2

	// RedirectTarget makes the target of a host that is not among Targets; see exchange.Client.AddTarget.
	RedirectTarget func(root url.URL, region string) (*Target, error)
}

// Client performs one exchange at a time. It is not safe for concurrent use.
type Client struct {
	exchange.Response
	opts   Options
	head   http.Header
	trace  *trace        // of the present exchange
	out    *outgoing     // body of the request; nil: none
	body   io.ReadCloser // of the response; nil: there is none
	buffer []byte        // made when first needed
}

// NewClient makes a client. It sends nothing.
func NewClient(o Options) *Client {
	o.Targets = slices.Clip(o.Targets)
	return &Client{opts: o}
}

// AddTarget adds a target.
func (c *Client) AddTarget(root url.URL, region string) (int, error) {
	if c.opts.RedirectTarget == nil {
		return 0, errors.ErrUnsupported
	}
	t, err := c.opts.RedirectTarget(root, region)
	if err != nil {
		return 0, err
	}
	c.opts.Targets = append(c.opts.Targets, t)
	return len(c.opts.Targets) - 1, nil
}

// Do sends a request and reads the head of its response.
func (c *Client) Do(ctx context.Context, target int, q *exchange.Request) error {
	c.end()
	tr, ctx := newTrace(ctx, q.Size > 0)
	c.trace = tr
	c.Response, c.head = exchange.Response{Length: exchange.UnknownLength, Start: tr.start}, nil
	t := c.opts.Targets[target]
	req, err := c.request(ctx, t, q, tr)
	if err != nil {
		return fmt.Errorf("%w: %w", exchange.ErrRequest, err)
	}
	resp, err := t.Transport.RoundTrip(req)
	for err != nil && tr.lost(err) && ctx.Err() == nil { // it does not resend all that it could
		again := *req
		again.Body, _ = again.GetBody() // never fails
		req = &again
		resp, err = t.Transport.RoundTrip(req)
	}
	if err == nil {
		err = checkHead(resp, tr.present.http2)
	}
	tr.note(&c.Response, err == nil)
	if err != nil {
		c.end()
		return tr.cause(err)
	}
	if link := tr.present.link; link != nil {
		link.responses.Add(1)
	}
	c.Status, c.Length, c.head, c.body = resp.StatusCode, resp.ContentLength, resp.Header, resp.Body
	c.EarlyResponse = c.out != nil && c.out.unsent()
	if resp.ProtoMajor == 2 {
		c.HTTP2 = tr.conn.Load()
	}
	return nil
}

var errBlank = errors.New("malformed HTTP header line: a blank before its colon")

// checkHead refuses what the transport takes, and no client should (RFC 9112, 2.3, 4 and 5.1). It closes the body then.
func checkHead(resp *http.Response, http2 bool) (err error) {
	if resp.StatusCode < 100 || !http2 && (resp.ProtoMajor != 1 || resp.ProtoMinor > 1) {
		err = fmt.Errorf("malformed HTTP response %q", resp.Proto+" "+resp.Status)
	}
	for name := range resp.Header {
		if strings.HasSuffix(name, " ") {
			err = errBlank
		}
	}
	if err != nil {
		_ = resp.Body.Close() // it is not read
	}
	return err
}

// request makes the signed request.
func (c *Client) request(ctx context.Context, t *Target, q *exchange.Request, tr *trace) (*http.Request, error) {
	u := q.URL(t.URL)
	req := (&http.Request{
		Method: q.Method, URL: u, Host: u.Host, Header: make(http.Header, 8),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
		GetBody: func() (io.ReadCloser, error) { return http.NoBody, nil },
	}).WithContext(ctx)
	if q.Size > 0 {
		req.GetBody = func() (io.ReadCloser, error) { return c.restart(q, tr), nil }
		req.Body, req.ContentLength = c.restart(q, tr), q.Size
	}
	if err := setHeaders(req.Header, q); err != nil {
		return nil, err
	}
	if c.opts.Keys != nil && !q.Unsigned {
		if c.opts.V2 && !utf8.ValidString(q.Key) {
			return nil, errV2Key
		}
		var err error
		if req, err = c.sign(req, t, q); err != nil {
			return nil, err
		}
	}
	if q.WaitsForContinue() {
		req.Header.Set("Expect", "100-continue")
	}
	if _, given := req.Header[idempotent]; !given {
		req.Header[idempotent] = nil
	}
	return req, nil
}

// idempotent is a header that is not sent without a value, but has the transport send requests of all methods again whose reused
// connection the server closed; see http.Transport.
const idempotent = "Idempotency-Key"

// restart returns the body of the request, from its beginning. No other reader gets any more of it.
func (c *Client) restart(q *exchange.Request, tr *trace) *outgoing {
	c.release()
	c.out = &outgoing{trace: tr, request: q, left: q.Size}
	return c.out
}

func (c *Client) release() {
	if c.out != nil {
		c.out.release()
		c.out = nil
	}
}

func setHeaders(to http.Header, q *exchange.Request) error {
	to.Set("User-Agent", "warp")
	if q.Length > 0 {
		to.Set("Range", fmt.Sprintf("bytes=%d-%d", q.Offset, q.Offset+q.Length-1))
	}
	lists := [...][]exchange.Header{nil, q.Headers}
	if q.Common != nil {
		lists[0] = *q.Common
	}
	for _, headers := range lists {
		for i := range headers {
			if err := headers[i].Check(); err != nil {
				return err
			}
			value, _ := headers[i].Sent() // just checked
			to.Set(headers[i].Name, value)
		}
	}
	return nil
}

var errV2Key = errors.New("signature version 2 cannot be made of a key that is not UTF-8")

// Result is what is known of the present exchange.
func (c *Client) Result() *exchange.Response { return &c.Response }

// Header returns the first value of a header of the response; nil if there is none.
func (c *Client) Header(name string) []byte {
	if values := c.head.Values(name); len(values) > 0 {
		return []byte(values[0])
	}
	return nil
}

// Headers are all headers of the response.
func (c *Client) Headers() http.Header { return c.head }

// Next returns the next piece of the body, valid until the next call.
func (c *Client) Next() ([]byte, error) {
	if c.buffer == nil {
		c.buffer = make([]byte, readBuffer)
	}
	n, err := c.Read(c.buffer)
	if n > 0 {
		return c.buffer[:n], nil // an error comes again
	}
	return nil, err
}

// Read reads from the body.
func (c *Client) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	if err != nil && err != io.EOF {
		err = c.trace.cause(err)
	}
	return n, err
}

// Discard throws the rest of the body away and returns how long it was.
func (c *Client) Discard() (n int64, err error) {
	for {
		p, err := c.Next()
		n += int64(len(p))
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// Finish ends an exchange.
func (c *Client) Finish() { c.end() }

// Close does nothing: connections are the transport's.
func (c *Client) Close() {}

// end lets go of both bodies.
func (c *Client) end() {
	if c.body != nil {
		_ = c.body.Close()
		c.body = nil
	}
	c.release()
}
