package s3

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// maxErrorBody is how much of an error's body is read; the rest, if any, costs the connection.
const maxErrorBody = 64 << 10

// errorBody is what S3 servers write into an error, as XML or (MinIO's admin API) as JSON.
type errorBody struct {
	XMLName   xml.Name `json:"-"`
	Code      string
	Message   string
	RequestID string `xml:"RequestId" json:"RequestId"`
	Region    string
}

// ErrorText reads the body of a response that is not a success, up to a limit. A body that breaks off is read as far as it goes.
func ErrorText(r *http.Response) []byte {
	text, _ := io.ReadAll(io.LimitReader(r.Body, maxErrorBody))
	return text
}

// ResponseError makes an *Error of a response that is not a success. It reads the body but does not close it.
func ResponseError(resp *http.Response) *Error {
	body := ErrorText(resp)
	e := &Error{Status: resp.StatusCode}
	parsed, understood := parseErrorBody(body)
	e.fill(parsed)
	h := resp.Header
	if code := h.Get("X-Minio-Error-Code"); e.Code == "" && code != "" { // what MinIO says in responses without a body
		e.Code, e.Message = cleanCode(code), OneLine(strings.Trim(h.Get("X-Minio-Error-Desc"), `"`))
	}
	if e.RequestID == "" {
		e.RequestID = cleanID(h.Get("X-Amz-Request-Id"))
	}
	if e.Region == "" {
		e.Region = cleanCode(h.Get("X-Amz-Bucket-Region"))
	}
	e.Server, e.Location = cleanID(h.Get("Server")), OneLine(h.Get("Location"))
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		e.Date = date
	}
	if !understood && len(body) > 0 {
		e.Foreign = e.RequestID == ""
		e.Message = OneLine(string(body))
	}
	if isPlainToTLS(e) {
		e.Class = ClassPlainToTLS
		return e
	}
	e.Class = statusClass(e.Status, e.Code)
	return e
}

// StatedError makes the error of a response from what a dialect has read in it.
func StatedError(r *http.Response, code, message, id string) *Error {
	e := &Error{
		Status:    r.StatusCode,
		Code:      cleanCode(code),
		Message:   OneLine(message),
		RequestID: cleanID(id),
		Server:    cleanID(r.Header.Get("Server")),
		Location:  OneLine(r.Header.Get("Location")),
	}
	if date, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		e.Date = date
	}
	if e.Class = statusClass(e.Status, e.Code); isPlainToTLS(e) {
		e.Class = ClassPlainToTLS
	}
	return e
}

// statusClass is "503 SlowDown", or "503 Service Unavailable" where the server sent no code.
func statusClass(status int, code string) string {
	if code == "" {
		code = http.StatusText(status)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, code))
}

// parseErrorBody reads the body of an error, and reports whether it is one of an S3 server.
func parseErrorBody(body []byte) (b errorBody, ok bool) {
	if body = bytes.TrimSpace(body); bytes.HasPrefix(body, []byte("{")) {
		ok = json.Unmarshal(body, &b) == nil && b.Code != ""
	} else {
		ok = xml.Unmarshal(body, &b) == nil && b.XMLName.Local == "Error"
	}
	if !ok {
		return parseErrorPage(body)
	}
	return b, true
}

// listed finds the items of a list on an error page.
var listed = regexp.MustCompile(`(?i)<li>\s*(Code|Message|RequestId):\s*([^<]*)</li>`)

// parseErrorPage reads the page that servers of web sites in buckets write in place of an error document: a list of the same facts.
func parseErrorPage(body []byte) (b errorBody, ok bool) {
	for _, item := range listed.FindAllSubmatch(body, 3) {
		text := html.UnescapeString(string(item[2]))
		switch strings.ToLower(string(item[1])) {
		case "code":
			b.Code = cleanCode(text)
		case "message":
			b.Message = text
		default:
			b.RequestID = text
		}
	}
	if b.Code == "" {
		return errorBody{}, false
	}
	return b, true
}

// isPlainToTLS recognises the response of TLS servers to plain HTTP (Go's and nginx's words).
func isPlainToTLS(e *Error) bool {
	m := strings.ToLower(e.Message)
	return e.Status == http.StatusBadRequest && e.Code == "" &&
		(strings.Contains(m, "http request to an https server") || strings.Contains(m, "http request was sent to https port"))
}

// cleanCode keeps a code that can stand in a class; anything else is no code.
func cleanCode(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 48 {
		return ""
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' || r == '_') {
			return ""
		}
	}
	return s
}

// cleanID keeps an id of a request, cut to what fits into a line.
func cleanID(s string) string {
	s = OneLine(s)
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "")
	}
	return s
}

func (e *Error) fill(b errorBody) {
	e.Code, e.Message = cleanCode(b.Code), OneLine(b.Message)
	e.RequestID, e.Region = cleanID(b.RequestID), cleanCode(b.Region)
}

// CodeError is an error that a server put into a response of status 200: its class is its code.
func CodeError(code, message string) *Error {
	return bodyError(errorBody{Code: code, Message: message})
}

// BodyError returns the error that a response of status 200 holds, as S3 allows where work began before it failed; nil if it holds none.
func BodyError(text []byte) *Error {
	if b, ok := parseErrorBody(text); ok {
		return bodyError(b)
	}
	return nil
}

func bodyError(b errorBody) *Error {
	e := &Error{}
	e.fill(b)
	if e.Class = e.Code; e.Class == "" {
		e.Class = ClassBadResponse
	}
	return e
}

// StatusError is the error of a response whose status says all.
func StatusError(status int) *Error { return &Error{Class: statusClass(status, ""), Status: status} }

// ReadConfirmation reads the body of a response that confirms an upload or a deletion. There should be none, but S3 allows an error
// behind status 200 where work began before it failed.
func ReadConfirmation(body io.Reader, status int) (text []byte, err error) {
	text, err = io.ReadAll(io.LimitReader(body, maxErrorBody+1))
	if err != nil {
		e := Classify(err)
		e.Status = status
		return nil, e
	}
	if len(text) > maxErrorBody {
		return nil, Errorf(ClassBadResponse, status, "more than %d KiB to confirm a request", maxErrorBody>>10)
	}
	if e := BodyError(text); e != nil {
		e.Status = status
		return nil, e
	}
	return text, nil
}
