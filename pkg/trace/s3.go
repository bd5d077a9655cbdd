package trace

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"warp/pkg/op"
)

// s3Operations are the names of operations in server access logs.
var s3Operations = map[string]op.Kind{
	"REST.GET.OBJECT":     op.Get,
	"REST.PUT.OBJECT":     op.Put,
	"REST.POST.OBJECT":    op.Put,
	"REST.HEAD.OBJECT":    op.Stat,
	"REST.DELETE.OBJECT":  op.Delete,
	"REST.COPY.OBJECT":    op.Copy,
	"REST.GET.BUCKET":     op.List,
	"REST.POST.UPLOADS":   op.CreateUpload,
	"REST.PUT.PART":       op.PutPart,
	"REST.COPY.PART":      op.CopyPart,
	"REST.POST.UPLOAD":    op.CompleteUpload,
	"REST.DELETE.UPLOAD":  op.AbortUpload,
	"WEBSITE.GET.OBJECT":  op.Get,
	"WEBSITE.HEAD.OBJECT": op.Stat,
}

// s3Sources are the names of operations of the records that say what is copied.
var s3Sources = []string{"REST.COPY.OBJECT_GET", "REST.COPY.PART_GET"}

// errFields is the error of a line that ends too early.
var errFields = errors.New("too few fields")

// s3Log reads server access logs: one line per request, with a resolution of one second, in no strict order.
type s3Log struct {
	day  [11]byte // of the last time: "02/Jan/2006"
	base int64
	copies
}

func newS3Log(*Options) (parser, error) { return new(s3Log), nil }

// isS3Log reports whether the third field is a time in brackets, and the seventh the name of an operation.
func isS3Log(head []byte) bool {
	line := firstLine(head)
	for range 2 {
		_, line = cutField(line, ' ')
	}
	if len(line) == 0 || line[0] != '[' {
		return false
	}
	stamp, rest := cutField(line[1:], ']')
	if _, ok := logTime(stamp); !ok || len(rest) == 0 {
		return false
	}
	for range 4 {
		_, rest = cutField(rest, ' ')
	}
	operation, _ := cutField(rest, ' ')
	return bytes.Count(operation, []byte{'.'}) >= 2
}

// parse reads a line. The names of its fields are those of their description.
func (p *s3Log) parse(line []byte, out *events) error {
	_, rest := cutField(line, ' ') // owner
	bucket, rest := cutField(rest, ' ')
	if len(rest) == 0 || rest[0] != '[' {
		return errors.New("no time in brackets in the third field")
	}
	stamp, rest := cutField(rest[1:], ']')
	at, ok := p.time(stamp)
	if !ok {
		return fmt.Errorf("%w %q", errTime, stamp)
	}
	if len(rest) < 2 {
		return errFields
	}
	address, rest := cutField(rest[1:], ' ')
	_, rest = cutField(rest, ' ') // requester
	request, rest := cutField(rest, ' ')
	operation, rest := cutField(rest, ' ')
	key, rest := cutField(rest, ' ')
	kind, known := s3Operations[string(operation)]
	id := xxhash.Sum64(request)
	switch {
	case known:
	case len(key) == 0:
		return errFields
	case slices.Contains(s3Sources, string(operation)):
		p.source(id, bucket, out.decoded(key), out)
		return nil
	default:
		out.skip(operation)
		return nil
	}
	uri, rest, ok := quotedURI(rest)
	if !ok {
		return errors.New("no request in quotes in the ninth field")
	}
	err := s3Fields(out, kind, rest, func(e *Event) {
		e.Start, e.Bucket, e.Client = at+withinSecond(id, kind), bucket, address
		if e.Key = out.decoded(key); len(key) == 1 && key[0] == '-' {
			e.Key = nil
		}
		e.setURI(uri, out)
	})
	if err == nil && kind.Copies() {
		p.made(id, out)
	}
	return err
}

// withinSecond returns when a request was within the second that is all that a log has of its time: anywhere, by a hash. Requests of an upload in
// parts are in the order in which they must have been.
func withinSecond(hash uint64, kind op.Kind) int64 {
	const third = uint64(second / 3)
	switch kind {
	case op.CreateUpload:
		return int64(hash % third)
	case op.PutPart, op.CopyPart:
		return int64(third + hash%third)
	case op.CompleteUpload, op.AbortUpload:
		return int64(2*third + hash%third)
	}
	return int64(hash % uint64(second))
}

