package responder

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
)

// rawJSON is in all paths of Google's JSON interface, and in no others.
var rawJSON = []byte("/storage/v1")

const rawEmpty = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// google returns path and query of the present request if it is one to Google's JSON interface.
func (v *rawVisit) google() (path string, ok bool) {
	line, _, _ := bytes.Cut(v.head, []byte("\r\n"))
	if !bytes.Contains(line, rawJSON) {
		return "", false
	}
	return v.path(), true
}

// respondGoogle responds as Google's JSON interface does. All that it says of an object is its size.
func (v *rawVisit) respondGoogle(target string) error {
	path, query, _ := strings.Cut(target, "?")
	size := len(v.r.body)
	kept, ok := v.kept(path)
	if ok {
		size = len(kept)
	}
	switch {
	case v.head[0] == 'D':
		v.forget(path)
		return v.write(rawDeleted)
	case strings.HasPrefix(path, "/batch/"):
		return v.write(rawUnknown)
	case strings.HasSuffix(path, "/o") && v.head[0] == 'P':
		size = v.size
		if v.body != nil {
			values, _ := url.ParseQuery(query)
			v.keep(strings.TrimPrefix(path, "/upload") + "/" + url.QueryEscape(values.Get("name")))
		}
	case strings.HasSuffix(path, "/o"):
		return v.write(rawEmpty)
	case strings.Contains(query, "alt=media"):
		return v.send(kept, ok)
	}
	text := fmt.Sprintf("{\n  \"generation\": \"1\",\n  \"size\": \"%d\"\n}\n", size)
	return v.write(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
}
