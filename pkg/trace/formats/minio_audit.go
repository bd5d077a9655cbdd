package formats

import (
	"bytes"
	"time"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// minIOAudit reads audit logs of MinIO: one JSON object per line, written at the end of the request.
type minIOAudit struct{}

func newMinIOAudit() parser { return minIOAudit{} }

func isMinIOAudit(head []byte) bool { return isJSON(head, "deploymentid", "api", "time") }

// audited holds the fields of a line that are not yet in the event.
type audited struct {
	stamp, name, objects []byte
	h                    headers
	received, sent       int64
}

func (minIOAudit) parse(line []byte, out *events) error {
	e := out.add()
	a := audited{received: trace.Unknown, sent: trace.Unknown}
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

// api reads the member api.
func (a *audited) api(fields []byte, e *event) {
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
		return trace.Unknown
	}
	return int64(d)
}

// eachDeleted makes an event for each key of a request that deletes several objects.
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
