package formats

import (
	"github.com/cespare/xxhash/v2"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// cloudTrail reads data events of CloudTrail: a JSON object that holds all events of a file. Times have whole seconds.
type cloudTrail struct{ record trailRecord }

// trailRecord is the record being read.
type trailRecord struct {
	*event
	out                                *events
	stamp, name, id, code, sourceRange []byte
	received, sent                     int64
}

func newCloudTrail() parser { return new(cloudTrail) }

func isCloudTrail(head []byte) bool {
	return isJSON(head, "Records") || isJSON(head, "eventTime", "eventName", "eventSource")
}

// trailFields are the members of a record.
var trailFields = fields[*trailRecord]{
	"eventTime":           func(r *trailRecord, value []byte) { r.stamp = textOf(value) },
	"eventName":           func(r *trailRecord, value []byte) { r.name = textOf(value) },
	"sourceIPAddress":     func(r *trailRecord, value []byte) { r.Client = textOf(value) },
	"requestID":           func(r *trailRecord, value []byte) { r.id = textOf(value) },
	"errorCode":           func(r *trailRecord, value []byte) { r.code = textOf(value) },
	"requestParameters":   (*trailRecord).parameters,
	"additionalEventData": func(r *trailRecord, value []byte) { trailData.read(value, r, nil) },
}

// trailData are the members of additionalEventData.
var trailData = fields[*trailRecord]{
	"bytesTransferredIn":  func(r *trailRecord, value []byte) { r.received, _ = decimal(textOf(value), 0) },
	"bytesTransferredOut": func(r *trailRecord, value []byte) { r.sent, _ = decimal(textOf(value), 0) },
}

// trailParameters are the members of requestParameters. Others are parameters of the query.
var trailParameters = fields[*trailRecord]{
	"bucketName":              func(r *trailRecord, value []byte) { r.Bucket = textOf(value) },
	"key":                     func(r *trailRecord, value []byte) { r.Key = textOf(value) },
	"prefix":                  (*trailRecord).prefix,
	"Range":                   func(r *trailRecord, value []byte) { r.setRange(textOf(value)) },
	"range":                   func(r *trailRecord, value []byte) { r.setRange(textOf(value)) },
	"x-amz-copy-source":       func(r *trailRecord, value []byte) { r.setSource(textOf(value), r.out) },
	"x-amz-copy-source-range": func(r *trailRecord, value []byte) { r.sourceRange = textOf(value) },
}

// parameters reads requestParameters.
func (r *trailRecord) parameters(object []byte) {
	trailParameters.read(object, r, func(name, value []byte) { r.setParameter(name, textOf(value)) })
}

// prefix sets the prefix of a listing.
func (r *trailRecord) prefix(value []byte) {
	if len(r.Key) == 0 {
		r.Key = textOf(value)
	}
}

func (p *cloudTrail) parse(record []byte, out *events) error {
	p.record = trailRecord{event: out.add(), out: out, received: trace.Unknown, sent: trace.Unknown}
	r := &p.record
	if !trailFields.read(record, r, nil) {
		return errJSON
	}
	kind, known := apiKinds[string(r.name)]
	if !known || string(r.name) == "DeleteObjects" { // it lacks the keys
		out.skip(r.name)
		return nil
	}
	r.Kind, r.Status = kind, errorStatus(r.code)
	switch kind {
	case op.Get:
		if r.Size = r.sent; r.Length > 0 || r.Offset > 0 {
			r.Size, r.Length = trace.Unknown, max(r.Length, r.sent)
		}
	case op.Put, op.PutPart:
		r.Size = r.received
	case op.CopyPart:
		r.setSourceRange(r.sourceRange)
	}
	if err := r.setTime(r.stamp); err != nil {
		return err
	}
	r.Start += withinSecond(xxhash.Sum64(r.id), kind)
	return nil
}
