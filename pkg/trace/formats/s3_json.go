package formats

import (
	"errors"
	"slices"

	"github.com/cespare/xxhash/v2"

	"warp/pkg/trace"
)

// s3JSON reads the same log in its form for CloudWatch Logs, whose times have milliseconds.
type s3JSON struct{ copies }

func newS3JSON() parser { return new(s3JSON) }

func isS3JSON(head []byte) bool {
	return isJSON(head, "schema_version_id", "request_time", "operation")
}

func (p *s3JSON) parse(line []byte, out *events) error {
	e := out.add()
	var stamp, operation, uri, request []byte
	status, sent, size, took := int64(trace.Unknown), int64(trace.Unknown), int64(trace.Unknown), int64(trace.Unknown)
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
