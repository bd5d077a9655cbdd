package formats

import (
	"bytes"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// hasParameters reports whether the query of a request of this kind has fields of the event.
func (e *event) hasParameters() bool {
	return e.Kind == op.List || e.Kind == op.PutPart || e.Kind == op.CopyPart
}

// setQuery sets fields from the query of a request: of a listing, or of a part of an upload. The kind must be set.
func (e *event) setQuery(query []byte, out *events) {
	if !e.hasParameters() {
		return
	}
	for len(query) > 0 {
		var pair []byte
		pair, query = cutField(query, '&')
		name, value := cutField(pair, '=')
		switch value = out.decoded(value); {
		case string(name) != "prefix":
			e.setParameter(name, value)
		case e.Kind == op.List:
			e.Key = value
		}
	}
}

// setURI sets fields from the query in the first line of a request. The kind must be set.
func (e *event) setURI(uri []byte, out *events) {
	if !e.hasParameters() {
		return
	}
	_, path := cutField(uri, ' ')
	path, _, _ = bytes.Cut(path, []byte(" HTTP/"))
	_, query := cutField(path, '?')
	e.setQuery(query, out)
}

// setParameter sets a field from a parameter of a query. It ignores the prefix of a listing and unknown parameters.
func (e *event) setParameter(name, value []byte) {
	if len(value) == 0 {
		return
	}
	switch string(name) {
	case "delimiter":
		e.Listed |= trace.ListedFlat
	case "continuation-token", "marker", "start-after":
		e.Listed |= trace.ListedFurther
	case "max-keys":
		e.Entries, _ = number(value)
	case "partNumber":
		n, _ := number(value)
		e.Part = int(min(n, maxPart))
	}
}

// maxPart is the maximum number of a part.
const maxPart = 10_000

// setSource sets the source from the header of a copy, "/bucket/key?versionId=...". It turns uploads into copies.
func (e *event) setSource(header []byte, out *events) {
	path, _, _ := bytes.Cut(header, []byte("?"))
	bucket, key := cutField(bytes.TrimPrefix(out.decoded(path), []byte("/")), '/')
	if len(key) == 0 {
		return
	}
	switch e.SourceBucket, e.Source = bucket, key; e.Kind {
	case op.Put:
		e.Kind = op.Copy
	case op.PutPart:
		e.Kind = op.CopyPart
	}
}

// setSourceRange sets the range of the source from the header of a copy.
func (e *event) setSourceRange(header []byte) {
	if e.Kind == op.CopyPart {
		e.setRange(header)
		e.Size = e.Length
	}
}
