package s3

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// checkRange makes sure that the response is the range of the request. Some servers send that with status 200.
func checkRange(c *Call, status int, contentRange string) error {
	if c.Length == 0 {
		return nil
	}
	c.PlainRange = status != http.StatusPartialContent
	switch {
	case contentRange == "" && c.PlainRange:
		return &Error{Class: ClassNoRange, Status: status, Message: fmt.Sprintf("a range was asked for, the response has status %d and no Content-Range", status)}
	case contentRange == "": // some servers do not say
		return nil
	}
	total, matches := parseContentRange(contentRange, c.Offset, c.Length)
	switch {
	case !matches:
		return &Error{Class: ClassWrongRange, Status: status, Message: oneLine(fmt.Sprintf("asked for bytes %d-%d, got %s", c.Offset, c.Offset+c.Length-1, contentRange))}
	case total >= 0 && c.Size >= 0 && total != c.Size:
		return &Error{Class: ClassWrongLength, Status: status, Message: oneLine(fmt.Sprintf("asked for a range of an object of %d bytes, got %s", c.Size, contentRange))}
	}
	return nil
}

// parseContentRange reports whether a Content-Range is the range that was asked for, or as much of it as the object has, and returns the size
// of the object; -1 if the server does not know it.
func parseContentRange(contentRange string, offset, length int64) (total int64, matches bool) {
	span, size, _ := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "/")
	from, to, _ := strings.Cut(span, "-")
	first, err1 := strconv.ParseInt(from, 10, 64)
	last, err2 := strconv.ParseInt(to, 10, 64)
	want := offset + length - 1
	total, err := strconv.ParseInt(size, 10, 64)
	if err != nil { // an asterisk
		total = -1
	} else {
		want = min(want, total-1)
	}
	return total, err1 == nil && err2 == nil && first == offset && last == want
}

// checkConfirmed looks into the body of a response that confirms an upload or a deletion. There should be none, but S3 allows
// an error behind status 200 where work began before it failed.
func checkConfirmed(body io.Reader, status int) *Error {
	text, err := io.ReadAll(io.LimitReader(body, maxErrorBody+1))
	if err != nil {
		e := toError(err)
		e.Status = status
		return e
	}
	if len(text) > maxErrorBody {
		return &Error{Class: ClassBadResponse, Status: status, Message: fmt.Sprintf("more than %d KiB to confirm a request", maxErrorBody>>10)}
	}
	if said, ok := parseErrorBody(text); ok {
		e := codeError(said)
		e.Status = status
		return e
	}
	return nil
}

// checkLength makes sure that as many bytes came as were expected.
func checkLength(c *Call, status int) error {
	want := c.Size
	if c.Length > 0 {
		want = c.Length
	}
	if want >= 0 && c.Bytes != want {
		return &Error{Class: ClassWrongLength, Status: status, Message: fmt.Sprintf("expected %d bytes, got %d", want, c.Bytes)}
	}
	return nil
}

// intoError is the error of a Call.Into that refused what it was given, which is how contents are checked.
func intoError(err error, status int) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return &Error{Class: ClassDiffers, Status: status, Message: oneLine(err.Error()), Err: err}
}

// confirmsKey is the header by which a server confirms that it used the key of SSE-C.
const confirmsKey = "x-amz-server-side-encryption-customer-algorithm"

// confirmsEncryption is the header by which a server confirms that it encrypts an object by itself.
const confirmsEncryption = "x-amz-server-side-encryption"

// checkEncryption makes sure that a server did not just ignore the encryption that was requested, as several do. The key of
// SSE-C is confirmed where contents go over the wire, or for a copy. Not all servers confirm either when an upload in parts begins.
func (s *session) checkEncryption(c *Call) error {
	encryption := s.store.cfg.Uploads.Encryption
	contents := c.Access.Contents() && (c.Body != nil || c.Method == http.MethodGet || c.Method == http.MethodHead)
	flag := ""
	switch {
	case contents && s.store.encrypted && len(s.client.Header(confirmsKey)) == 0:
		flag = "--encrypt"
	case c.Access == MakesObjects && c.Method != http.MethodPost && encryption != "" && !strings.HasPrefix(string(s.client.Header(confirmsEncryption)), encryption):
		flag = s.store.cfg.Uploads.encryptionFlag()
	default:
		return nil
	}
	return &Error{Class: ClassNoEncrypt, Status: c.Status, Message: "the server does not confirm that it encrypts as " + flag + " requests"}
}
