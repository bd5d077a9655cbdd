package lean

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"warp/pkg/s3/exchange"
)

const unknown = exchange.UnknownLength

// responseHeader is the status line and the header of a response. It refers to the buffer that it was read into.
type responseHeader struct {
	status  int
	lines   []byte // the header lines, each with its end
	length  int64  // Content-Length, or unknown
	chunked bool
	close   bool // the server closes the connection
	closes  bool // it says so, which nothing else revokes
}

// headerEnd returns the index behind the empty line that ends a header in b, or -1. The search begins at from; seen is where
// to begin next time.
func headerEnd(b []byte, from int) (end, seen int) {
	for i := from; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1, i
		}
		next := i + n + 1
		switch rest := b[next:]; {
		case len(rest) > 0 && rest[0] == '\n':
			return next + 1, 0
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return next + 2, 0
		case len(rest) == 0, len(rest) == 1 && rest[0] == '\r':
			return -1, i
		}
		i = next
	}
}

// protocol begins every response.
const protocol = "HTTP/1."

// checkProtocol fails as soon as b cannot be the beginning of a response.
func checkProtocol(b []byte) error {
	n := min(len(b), len(protocol))
	if string(b[:n]) != protocol[:n] {
		return malformed("response", b)
	}
	return nil
}

// parse parses a complete header. It replaces obsolete line folding by blanks in b (RFC 9112, 5.2).
func (h *responseHeader) parse(b []byte) error {
	err := h.parseLines(b)
	if err != nil && unfold(b) {
		err = h.parseLines(b)
	}
	return err
}

var carriageReturn = []byte{'\r'}

// unfold joins folded lines, but none with the status line. It reports whether there are any.
func unfold(b []byte) (folded bool) {
	for i := bytes.IndexByte(b, '\n') + 1; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 || i+n+1 == len(b) {
			return folded
		}
		if i += n + 1; b[i] == ' ' || b[i] == '\t' {
			b[i-1], folded = ' ', true
			if b[i-2] == '\r' {
				b[i-2] = ' '
			}
		}
	}
}

// parseLines parses a header without folded lines.
func (h *responseHeader) parseLines(b []byte) error {
	line, rest := cutLine(b)
	if len(line) < len("HTTP/1.1 200") || string(line[:len(protocol)]) != protocol || line[8] != ' ' ||
		len(line) > 12 && line[12] != ' ' {
		return malformed("response", line)
	}
	*h = responseHeader{length: unknown, lines: rest}
	switch line[7] {
	case '0':
		h.close = true // unless it says otherwise
	case '1':
	default:
		return malformed("version", line)
	}
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return malformed("status code", line)
		}
		h.status = 10*h.status + int(c-'0')
	}
	if h.status < 100 {
		return malformed("status code", line)
	}
	for ends := 0; ; { // CRs at the end of lines
		left := len(rest)
		line, rest = cutLine(rest)
		ends += left - len(rest) - len(line) - 1
		if len(line) == 0 {
			if bytes.IndexByte(h.lines, 0) >= 0 || bytes.Count(h.lines, carriageReturn) != ends {
				return malformed("header line with CR or NUL", h.lines)
			}
			break
		}
		if err := h.parseLine(line); err != nil {
			return err
		}
	}
	if h.chunked && b[7] == '0' { // which HTTP/1.0 does not have
		h.chunked = false
	}
	if h.chunked { // which counts, whatever the length (RFC 9112, 6.3)
		h.length = unknown
	}
	return nil
}

// cutLine cuts the first line off; its end may be a bare line feed.
func cutLine(b []byte) (line, rest []byte) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		return b, nil
	}
	line, rest = b[:i], b[i+1:]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}

// parseLine parses one line, for what rules the exchange.
func (h *responseHeader) parseLine(line []byte) error {
	if line[0] == ' ' || line[0] == '\t' {
		return malformed("header line", line)
	}
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || line[colon-1] == ' ' || line[colon-1] == '\t' {
		return malformed("header line", line)
	}
	name := line[:colon]
	switch len(name) { // few names have these lengths, and comparing is what costs
	case len("Connection"):
		if equalFold(name, "connection") {
			h.connection(trim(line[colon+1:]))
		}
	case len("Content-Length"):
		if equalFold(name, "content-length") {
			return h.contentLength(trim(line[colon+1:]))
		}
	case len("Transfer-Encoding"):
		if equalFold(name, "transfer-encoding") {
			if value := trim(line[colon+1:]); !equalFold(value, "chunked") || h.chunked {
				return malformed("transfer encoding", value)
			}
			h.chunked = true
		}
	}
	return nil
}

func (h *responseHeader) connection(value []byte) {
	for len(value) > 0 {
		var one []byte
		one, value, _ = bytes.Cut(value, []byte(","))
		switch one = trim(one); {
		case equalFold(one, "close"):
			h.close, h.closes = true, true
		case equalFold(one, "keep-alive"):
			h.close = h.closes
		}
	}
}

func (h *responseHeader) contentLength(value []byte) error {
	n, ok := parseDigits(value, 10)
	if !ok || h.length != unknown && h.length != n {
		return malformed("Content-Length", value)
	}
	h.length = n
	return nil
}

// parseDigits parses a number without a sign, up to about 2^59.
func parseDigits(b []byte, base int64) (n int64, ok bool) {
	for _, c := range b {
		d := int64(16)
		switch {
		case c >= '0' && c <= '9':
			d = int64(c - '0')
		case c >= 'a' && c <= 'f':
			d = int64(c-'a') + 10
		case c >= 'A' && c <= 'F':
			d = int64(c-'A') + 10
		}
		if d >= base || n >= 1<<55 {
			return 0, false
		}
		n = n*base + d
	}
	return n, len(b) > 0
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// equalFold reports whether b is lower, which is in lower case, ignoring case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// find returns the first value of a header, whose name must be in lower case; nil if there is none.
func (h *responseHeader) find(lower string) []byte {
	for rest := h.lines; len(rest) > len(lower); {
		var line []byte
		line, rest = cutLine(rest)
		if len(line) > len(lower) && line[len(lower)] == ':' && equalFold(line[:len(lower)], lower) {
			return trim(line[len(lower)+1:])
		}
	}
	return nil
}

// all returns a copy of all headers, for errors: it allocates.
func (h *responseHeader) all() http.Header {
	out := http.Header{}
	for rest := h.lines; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		if name, value, ok := strings.Cut(string(line), ":"); ok {
			out.Add(name, strings.TrimSpace(value))
		}
	}
	return out
}

// tooLong is the error of a header that does not fit into the buffer.
func tooLong(limit int) error {
	return fmt.Errorf("malformed HTTP response: header longer than %d bytes", limit)
}
