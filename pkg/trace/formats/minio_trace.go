package formats

import (
	"bytes"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// minIOTrace reads the output of "mc admin trace --json": one JSON object per line. Only calls of S3 count.
type minIOTrace struct{}

func newMinIOTrace() parser { return minIOTrace{} }

func isMinIOTrace(head []byte) bool { return isJSON(head, "callStats", "api", "path") }

// traced holds the fields of a line that are not yet in the event.
type traced struct {
	stamp, name, path, query, stats []byte
	h                               headers
}

func (minIOTrace) parse(line []byte, out *events) error {
	e := out.add()
	var t traced
	if !eachField(line, func(field, value []byte) { t.field(field, value, e) }) {
		return errJSON
	}
	api, isS3 := bytes.CutPrefix(t.name, []byte("s3."))
	kind, known := apiKinds[string(api)]
	if !isS3 || !known || string(api) == "DeleteMultipleObjects" { // it lacks the keys
		out.skip(t.name)
		return nil
	}
	var received, sent int64 = trace.Unknown, trace.Unknown
	eachField(t.stats, func(field, value []byte) {
		switch string(field) {
		case "rx":
			received, _ = optional(value)
		case "tx":
			sent, _ = optional(value)
		case "duration":
			e.Latency, _ = optional(value)
		}
	})
	var inPath []byte
	if e.Bucket, e.Key, inPath = out.pathOf(t.path); kind == op.List {
		e.Key = nil
	}
	e.Kind = kind
	if len(t.query) == 0 {
		t.query = inPath
	}
	e.setQuery(t.query, out)
	t.h.apply(e, received, sent, out)
	return e.setTime(t.stamp)
}

// field sets a field of the line.
func (t *traced) field(field, value []byte, e *event) {
	switch string(field) {
	case "time":
		t.stamp = textOf(value)
	case "client":
		e.Client = textOf(value)
	case "api":
		t.name = textOf(value)
	case "path":
		t.path = textOf(value)
	case "query":
		t.query = textOf(value)
	case "statusCode":
		n, _ := optional(value)
		e.Status = int(max(0, n))
	case "callStats":
		t.stats = value
	case "request":
		t.h.request(member(value, "headers"))
	case "response":
		t.h.response(member(value, "headers"))
	}
}

// member returns the value of a member of a JSON object; nil if there is no such member.
func member(object []byte, name string) (found []byte) {
	eachField(object, func(field, value []byte) {
		if string(field) == name {
			found = value
		}
	})
	return found
}
