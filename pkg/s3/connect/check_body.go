package connect

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"warp/pkg/s3"
)

// checkRange makes sure that the response is the range of the request. Some servers send that with status 200.
func checkRange(c *s3.Call, contentRange string) error {
	if c.Length == 0 {
		return nil
	}
	c.PlainRange = c.Status != http.StatusPartialContent
	switch {
	case contentRange == "" && c.PlainRange:
		return s3.Errorf(s3.ClassNoRange, c.Status, "a range was asked for, the response has status %d and no Content-Range", c.Status)
	case contentRange == "": // some servers do not say
		return nil
	}
	total, matches := parseContentRange(contentRange, c.Offset, c.Length)
	switch {
	case !matches:
		return s3.Errorf(s3.ClassWrongRange, c.Status, "asked for bytes %d-%d, got %s", c.Offset, c.Offset+c.Length-1, contentRange)
	case total >= 0 && c.Size >= 0 && total != c.Size:
		return s3.Errorf(s3.ClassWrongLength, c.Status, "asked for a range of an object of %d bytes, got %s", c.Size, contentRange)
	}
	return nil
}

// parseContentRange reports whether a Content-Range is the range that was asked for, or as much of it as the object has,
// and returns the size of the object; -1 if the server does not know it.
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

// checkLength makes sure that as many bytes came as were expected.
func checkLength(c *s3.Call) error {
	want := c.Size
	if c.Length > 0 {
		want = c.Length
	}
	if want >= 0 && c.Bytes != want {
		return s3.Errorf(s3.ClassWrongLength, c.Status, "expected %d bytes, got %d", want, c.Bytes)
	}
	return nil
}

// intoError is the error of a Call.Into that refused what it was given, which is how contents are checked.
func intoError(err error, status int) error {
	var known *s3.Error
	if errors.As(err, &known) {
		return known
	}
	return &s3.Error{Class: s3.ClassDiffers, Status: status, Message: s3.OneLine(err.Error()), Err: err}
}
