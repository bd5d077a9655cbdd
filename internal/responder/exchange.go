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

// Exchange is one request on its way through the server.
type Exchange struct {
	W           http.ResponseWriter
	R           *http.Request
	Bucket, Key string
	Kind        op.Kind
	Fault       Fault

	s         *Server
	serve     func(*Exchange) // of S3, if the request stands out
	injection Injection
}

// Ready waits for the time to respond, once the request has been read. If it is false, the response has been given already, or there shall
// be none.
func (x *Exchange) Ready() bool {
	a := &x.Fault
	start := clock.Now()
	delay := a.Delay
	if x.Kind != op.Get && x.Kind != op.Put && x.Kind != op.PutPart {
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
		x.W.Header().Set("Location", a.Redirect+x.R.URL.RequestURI())
		x.Fail(a.Status, "TemporaryRedirect")
		return false
	case a.Status != 0:
		x.Fail(a.Status, a.Code)
		return false
	}
	return true
}

// Fail responds with an error. Without a code it has the one that suits the status.
func (x *Exchange) Fail(status int, code string) { x.s.dialect.Fail(x, status, code) }

// RequestID returns a new id.
func (x *Exchange) RequestID() string { return strconv.FormatUint(x.s.requests.Add(1), 16) }

// Status answers without a body.
func (x *Exchange) Status(status int) {
	x.injection.Status = status
	x.W.WriteHeader(status)
}

// Contents responds with length bytes of contents from an offset on, or their length to a HEAD.
func (x *Exchange) Contents(status int, content []byte, from, length int64) {
	x.W.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	x.Status(status)
	if x.R.Method != http.MethodHead {
		x.WriteBody(Reader(content, from, length), length)
	}
}

// Empty responds without a body, and says so where a response of the status may have one.
func (x *Exchange) Empty(status int) {
	if status != http.StatusNotModified && status != http.StatusNoContent {
		x.W.Header().Set("Content-Length", "0")
	}
	x.Status(status)
}

// XML responds with a document.
func (x *Exchange) XML(status int, content any) {
	body, err := xml.Marshal(content)
	if err != nil { // no response of this package is without an XML form
		status, body = http.StatusInternalServerError, nil
	}
	x.Document(status, "application/xml", append([]byte(xml.Header), body...))
}

// Document responds with a text.
func (x *Exchange) Document(status int, contentType string, text []byte) {
	x.injection.Status = status
	x.W.Header().Set("Content-Type", contentType)
	x.W.Header().Set("Content-Length", strconv.Itoa(len(text)))
	x.W.WriteHeader(status)
	if x.R.Method != http.MethodHead {
		_, _ = x.W.Write(text) // the client may be gone
	}
}

// stall waits in the middle of a body.
func (x *Exchange) stall() {
	start := clock.Now()
	waitUntil(x.s.stop, start.Add(x.Fault.Stall))
	x.injection.Stall = clock.Now().Sub(start)
}

// pace waits until n bytes may have gone by since start, at the bandwidth of the fault. Stalls come on top.
func (x *Exchange) pace(start time.Time, n int64) {
	spent := time.Duration(float64(n) / float64(x.Fault.Bandwidth) * float64(time.Second))
	waitUntil(x.s.stop, start.Add(spent+x.injection.Stall))
}

// ReadBody reads the body; content is nil if the server does not keep it. After an error the client has hung up, or has its response.
func (x *Exchange) ReadBody() (content []byte, size int64, err error) {
	buf := buffers.Get().(*[chunk]byte)
	defer buffers.Put(buf)
	start := clock.Now()
	a := &x.Fault
	part := x.part(x.R.ContentLength)
	for {
		n, err := x.R.Body.Read(buf[:part])
		size += int64(n)
		if x.s.opts.Keep && !x.s.opts.Forget {
			content = append(content, buf[:n]...)
		}
		if a.Stall > 0 && x.injection.Stall == 0 && size >= x.R.ContentLength/2 {
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
				x.Fail(bad.status, bad.code)
			}
			return nil, 0, err
		}
	}
	if a.Bandwidth > 0 || a.Stall > 0 {
		x.injection.Body = clock.Now().Sub(start)
	}
	x.s.kinds.of(x.Kind).received.Add(size)
	return content, size, nil
}

// part is how much of a body is moved at once: with a bandwidth or a stall, so little that it is spread evenly.
func (x *Exchange) part(size int64) int64 {
	part := int64(chunk)
	if x.Fault.Bandwidth > 0 {
		part = min(part, max(x.Fault.Bandwidth/200, 512))
	}
	if x.Fault.Stall > 0 {
		part = min(part, max(size/2, 1))
	}
	return part
}

// WriteBody sends length bytes of contents.
func (x *Exchange) WriteBody(body io.Reader, length int64) {
	a := &x.Fault
	x.s.kinds.of(x.Kind).sent.Add(length)
	if a.Bandwidth == 0 && a.Stall == 0 {
		_, _ = io.Copy(x.W, body) // the client may be gone
		return
	}
	start := clock.Now()
	flush := http.NewResponseController(x.W)
	part := x.part(length)
	for sent := int64(0); sent < length; {
		n := min(part, length-sent)
		if a.Bandwidth > 0 {
			x.pace(start, sent+n)
		}
		x.injection.Last = clock.Now()
		if _, err := io.CopyN(x.W, body, n); err != nil {
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
