package responder

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strconv"
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
	fault       Fault
	injection   Injection
}

// ready waits for the time to respond. If it is false, the response has been given already, or there shall be none.
func (x *exchange) ready() bool {
	a := &x.fault
	start := clock.Now()
	delay := a.Delay
	if x.kind != op.Get && x.kind != op.Put && x.kind != op.PutPart {
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
	case a.Redirect != "":
		x.w.Header().Set("Location", a.Redirect+x.r.URL.RequestURI())
		x.fail(a.Status, "TemporaryRedirect")
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

type errorBody struct {
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
	x.xml(status, errorBody{Code: code, Message: http.StatusText(status), RequestID: id})
}

// status answers without a body.
func (x *exchange) status(status int) {
	x.injection.Status = status
	x.w.WriteHeader(status)
}

func (x *exchange) xml(status int, content any) {
	body, err := xml.Marshal(content)
	if err != nil { // no response of this package is without an XML form
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

// stall waits in the middle of a body.
func (x *exchange) stall() {
	start := clock.Now()
	waitUntil(x.s.stop, start.Add(x.fault.Stall))
	x.injection.Stall = clock.Now().Sub(start)
}

// pace waits until n bytes may have gone by since start, at the bandwidth of the fault. Stalls come on top.
func (x *exchange) pace(start time.Time, n int64) {
	spent := time.Duration(float64(n) / float64(x.fault.Bandwidth) * float64(time.Second))
	waitUntil(x.s.stop, start.Add(spent+x.injection.Stall))
}

// readBody reads the body. After an error the client has hung up, or has its response.
func (x *exchange) readBody() (content []byte, size int64, err error) {
	buf := buffers.Get().(*[chunk]byte)
	defer buffers.Put(buf)
	start := clock.Now()
	a := &x.fault
	part := x.part(x.r.ContentLength)
	for {
		n, err := x.r.Body.Read(buf[:part])
		size += int64(n)
		if x.s.opts.Keep && !x.s.opts.Forget {
			content = append(content, buf[:n]...)
		}
		if a.Stall > 0 && x.injection.Stall == 0 && size >= x.r.ContentLength/2 {
			x.stall()
		}
		if a.Bandwidth > 0 && n > 0 {
			x.pace(start, size)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var bad *badBody
			if errors.As(err, &bad) {
				x.fail(bad.status, bad.code)
			}
			return nil, 0, err
		}
	}
	if a.Bandwidth > 0 || a.Stall > 0 {
		x.injection.Body = clock.Now().Sub(start)
	}
	x.s.account(x.kind).received.Add(size)
	return content, size, nil
}

// part is how much of a body is moved at once: with a bandwidth or a stall, so little that it is spread evenly.
func (x *exchange) part(size int64) int64 {
	part := int64(chunk)
	if x.fault.Bandwidth > 0 {
		part = min(part, max(x.fault.Bandwidth/200, 512))
	}
	if x.fault.Stall > 0 {
		part = min(part, max(size/2, 1))
	}
	return part
}

func (x *exchange) writeBody(o object, from, length int64) {
	a := &x.fault
	x.s.account(x.kind).sent.Add(length)
	if a.Bandwidth == 0 && a.Stall == 0 {
		_, _ = io.Copy(x.w, o.reader(from, length)) // the client may be gone
		return
	}
	start := clock.Now()
	flush := http.NewResponseController(x.w)
	body, part := o.reader(from, length), x.part(length)
	for sent := int64(0); sent < length; {
		n := min(part, length-sent)
		if a.Bandwidth > 0 {
			x.pace(start, sent+n)
		}
		x.injection.Last = clock.Now()
		if _, err := io.CopyN(x.w, body, n); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
		sent += n
		if a.Stall > 0 && x.injection.Stall == 0 && sent >= length/2 {
			x.stall()
		}
	}
	x.injection.Body = max(0, x.injection.Last.Sub(start))
}

// asked returns a parameter of the query.
func (x *exchange) asked(name string) string {
	if x.r.URL.RawQuery == "" {
		return ""
	}
	return x.r.URL.Query().Get(name)
}

// version says which version was made or read.
func (x *exchange) version(id string) {
	if id != "" {
		x.w.Header()["X-Amz-Version-Id"] = []string{id}
	}
}
