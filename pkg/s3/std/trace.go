package std

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http/httptrace"
	"net/textproto"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/clock"
	"warp/pkg/s3/exchange"
)

// trace notes when things happen to a request. Its functions run in goroutines of the transport, which may outlive the request
// (a server can respond before it has read everything), hence the atomic fields.
type trace struct {
	start     time.Time
	hasBody   bool
	taken     atomic.Int64  // nanoseconds from start to when the last byte of the request was taken from its body; 0: not yet
	written   atomic.Int64  // nanoseconds from start to when that byte was seen to be written; 0: not yet
	firstByte atomic.Int64  // nanoseconds from start to the first byte of the response; 0: not yet
	heads     atomic.Int32  // how often the head of the request was written
	begun     atomic.Bool   // there was a connection to send it on
	connect   atomic.Int64  // nanoseconds until a new connection was ready; 0: an old one was used
	conn      atomic.Uint64 // number of the TLS connection
	interims  atomic.Int32  // responses before the real one

	present attempt
	reached bool // an attempt before reached its connection, and was not sent again yet
	resent  int  // such attempts that were
}

// attempt is the request on one connection. The transport makes another one where the server had closed a reused connection.
type attempt struct {
	link   *deadlineConn // nil: unknown
	plain  *plainConn    // nil: it is not read as HTTP/1.1: it is HTTP/2, or TLS through a proxy
	http2  bool
	reused bool  // it had a response
	before int64 // what link had sent of requests; of HTTP/2, heads that were written
}

// newTrace makes a trace and the context to send its request with.
func newTrace(ctx context.Context, hasBody bool) (*trace, context.Context) {
	t := &trace{start: clock.Now(), hasBody: hasBody}
	return t, httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:              func(string) { t.leave() },
		GotConn:              t.gotConn,
		WroteHeaders:         t.wroteHead,
		GotFirstResponseByte: func() { t.stamp(&t.firstByte) },
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			if t.interims.Add(1) >= exchange.MaxInterim {
				return exchange.ErrInterim
			}
			return nil
		},
	})
}

// leave ends the present attempt, if there is one: what goes wrong from now on is not the fault of its connection.
func (t *trace) leave() {
	t.reached = t.reached || t.progress() > t.present.before
	t.present = attempt{}
}

func (t *trace) gotConn(i httptrace.GotConnInfo) {
	if t.leave(); t.reached {
		t.resent, t.reached = t.resent+1, false
	}
	t.begun.Store(true)
	for _, stamp := range []*atomic.Int64{&t.taken, &t.written, &t.firstByte} {
		stamp.Store(0)
	}
	t.interims.Store(0)
	t.present = newAttempt(i)
	if t.present.http2 && t.present.link != nil {
		t.conn.Store(t.present.link.number)
	}
	t.present.before = t.progress()
	if !i.Reused {
		t.stamp(&t.connect)
	}
}

func newAttempt(i httptrace.GotConnInfo) attempt {
	a := attempt{reused: i.Reused}
	if c, ok := i.Conn.(*plainConn); ok {
		c.expect()
		a.plain = c
	}
	for conn := i.Conn; ; {
		switch c := conn.(type) {
		case *tls.Conn:
			a.http2 = a.http2 || c.ConnectionState().NegotiatedProtocol == "h2"
			conn = c.NetConn()
			continue
		case *plainConn:
			conn = c.Conn
			continue
		case *deadlineConn:
			a.link, a.reused = c, c.responses.Load() > 0
		}
		return a
	}
}

// progress is what was sent of requests so far: bytes on the present connection; of HTTP/2, where others use it too, heads of this one.
func (t *trace) progress() int64 {
	switch {
	case t.present.http2:
		return int64(t.heads.Load())
	case t.present.link == nil:
		return 0
	}
	return t.present.link.sent.Load()
}

// lost reports whether the request met a reused connection that the server closed before the first byte of a response.
func (t *trace) lost(err error) bool {
	return t.present.reused && !t.answered() && exchange.Closed(t.cause(err))
}

