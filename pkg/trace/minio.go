package trace

import (
	"bytes"
	"time"

	"warp/pkg/op"
)

// minIOAudit reads audit logs of MinIO: one JSON object per line, written at the end of the request.
type minIOAudit struct{}

func newMinIOAudit(*Options) (parser, error) { return minIOAudit{}, nil }

func isMinIOAudit(head []byte) bool { return isJSON(head, "deploymentid", "api", "time") }

// audited is what of a line is not yet in the event.
type audited struct {
	stamp, name, objects []byte
	h                    headers
	received, sent       int64
}

func (minIOAudit) parse(line []byte, out *events) error {
	e := out.add()
	a := audited{received: Unknown, sent: Unknown}
	whole := eachField(line, func(field, value []byte) {
		switch string(field) {
		case "time":
			a.stamp = textOf(value)
		case "remotehost":
			e.Client = textOf(value)
		case "requestHeader":
			a.h.request(value)
		case "responseHeader":
			a.h.response(value)
		case "requestQuery":
			eachField(value, func(field, value []byte) {
				switch {
				case string(field) != "prefix":
					e.setParameter(field, textOf(value))
				case len(e.Key) == 0:
					e.Key = textOf(value)
				}
			})
		case "api":
			a.api(value, e)
		}
	})
	if !whole {
		return errJSON
	}
	kind, known := apiKinds[string(a.name)]
	if !known {
		out.skip(a.name)
		return nil
	}
	if err := e.setTime(a.stamp); err != nil {
		return err
	}
	e.Kind = kind
	e.Start -= max(0, e.Latency)
	a.h.apply(e, a.received, a.sent, out)
	if kind == op.Delete && len(a.objects) > 0 {
		eachDeleted(out, a.objects)
	}
	return nil
}

// api reads what the request did.
func (a *audited) api(fields []byte, e *Event) {
	eachField(fields, func(field, value []byte) {
		switch string(field) {
		case "name":
			a.name = textOf(value)
		case "bucket":
			e.Bucket = textOf(value)
		case "object":
			e.Key = textOf(value)
		case "objects":
			a.objects = value
		case "statusCode":
			n, _ := optional(value)
			e.Status = int(max(0, n))
		case "rx":
			a.received, _ = optional(value)
		case "tx":
			a.sent, _ = optional(value)
		case "timeToResponse":
			e.Latency = durationText(textOf(value))
		}
	})
}

// durationText parses "1234ns", or any duration as Go prints it; Unknown if it is invalid.
func durationText(b []byte) int64 {
	if digits, ok := bytes.CutSuffix(b, []byte("ns")); ok {
		if n, ok := number(digits); ok {
			return n
		}
	}
	d, err := time.ParseDuration(string(b))
	if err != nil {
		return Unknown
	}
	return int64(d)
}

// eachDeleted makes an event of each key of a request that deletes several.
func eachDeleted(out *events, objects []byte) {
	first := true
	eachItem(objects, func(item []byte) {
		var key []byte
		eachField(item, func(field, value []byte) {
			switch string(field) {
			case "objectName", "key", "name", "Key":
				key = textOf(value)
			}
		})
		switch {
		case len(key) == 0:
		case first:
			out.list[0].Key, first = key, false
		default:
			e := out.list[0]
			e.Key = key
			out.list = append(out.list, e)
		}
	})
}

// headers are those of a request and its response that say how much it moved.
type headers struct {
	byteRange, contentRange []byte
	source, sourceRange     []byte // of a copy
	length, decoded         int64  // of the request's body; 0: unknown
	content                 int64  // of the response's body; 0: unknown
}

func (h *headers) request(fields []byte) {
	eachField(fields, func(field, value []byte) {
		switch {
		case bytes.EqualFold(field, []byte("Range")):
			h.byteRange = headerText(value)
		case bytes.EqualFold(field, []byte("X-Amz-Copy-Source")):
			h.source = headerText(value)
		case bytes.EqualFold(field, []byte("X-Amz-Copy-Source-Range")):
			h.sourceRange = headerText(value)
		case bytes.EqualFold(field, []byte("Content-Length")):
			h.length, _ = number(headerText(value))
		case bytes.EqualFold(field, []byte("X-Amz-Decoded-Content-Length")):
			h.decoded, _ = number(headerText(value))
		}
	})
}

func (h *headers) response(fields []byte) {
	eachField(fields, func(field, value []byte) {
		switch {
		case bytes.EqualFold(field, []byte("Content-Range")):
			h.contentRange = headerText(value)
		case bytes.EqualFold(field, []byte("Content-Length")):
			h.content, _ = number(headerText(value))
		}
	})
}

// headerText returns the value of a header: a text, or the first one of a list.
func headerText(value []byte) []byte {
	if len(value) > 0 && value[0] == '[' {
		var first []byte
		eachItem(value, func(item []byte) {
			if first == nil {
				first = textOf(item)
			}
		})
		return first
	}
	return textOf(value)
}

// apply sets size, range and source of an event from headers, or else from the bytes that were received and sent.
func (h *headers) apply(e *Event, received, sent int64, out *events) {
	if h.source != nil {
		e.setSource(h.source, out)
		e.setSourceRange(h.sourceRange)
	}
	switch e.Kind {
	case op.Put, op.PutPart:
		switch {
		case h.decoded > 0:
			e.Size = h.decoded
		case h.length > 0:
			e.Size = h.length
		default:
			e.Size = received
		}
	case op.Get:
		if e.failed() {
			return
		}
		if e.Size = sent; h.content > 0 {
			e.Size = h.content
		}
		if h.byteRange == nil && h.contentRange == nil && e.Status != 206 {
			return
		}
		moved := e.Size
		e.Size = Unknown
		e.setRange(h.byteRange)
		e.setContentRange(h.contentRange)
		if e.Length == 0 {
			e.Offset, e.Length = Unknown, max(0, moved)
		}
	case op.Stat:
		if h.content > 0 && !e.failed() {
			e.Size = h.content
		}
	}
}

// minIOTrace reads what "mc admin trace --json" prints: one JSON object per line, of which only calls of S3 count.
type minIOTrace struct{}

func newMinIOTrace(*Options) (parser, error) { return minIOTrace{}, nil }

func isMinIOTrace(head []byte) bool { return isJSON(head, "callStats", "api", "path") }

// traced is what of a line is not yet in the event.
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
	if !isS3 || !known || string(api) == "DeleteMultipleObjects" { // whose keys the line does not have
		out.skip(t.name)
		return nil
	}
	var received, sent int64 = Unknown, Unknown
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

// field takes a field of the line.
func (t *traced) field(field, value []byte, e *Event) {
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

// member returns the value of a member of a JSON object; nil if it has none of this name.
func member(object []byte, name string) (found []byte) {
	eachField(object, func(field, value []byte) {
		if string(field) == name {
			found = value
		}
	})
	return found
}
