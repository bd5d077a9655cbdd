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

// visit is one request on its way through the server.
type visit struct {
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
	v := visit{s: s, w: w, r: r}
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

func (v *visit) route() {
	switch v.kind {
	case op.Put:
		v.put()
	case op.Get, op.Stat:
		v.get()
	case op.Delete:
		if v.key == "" {
			v.deleteMany()
			return
		}
		v.delete()
	case op.List:
		v.list()
	default:
		v.aboutBucket()
	}
}

// ready waits for the time to answer. If it is false, the answer has been given already, or there shall be none.
func (v *visit) ready() bool {
	a := &v.answer
	start := clock.Now()
	delay := a.Delay
	if v.kind != op.Get && v.kind != op.Put {
		delay += a.Stall
	}
	if delay > 0 {
		waitUntil(v.s.stop, start.Add(delay))
	}
	v.injection.First = clock.Now()
	v.injection.Last = v.injection.First
	v.injection.Delay = v.injection.First.Sub(start)
	switch {
	case a.Close:
		return false
	case a.Status != 0:
		v.fail(a.Status, a.Code)
		return false
	case !v.s.opts.Forget && v.kind != Bucket && !v.s.store.exists(v.bucket):
		v.fail(http.StatusNotFound, "NoSuchBucket")
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

func (v *visit) fail(status int, code string) {
	if code == "" {
		code = codes[status]
	}
	id := strconv.FormatUint(v.s.requests.Add(1), 16)
	v.w.Header().Set("X-Amz-Request-Id", id)
	v.xml(status, errorAnswer{Code: code, Message: http.StatusText(status), RequestID: id})
}

// status answers without a body.
func (v *visit) status(status int) {
	v.injection.Status = status
	v.w.WriteHeader(status)
}

func (v *visit) xml(status int, answer any) {
	body, err := xml.Marshal(answer)
	if err != nil { // no answer of this package is without an XML form
		status, body = http.StatusInternalServerError, nil
	}
	v.injection.Status = status
	v.w.Header().Set("Content-Type", "application/xml")
	v.w.Header().Set("Content-Length", strconv.Itoa(len(xml.Header)+len(body)))
	v.w.WriteHeader(status)
	if v.r.Method == http.MethodHead {
		return
	}
	_, _ = io.WriteString(v.w, xml.Header) // the client may be gone
	_, _ = v.w.Write(body)
}

// hangUp closes the connection without an answer.
func (v *visit) hangUp() {
	if conn, _, err := http.NewResponseController(v.w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// stall waits in the middle of a body.
func (v *visit) stall() {
	start := clock.Now()
	waitUntil(v.s.stop, start.Add(v.answer.Stall))
	v.injection.Stall = clock.Now().Sub(start)
}

// pace waits until n bytes may have gone by since start, at the bandwidth of the answer. Stalls come on top.
func (v *visit) pace(start time.Time, n int64) {
	spent := time.Duration(float64(n) / float64(v.answer.Bandwidth) * float64(time.Second))
	waitUntil(v.s.stop, start.Add(spent+v.injection.Stall))
}