// s3Fields reads the fields from the status on.
func s3Fields(out *events, kind op.Kind, rest []byte, begin func(*Event)) error {
	status, rest := cutField(rest, ' ')
	_, rest = cutField(rest, ' ') // error
	sent, rest := cutField(rest, ' ')
	size, rest := cutField(rest, ' ')
	total, rest := cutField(rest, ' ')
	_, rest = cutField(rest, ' ') // turn-around
	if len(rest) == 0 {
		return errFields
	}
	code, ok1 := optional(status)
	bytesSent, ok2 := optional(sent)
	objectSize, ok3 := optional(size)
	took, ok4 := optional(total)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return errors.New("invalid status, number of bytes or time")
	}
	e := out.add()
	e.Kind = kind
	begin(e)
	setS3(e, code, bytesSent, objectSize, took)
	return nil
}

// setS3 sets the figures of an access log. Missing ones are Unknown.
func setS3(e *Event, status, sent, size, milliseconds int64) {
	if e.Status, e.Size = int(max(0, status)), size; e.Kind == op.List {
		e.Size = Unknown
	}
	if e.Kind == op.Get && status == 206 && sent > 0 {
		e.Offset, e.Length = Unknown, sent
	} else if e.Kind == op.Get && size == Unknown && status == 200 {
		e.Size = max(0, sent)
	}
	if milliseconds >= 0 {
		e.Latency = milliseconds * (second / 1000)
	}
}

// quotedURI cuts off the request in quotes. It may hold quotes itself, and ends where a status or a dash follows.
func quotedURI(b []byte) (uri, rest []byte, ok bool) {
	if len(b) > 1 && b[0] == '-' && b[1] == ' ' {
		return nil, b[2:], true
	}
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	for at := 1; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return nil, nil, false
		}
		if at += n + 1; at+1 < len(b) && b[at] == ' ' {
			field, after := cutField(b[at+1:], ' ')
			if _, isNumber := optional(field); isNumber && len(after) > 0 {
				return b[1 : at-1], b[at+1:], true
			}
		}
	}
}

// time parses a stamp. Most have the date of the one before.
func (p *s3Log) time(b []byte) (int64, bool) {
	if len(b) == 26 && string(b[:11]) == string(p.day[:]) && string(b[20:]) == " +0000" && b[11] == ':' {
		ns, _, ok := clockTime(b[12:20])
		return p.base + ns, ok
	}
	at, ok := logTime(b)
	if ok && len(b) == 26 && string(b[20:]) == " +0000" {
		copy(p.day[:], b)
		ns, _, _ := clockTime(b[12:20])
		p.base = at - ns
	}
	return at, ok
}

// s3JSON reads the same log in its form for CloudWatch Logs, whose times have milliseconds.
type s3JSON struct{ copies }

func newS3JSON(*Options) (parser, error) { return new(s3JSON), nil }

func isS3JSON(head []byte) bool {
	return isJSON(head, "schema_version_id", "request_time", "operation")
}

func (p *s3JSON) parse(line []byte, out *events) error {
	e := out.add()
	var stamp, operation, uri, request []byte
	status, sent, size, took := int64(Unknown), int64(Unknown), int64(Unknown), int64(Unknown)
	ok := true
	whole := eachField(line, func(name, value []byte) {
		good := true
		switch string(name) {
		case "request_time":
			stamp = textOf(value)
		case "operation":
			operation = textOf(value)
		case "bucket_name":
			e.Bucket = textOf(value)
		case "remote_ip":
			e.Client = textOf(value)
		case "key":
			if e.Key = out.decoded(textOf(value)); len(e.Key) == 1 && e.Key[0] == '-' {
				e.Key = nil
			}
		case "request_id":
			request = textOf(value)
		case "request_uri":
			uri = textOf(value)
		case "http_status":
			status, good = optional(textOf(value))
		case "bytes_sent":
			sent, good = optional(textOf(value))
		case "object_size":
			size, good = optional(textOf(value))
		case "total_time":
			took, good = optional(textOf(value))
		}
		ok = ok && good
	})
	if !whole {
		return errJSON
	}
	if !ok {
		return errors.New("invalid status, number of bytes or time")
	}
	if !p.operation(operation, request, out) {
		return nil
	}
	e.setURI(uri, out)
	setS3(e, status, sent, size, took)
	if err := e.setTime(stamp); err != nil {
		return err
	}
	if e.Kind.Copies() && len(request) > 0 {
		p.made(xxhash.Sum64(request), out)
	}
	return nil
}

// operation sets the kind by the name of the operation, and reports whether the record is of one.
func (p *s3JSON) operation(name, request []byte, out *events) (known bool) {
	e := &out.list[0]
	if e.Kind, known = s3Operations[string(name)]; known {
		return true
	}
	if !slices.Contains(s3Sources, string(name)) {
		out.skip(name)
		return false
	}
	bucket, key := e.Bucket, e.Key
	out.list = out.list[:0]
	p.source(xxhash.Sum64(request), bucket, key, out)
	return false
}

// errJSON is the error of a line that is no JSON object, or a truncated one.
var errJSON = errors.New("not a JSON object")
