package s3

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// checkRange makes sure that the answer is the range that was asked for.
func checkRange(c *Call, status int, contentRange string) error {
	if c.Length == 0 {
		return nil
	}
	if status != http.StatusPartialContent {
		return &Error{Class: classNoRange, Status: status, Message: "a range was asked for, the whole object came"}
	}
	if contentRange == "" { // some servers do not say
		return nil
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(contentRange, "bytes "), "-")
	if at, err := strconv.ParseInt(first, 10, 64); err != nil || at != c.Offset {
		return &Error{Class: classWrongRange, Status: status, Message: oneLine(fmt.Sprintf("asked for bytes from %d on, got %s", c.Offset, contentRange))}
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
		return &Error{Class: classWrongLength, Status: status, Message: fmt.Sprintf("expected %d bytes, got %d", want, c.Bytes)}
	}
	return nil
}

// intoError is the error of a Call.Into that refused what it was given, which is how contents are checked.
func intoError(err error, status int) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return &Error{Class: classDiffers, Status: status, Message: oneLine(err.Error()), Err: err}
}

// encrypted is the header by which a server confirms that it used the key of SSE-C.
const encrypted = "X-Amz-Server-Side-Encryption-Customer-Algorithm"

// checkEncrypted makes sure that a server did not just ignore the key of SSE-C, as several do. It is given what the
// header says.
func checkEncrypted(cfg *Config, status int, confirmed string) error {
	if !cfg.Encrypt || confirmed != "" {
		return nil
	}
	return &Error{Class: classNoEncrypt, Status: status, Message: "the server does not confirm that it used the key of --encrypt"}
}
