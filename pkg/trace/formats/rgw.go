package formats

import (
	"bytes"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// rgw reads operations logs of Ceph's RADOS Gateway: JSON objects, one per line, perhaps as items of an array.
type rgw struct{}

func newRGW() parser { return rgw{} }

func isRGW(head []byte) bool { return isJSON(head, "bucket", "operation", "http_status", "trans_id") }

func (rgw) parse(line []byte, out *events) error {
	line = bytes.Trim(line, "[], \t")
	if len(line) == 0 {
		return nil
	}
	e := out.add()
	var stamp, uri, object, operation []byte
	const unknown = int64(trace.Unknown)
	status, sent, received, size, took := unknown, unknown, unknown, unknown, unknown
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
	if string(operation) == "copy_obj" && e.Kind == op.Put {
		e.Kind = op.Copy // of what, the log does not say
	}
	e.Status = int(max(0, status))
	if took >= 0 {
		e.Latency = took * (second / 1000)
	}
	e.setMoved(size, received, sent)
	return e.setTime(stamp)
}
