package formats

import (
	"bytes"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// headers are the headers of a request and its response that are about sizes, ranges and copies.
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

// headerText returns the value of a header: a text, or the first text of a list.
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

// apply sets size, range and source of an event from headers, or from the bytes received and sent where headers lack the size.
func (h *headers) apply(e *event, received, sent int64, out *events) {
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
		e.Size = trace.Unknown
		e.setRange(h.byteRange)
		e.setContentRange(h.contentRange)
		if e.Length == 0 {
			e.Offset, e.Length = trace.Unknown, max(0, moved)
		}
	case op.Stat:
		if h.content > 0 && !e.failed() {
			e.Size = h.content
		}
	}
}
