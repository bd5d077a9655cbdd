package formats

import (
	"github.com/cespare/xxhash/v2"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// cloudTrail reads data events of CloudTrail: a JSON object with all events of a file, with a resolution of one second.
type cloudTrail struct{}

func newCloudTrail() parser { return cloudTrail{} }

func isCloudTrail(head []byte) bool {
	return isJSON(head, "Records") || isJSON(head, "eventTime", "eventName", "eventSource")
}

func (cloudTrail) parse(record []byte, out *events) error {
	e := out.add()
	var stamp, name, id, code, sourceRange []byte
	received, sent := int64(trace.Unknown), int64(trace.Unknown)
	whole := eachField(record, func(field, value []byte) {
		switch string(field) {
		case "eventTime":
			stamp = textOf(value)
		case "eventName":
			name = textOf(value)
		case "sourceIPAddress":
			e.Client = textOf(value)
		case "requestID":
			id = textOf(value)
		case "errorCode":
			code = textOf(value)
		case "requestParameters":
			sourceRange = trailParameters(e, value, out)
		case "additionalEventData":
			eachField(value, func(field, value []byte) {
				switch string(field) {
				case "bytesTransferredIn":
					received, _ = decimal(textOf(value), 0)
				case "bytesTransferredOut":
					sent, _ = decimal(textOf(value), 0)
				}
			})
		}
	})
	if !whole {
		return errJSON
	}
	kind, known := apiKinds[string(name)]
	if !known || string(name) == "DeleteObjects" { // whose keys the event does not have
		out.skip(name)
		return nil
	}
	e.Kind, e.Status = kind, errorStatus(code)
	switch kind {
	case op.Get:
		if e.Size = sent; e.Length > 0 || e.Offset > 0 {
			e.Size, e.Length = trace.Unknown, max(e.Length, sent)
		}
	case op.Put, op.PutPart:
		e.Size = received
	case op.CopyPart:
		e.setSourceRange(sourceRange)
	}
	if err := e.setTime(stamp); err != nil {
		return err
	}
	e.Start += withinSecond(xxhash.Sum64(id), kind)
	return nil
}

// trailParameters reads what the request was about. It returns the range of the object of which a part is copied.
func trailParameters(e *event, parameters []byte, out *events) (sourceRange []byte) {
	eachField(parameters, func(field, value []byte) {
		switch string(field) {
		case "bucketName":
			e.Bucket = textOf(value)
		case "key":
			e.Key = textOf(value)
		case "prefix":
			if len(e.Key) == 0 {
				e.Key = textOf(value)
			}
		case "Range", "range":
			e.setRange(textOf(value))
		case "x-amz-copy-source":
			e.setSource(textOf(value), out)
		case "x-amz-copy-source-range":
			sourceRange = textOf(value)
		default:
			e.setParameter(field, textOf(value))
		}
	})
	return sourceRange
}
