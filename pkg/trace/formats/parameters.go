package formats

import (
	"bytes"

	"warp/pkg/op"
	"warp/pkg/trace"
)

// hasParameters reports whether the query of such a request says more than what the request is.
func (e *event) hasParameters() bool {
	return e.Kind == op.List || e.Kind == op.PutPart || e.Kind == op.CopyPart
}

// setQuery sets what the query of a request says: what is listed, or which part of an upload is meant. The kind must be known.
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

// setURI sets what the first line of a request says beside the kind and the key, which are known.
func (e *event) setURI(uri []byte, out *events) {
	if !e.hasParameters() {
		return
	}
	_, path := cutField(uri, ' ')
	path, _, _ = bytes.Cut(path, []byte(" HTTP/"))
	_, query := cutField(path, '?')
	e.setQuery(query, out)
}

// setParameter sets what a parameter of a query says, other than the prefix of a listing. Other parameters say nothing here.
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

// setSource sets what is copied from the header that says it, "/bucket/key?versionId=...". An upload with it is a copy.
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

// setSourceRange notes the part of the source that is copied.
func (e *event) setSourceRange(header []byte) {
	if e.Kind == op.CopyPart {
		e.setRange(header)
		e.Size = e.Length
	}
}
