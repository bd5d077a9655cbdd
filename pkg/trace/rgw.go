package trace

import (
	"bytes"

	"warp/pkg/op"
)

// rgw reads operations logs of Ceph's RADOS Gateway: JSON objects, one per line, perhaps as items of an array.
type rgw struct{}

func newRGW(*Options) (parser, error) { return rgw{}, nil }

func isRGW(head []byte) bool { return isJSON(head, "bucket", "operation", "http_status", "trans_id") }

func (rgw) parse(line []byte, out *events) error {
	line = bytes.Trim(line, "[], \t")
	if len(line) == 0 {
		return nil
	}
	e := out.add()
	var stamp, uri, object, operation []byte
	status, sent, received, size, took := int64(Unknown), int64(Unknown), int64(Unknown), int64(Unknown), int64(Unknown)
	whole := eachField(line, func(field, value []byte) {
		switch string(field) {
		case "time":
			stamp = textOf(value)
		case "bucket":
			e.Bucket = textOf(value)
		case "object":
			object = textOf(value)
		case "remote_addr":
			e.Client = textOf(value)
		case "uri":
			uri = textOf(value)
		case "operation":
			operation = textOf(value)
		case "http_status":
			status, _ = optional(textOf(value))
		case "bytes_sent":
			sent, _ = optional(textOf(value))
		case "bytes_received":
			received, _ = optional(textOf(value))
		case "object_size":
			size, _ = optional(textOf(value))
		case "total_time":
			took, _ = optional(textOf(value))
		}
	})
	if !whole {
		return errJSON
	}
	if !e.setRequest(uri, out) {
		out.skip(operation)
		return nil
	}
	if len(object) > 0 && e.Kind != op.List {
		e.Key = object
	}
	e.Status = int(max(0, status))
	if took >= 0 {
		e.Latency = took * (second / 1000)
	}
	e.setMoved(size, received, sent)
	return e.setTime(stamp)
}

// setRequest sets what the first line of a request says: "GET /bucket/key HTTP/1.1". It returns false if that is no operation on objects.
func (e *Event) setRequest(line []byte, out *events) bool {
	method, path := cutField(line, ' ')
	path, _, _ = bytes.Cut(path, []byte(" HTTP/"))
	bucket, key, query := out.pathOf(path)
	var ok bool
	if e.Kind, ok = methodKind(string(method), key, query); !ok {
		return false
	}
	if e.Key = key; e.Kind == op.List {
		prefix, _ := queryValue(query, "prefix")
		e.Key = out.decoded(prefix)
	}
	if len(e.Bucket) == 0 {
		e.Bucket = bucket
	}
	return true
}

// setMoved sets the size of the object from what the log says of it, or else from the bytes that were moved.
func (e *Event) setMoved(size, received, sent int64) {
	switch {
	case e.Kind == op.Put, e.Kind == op.PutPart:
		if e.Size = received; received <= 0 && size > 0 {
			e.Size = size
		}
	case e.Kind == op.Get && e.failed():
	case e.Kind == op.Get && e.Status == 206:
		e.Size, e.Offset, e.Length = Unknown, Unknown, max(0, sent)
		if size > e.Length {
			e.Size = size
		}
	case e.Kind == op.Get && size > 0:
		e.Size = size
	case e.Kind == op.Get:
		e.Size = sent
	case size > 0:
		e.Size = size
	}
}
