package formats

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"warp/pkg/op"
)

// s3Log reads server access logs: one line per request, with a resolution of one second, in no strict order.
type s3Log struct {
	day  [11]byte // of the last time: "02/Jan/2006"
	base int64
	copies
}

func newS3Log() parser { return new(s3Log) }

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

// parse reads a line. Its fields have the names of the documentation of S3.
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
	err := s3Fields(out, kind, rest, func(e *event) {
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

// s3Fields reads the fields from the status on.
func s3Fields(out *events, kind op.Kind, rest []byte, begin func(*event)) error {
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
