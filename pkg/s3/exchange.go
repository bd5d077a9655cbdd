package s3

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync/atomic"
	"time"

	"warp/internal/clock"
)

// exchange is one request as it went over the wire. Its trace functions run in goroutines of the transport, which may
// outlive the request (a server can answer before it has read everything), hence the atomic fields.
type exchange struct {
	start     time.Time
	headers   []Header     // to be sent in addition to those of the SDK
	hasBody   bool         // set before the request is sent
	object    bool         // the response is an object, or its head: of any length, with headers that matter to nobody
	taken     atomic.Int64 // nanoseconds from start to when the last byte of the request was taken from its body; 0: not yet
	written   atomic.Int64 // nanoseconds from start to when that byte was seen to be written; 0: not yet
	firstByte atomic.Int64 // nanoseconds from start to the first byte of the answer; 0: not yet
	sendings  atomic.Int32 // how often the head of the request was written
	begun     atomic.Bool  // there was a connection to send it on
	connect   atomic.Int64 // nanoseconds until a new connection was ready; 0: an old one was used
	interim   atomic.Bool  // an answer before the real one came

	status int         // 0: no answer
	header http.Header // of the answer
	err    *Error      // what failed, as far as the head of the answer; nil: the answer is a success
}

type exchangeKey struct{}

// newExchange makes an exchange and the context to send its request with.
func newExchange(ctx context.Context) (*exchange, context.Context) {
	x := &exchange{start: clock.Now()}
	ctx = context.WithValue(ctx, exchangeKey{}, x)
	return x, httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              x.gotConn,
		WroteHeaders:         x.wroteHead,
		GotFirstResponseByte: func() { x.stamp(&x.firstByte) },
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			x.interim.Store(true)
			return nil
		},
	})
}

func (x *exchange) gotConn(i httptrace.GotConnInfo) {
	x.begun.Store(true)
	if !i.Reused {
		x.stamp(&x.connect)
	}
}

func (x *exchange) wroteHead() {
	x.sendings.Add(1)
	if !x.hasBody {
		x.stamp(&x.taken)
	}
}

func (x *exchange) stamp(s *atomic.Int64) { s.Store(int64(clock.Now().Sub(x.start))) }

// sent is when the last byte of the body was handed over to the system. On a fast network the answer can be there
// before this process runs again to see that its last write is over; then the start of that write (of 32 KiB at most)
// stands for its end. Zero if the server answered without waiting for the body.
func (x *exchange) sent() time.Time {
	first := x.at(&x.firstByte)
	for _, stamp := range []*atomic.Int64{&x.written, &x.taken} {
		if t := x.at(stamp); !t.IsZero() && (first.IsZero() || !first.Before(t)) {
			return t
		}
	}
	return time.Time{}
}

// at turns a stamp into a time; zero if there is none.
func (x *exchange) at(stamp *atomic.Int64) time.Time {
	ns := stamp.Load()
	if ns == 0 {
		return time.Time{}
	}
	return x.start.Add(time.Duration(ns))
}

// answer writes what came into c, and counts requests that the transport sent again because a kept-alive connection
// had been closed by the server in the meantime.
func (x *exchange) answer(c *Call) {
	c.Status = x.status
	c.Begun = c.Begun || x.begun.Load()
	c.FirstByte = x.at(&x.firstByte)
	c.Retries += max(0, int(x.sendings.Load())-1)
	c.VersionID = x.header.Get("X-Amz-Version-Id")
	if ns := x.connect.Load(); ns > 0 {
		c.Connected, c.Connect = true, time.Duration(ns)
	}
}

// wire sends requests and keeps what came of them in their exchange. To its caller every failure, of the network or by
// status, looks like a 400 without a body: SDKs repeat requests, or wait a while as if they would, on the strength of
// statuses and errors, and one operation is to be one request whose time holds no such pause.
type wire struct {
	base    http.RoundTripper
	signer  requestSigner
	virtual bool                             // the bucket is part of the host name
	expect  bool                             // bodies of uploads are sent when the server says so
	debug   func(format string, args ...any) // may be nil
}

// RoundTrip sends a request whose context comes from newExchange.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		x = &exchange{start: clock.Now()}
	}
	if len(x.headers) > 0 {
		req = w.resign(req, x.headers)
	}
	if w.expect && x.hasBody {
		req = req.Clone(req.Context())
		req.Header.Set("Expect", "100-continue")
	}
	resp, err := w.base.RoundTrip(req)
	if x.interim.Load() {
		x.stamp(&x.firstByte) // the transport tells of the first byte of the first answer only
	}
	x.err, x.status, x.header = nil, 0, nil
	switch {
	case err != nil:
		x.err = toError(err)
	default:
		x.status, x.header = resp.StatusCode, resp.Header
		if resp.StatusCode/100 != 2 {
			x.err = answerError(resp)
		} else {
			x.err = x.accept(req.Method, resp)
		}
		if x.err != nil {
			_ = resp.Body.Close()
		}
	}
	w.log(req, x)
	if x.err != nil {
		return refused(req), nil
	}
	return resp, nil
}

// accept makes a successful response ready for the SDK. It fails if that holds an error after all.
func (x *exchange) accept(method string, resp *http.Response) *Error {
	if x.object { // the SDK fails without a Last-Modified, and if it cannot read one of several other headers
		resp.Header = http.Header{"Last-Modified": {time.Unix(0, 0).UTC().Format(http.TimeFormat)}}
		return nil
	}
	switch method {
	case http.MethodPut, http.MethodDelete:
		return checkConfirmed(resp.Body, resp.StatusCode)
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{&limited{resp.Body, maxDocument}, resp.Body}
	return nil
}

// resign adds headers to a request. The SDK takes only those that it knows, so the request is signed once more.
func (w *wire) resign(req *http.Request, headers []Header) *http.Request {
	req = req.Clone(req.Context())
	req.Header.Del("Authorization")
	for _, h := range headers {
		req.Header.Set(h.Name, strings.Join(strings.Fields(h.Value), " "))
	}
	return w.signer.sign(req, w.virtual)
}

// log writes the line of one request. Its query holds no secrets: requests are signed in their headers.
func (w *wire) log(req *http.Request, x *exchange) {
	if w.debug == nil {
		return
	}
	outcome := "ok"
	if x.err != nil {
		outcome = x.err.Error()
	}
	w.debug("%s %s%s %d %v %s", req.Method, req.URL.Host, req.URL.RequestURI(), x.status, clock.Now().Sub(x.start), outcome)
}

func refused(req *http.Request) *http.Response {
	return &http.Response{
		Status: "400 Bad Request", StatusCode: http.StatusBadRequest,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req,
	}
}
