package responder

import (
	"encoding/xml"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"warp/internal/clock"
	"warp/pkg/op"
)

// exchange is one request on its way through the server.
type exchange struct {
	s           *Server
	w           http.ResponseWriter
	r           *http.Request
	bucket, key string
	kind        op.Kind
	answer      Answer
	injection   Injection
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := clock.Now()
	v := exchange{s: s, w: w, r: r}
	v.bucket, v.key, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	v.kind = kindOf(r, v.key)
	n := s.kinds[kindIndex(v.kind)].requests.Add(1) - 1
	if s.opts.Rule != nil {
		v.answer = s.opts.Rule(v.kind, n)
	}
	v.injection = Injection{Kind: v.kind, N: n, Key: v.key, Asked: v.answer, Came: came}
	v.route()
	s.kinds[kindIndex(v.kind)].byStatus[v.injection.Status%maxStatus].Add(1)
	if s.opts.Record {
		s.record(v.injection)
	}
	if v.answer.Close && v.injection.Status == 0 {
		v.hangUp()
	}
}

func kindOf(r *http.Request, key string) op.Kind {
	if key == "" {
		query := r.URL.Query()
		switch {
		case r.Method == http.MethodPost && query.Has("delete"):
			return op.Delete
		case r.Method == http.MethodGet && (query.Has("list-type") || query.Has("versions") || len(query) == 0):
			return op.List
		}
		return Bucket
	}
	if r.URL.RawQuery != "" && r.URL.Query().Has("tagging") {
		return Tags
	}
	switch r.Method {
	case http.MethodGet:
		return op.Get
	case http.MethodPut:
		return op.Put
	case http.MethodHead:
		return op.Stat
	case http.MethodDelete:
		return op.Delete
	}
	return Bucket
}

func (x *exchange) route() {
	switch x.kind {
	case op.Put:
		x.put()
	case op.Get, op.Stat:
		x.get()
	case op.Delete:
		if x.key == "" {
			x.deleteMany()
			return
		}
		x.delete()
	case op.List:
		x.list()
	case Tags:
		x.tags()
	default:
		x.aboutBucket()
	}
}

// ready waits for the time to answer. If it is false, the answer has been given already, or there shall be none.
func (x *exchange) ready() bool {
	a := &x.answer
	start := clock.Now()
	delay := a.Delay
	if x.kind != op.Get && x.kind != op.Put {
		delay += a.Stall
	}
	if delay > 0 {
		waitUntil(x.s.stop, start.Add(delay))
	}
	x.injection.First = clock.Now()
	x.injection.Last = x.injection.First
	x.injection.Delay = x.injection.First.Sub(start)
	switch {
	case a.Close:
		return false
	case a.Status != 0:
		x.fail(a.Status, a.Code)
		return false
	case !x.s.opts.Forget && x.kind != Bucket && !x.s.store.exists(x.bucket):
		x.fail(http.StatusNotFound, "NoSuchBucket")
		return false
	}
	return true
}

// codes are what S3 calls the errors of statuses that tests ask for without a code.
var codes = map[int]string{
	http.StatusForbidden:           "AccessDenied",
	http.StatusNotFound:            "NoSuchKey",
	http.StatusInternalServerError: "InternalError",
	http.StatusNotImplemented:      "NotImplemented",
	http.StatusServiceUnavailable:  "SlowDown",
}

type errorAnswer struct {
	XMLName   xml.Name `xml:"Error"`
	Code      string
	Message   string
	RequestID string `xml:"RequestId"`
}

func (x *exchange) fail(status int, code string) {
	if code == "" {
		code = codes[status]
	}
	id := strconv.FormatUint(x.s.requests.Add(1), 16)
	x.w.Header().Set("X-Amz-Request-Id", id)
	x.xml(status, errorAnswer{Code: code, Message: http.StatusText(status), RequestID: id})
}

// status answers without a body.
func (x *exchange) status(status int) {
	x.injection.Status = status
	x.w.WriteHeader(status)
}

func (x *exchange) xml(status int, answer any) {
	body, err := xml.Marshal(answer)
	if err != nil { // no answer of this package is without an XML form
		status, body = http.StatusInternalServerError, nil
	}
	x.injection.Status = status
	x.w.Header().Set("Content-Type", "application/xml")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(xml.Header)+len(body)))
	x.w.WriteHeader(status)
	if x.r.Method == http.MethodHead {
		return
	}
	_, _ = io.WriteString(x.w, xml.Header) // the client may be gone
	_, _ = x.w.Write(body)
}

// hangUp closes the connection without an answer.
func (x *exchange) hangUp() {
	if conn, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// stall waits in the middle of a body.
func (x *exchange) stall() {
	start := clock.Now()
	waitUntil(x.s.stop, start.Add(x.answer.Stall))
	x.injection.Stall = clock.Now().Sub(start)
}

// pace waits until n bytes may have gone by since start, at the bandwidth of the answer. Stalls come on top.
func (x *exchange) pace(start time.Time, n int64) {
	spent := time.Duration(float64(n) / float64(x.answer.Bandwidth) * float64(time.Second))
	waitUntil(x.s.stop, start.Add(spent+x.injection.Stall))
}