// answered reports whether any of a response was read.
func (t *trace) answered() bool {
	if p := t.present.plain; p != nil {
		_, any := p.response()
		return any
	}
	return t.firstByte.Load() != 0 || t.interims.Load() > 0
}

// cause adds how the server ended the connection to an error of the transport that does not say so, as if the status line were wrong
// that was cut.
func (t *trace) cause(err error) error {
	a, end := &t.present, io.EOF
	if !a.http2 && a.link != nil && a.link.end.Load() != nil {
		end = *a.link.end.Load()
	} else if !a.http2 || !isGoAway(err) {
		return err
	}
	switch {
	case errors.Is(err, exchange.ErrBody), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), exchange.Closed(err):
		return err
	case end == io.EOF && t.answered():
		end = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", end, err)
}

// isGoAway reports whether an error is that of a server which said that it would close the connection, and did so before it responded.
// net/http has no name for its type.
func isGoAway(err error) bool {
	v := reflect.ValueOf(err)
	return v.Kind() == reflect.Struct && v.FieldByName("LastStreamID").IsValid()
}

func (t *trace) wroteHead() {
	t.heads.Add(1)
	if !t.hasBody {
		t.stamp(&t.taken)
	}
}

func (t *trace) stamp(s *atomic.Int64) { s.Store(int64(clock.Now().Sub(t.start))) }

// sent is when the last byte of the body was handed over to the system. On a fast network the response can be there
// before this process runs again to see that its last write is over; then the start of that write (of 32 KiB at most)
// stands for its end. Zero if the server responded without waiting for the body.
func (t *trace) sent() time.Time {
	first := t.at(&t.firstByte)
	for _, stamp := range []*atomic.Int64{&t.written, &t.taken} {
		if at := t.at(stamp); !at.IsZero() && (first.IsZero() || !first.Before(at)) {
			return at
		}
	}
	return time.Time{}
}

// at turns a stamp into a time; zero if there is none.
func (t *trace) at(stamp *atomic.Int64) time.Time {
	ns := stamp.Load()
	if ns == 0 {
		return time.Time{}
	}
	return t.start.Add(time.Duration(ns))
}

// note writes what happened into r, when the head of the response was received, or is not to come.
func (t *trace) note(r *exchange.Response, received bool) {
	if p := t.present.plain; p != nil {
		t.firstByte.Store(0)
		if first, _ := p.response(); !first.IsZero() {
			t.firstByte.Store(int64(first.Sub(t.start)))
		}
	} else if t.interims.Load() > 0 { // the transport reports the first byte of the first response only
		t.firstByte.Store(0)
		if received {
			t.stamp(&t.firstByte)
		}
	}
	r.MaybeSent = t.begun.Load()
	r.FirstByte, r.Sent = t.at(&t.firstByte), t.sent()
	r.Resent = t.resent
	if ns := t.connect.Load(); ns > 0 {
		r.Connected, r.Connect = true, time.Duration(ns)
	}
}

var errRequestOver = errors.New("the request is over")

// outgoing is the body of one request. It stamps when its last byte was taken by the transport, and when the transport
// came back after writing it (which looks once more whether there is really no more).
//
// The transport may go on reading after it has returned the response, or an error. The caller does not wait for that: release
// takes the body away from it, since the caller uses it for the next request.
type outgoing struct {
	trace *trace

	mu      sync.Mutex
	request *exchange.Request // nil: released
	left    int64
}

// Read reads the next part of the body.
func (o *outgoing) Read(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.request == nil {
		return 0, errRequestOver
	}
	if o.left == 0 {
		o.trace.stamp(&o.trace.written)
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), o.left)]
	if err := o.request.ReadBody(p, o.left); err != nil {
		return 0, err
	}
	if o.left -= int64(len(p)); o.left == 0 {
		o.trace.stamp(&o.trace.taken)
	}
	return len(p), nil
}

// Close does nothing.
func (o *outgoing) Close() error { return nil }

// unsent reports whether some of the body was not taken yet.
func (o *outgoing) unsent() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.left > 0
}

// release takes the body away. No read of it is under way then, and none will be.
func (o *outgoing) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.request = nil
}
