package gcsjson

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// statusAborted is the status of a session that was ended.
const statusAborted = 499

// chunkUnit is what chunks but the last are multiples of.
const chunkUnit = 256 << 10

// session is a resumable upload.
type session struct {
	bucket string
	object *object
	query  url.Values // with its conditions
	size   int64      // -1: not known yet
	stored int64
	done   *object
}

// insert uploads an object, or begins a resumable upload.
func (s *Store) insert(q *request, b *bucket) response {
	o := &object{
		key: q.query.Get("name"), size: q.size, content: q.content, contentType: q.header.Get("Content-Type"), described: map[string]any{},
	}
	switch q.query.Get("uploadType") {
	case "media":
	case "multipart":
		if !o.readMultipart(q) {
			return fails(http.StatusBadRequest, "")
		}
	case "resumable":
		return s.begin(q, b, o)
	default:
		return fails(http.StatusBadRequest, "")
	}
	if o.key == "" {
		return fails(http.StatusBadRequest, "required")
	}
	if refusal, refused := s.writable(q, b, o.key); refused {
		return refusal
	}
	s.put(b, o)
	return response{status: http.StatusOK, document: s.resource(q.bucket, o)}
}

// describe takes what a document says of an object.
func (o *object) describe(text []byte) bool {
	var facts map[string]any
	if json.Unmarshal(text, &facts) != nil {
		return false
	}
	if key, ok := facts["name"].(string); ok {
		o.key = key
	}
	if kind, ok := facts["contentType"].(string); ok {
		o.contentType = kind
	}
	for field, value := range facts {
		if field != "name" && field != "contentType" {
			o.described[field] = value
		}
	}
	return true
}

// readMultipart reads a description and contents, and reports whether they are right.
func (o *object) readMultipart(q *request) bool {
	kind, params, err := mime.ParseMediaType(q.header.Get("Content-Type"))
	if err != nil || kind != "multipart/related" {
		return false
	}
	parts := multipart.NewReader(bytes.NewReader(q.document), params["boundary"])
	var texts [2][]byte
	for i := range texts {
		part, err := parts.NextRawPart()
		if err != nil {
			return false
		}
		if texts[i], err = io.ReadAll(part); err != nil {
			return false
		}
	}
	if _, err := parts.NextRawPart(); err != io.EOF || !o.describe(texts[0]) {
		return false
	}
	o.content, o.size = texts[1], int64(len(texts[1]))
	return o.intact()
}

// intact reports whether the contents have the checksums that are stated.
func (o *object) intact() bool {
	var crc [4]byte
	binary.BigEndian.PutUint32(crc[:], crc32.Checksum(o.content, crc32.MakeTable(crc32.Castagnoli)))
	sum := md5.Sum(o.content) //nolint:gosec // it is what the store checks
	for field, want := range map[string][]byte{"crc32c": crc[:], "md5Hash": sum[:]} {
		if stated, ok := o.described[field]; ok && stated != base64.StdEncoding.EncodeToString(want) {
			return false
		}
	}
	return true
}

// begin begins a resumable upload.
func (s *Store) begin(q *request, b *bucket, o *object) response {
	o.size, o.content, o.contentType = 0, nil, q.header.Get("X-Upload-Content-Type")
	if len(q.document) > 0 && !o.describe(q.document) || o.key == "" {
		return fails(http.StatusBadRequest, "")
	}
	if refusal, refused := s.writable(q, b, o.key); refused {
		return refusal
	}
	id := strconv.FormatUint(s.next(), 36)
	s.sessions[id] = &session{bucket: q.bucket, object: o, query: q.query, size: -1}
	where := q.base + "/upload/storage/v1/b/" + url.PathEscape(q.bucket) + "/o?uploadType=resumable&upload_id=" + id
	return response{status: http.StatusOK, header: http.Header{"Location": {where}}}
}

// resume stores a chunk, says how much is stored, or ends an upload.
func (s *Store) resume(q *request) response {
	id := q.query.Get("upload_id")
	u := s.sessions[id]
	b := s.buckets[q.bucket]
	switch {
	case u == nil || b == nil:
		return fails(http.StatusNotFound, "notFound")
	case q.method == http.MethodDelete:
		delete(s.sessions, id)
		return response{status: statusAborted}
	case u.done != nil:
		return response{status: http.StatusOK, document: s.resource(q.bucket, u.done)}
	}
	from, to, size, ok := contentRange(q.header.Get("Content-Range"), q.size)
	if !ok || u.size >= 0 && size >= 0 && size != u.size {
		return fails(http.StatusBadRequest, "")
	}
	if u.size = max(u.size, size); from >= 0 {
		last := to+1 == u.size
		switch {
		case from > u.stored:
			return fails(http.StatusServiceUnavailable, "")
		case q.size%chunkUnit != 0 && !last:
			return fails(http.StatusBadRequest, "")
		}
		stored := to + 1
		if s.Short > 0 && stored-s.Short > u.stored {
			stored -= s.Short
			u.object.contentAt(q, from, stored)
			u.stored = stored
			return u.wants()
		}
		u.object.contentAt(q, from, stored)
		u.stored = max(u.stored, stored)
	}
	if u.stored < u.size || u.size < 0 {
		return u.wants()
	}
	u.object.size = u.size
	one := request{method: q.method, query: u.query}
	if refusal, refused := s.writable(&one, b, u.object.key); refused {
		return refusal
	}
	delete(s.sessions, id)
	s.put(b, u.object)
	return response{status: http.StatusOK, document: s.resource(q.bucket, u.object)}
}

// contentAt keeps what was stored of a chunk.
func (o *object) contentAt(q *request, from, stored int64) {
	if q.content != nil {
		o.content = append(o.content[:from], q.content[:stored-from]...)
	}
}

// wants is the response to a chunk that is not the last.
func (u *session) wants() response {
	a := response{status: http.StatusPermanentRedirect, header: http.Header{}}
	if u.stored > 0 {
		a.header.Set("Range", fmt.Sprintf("bytes=0-%d", u.stored-1))
	}
	return a
}

// contentRange reads the range of a chunk; from is negative for a question about what is stored. Without the header it is the whole object.
func contentRange(text string, length int64) (from, to, size int64, ok bool) {
	if text == "" {
		return 0, length - 1, length, true
	}
	span, total, found := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if total == "*" {
		size, err = -1, nil
	}
	if !found || err != nil {
		return 0, 0, 0, false
	}
	if span == "*" {
		return -1, -1, size, length == 0
	}
	first, last, _ := strings.Cut(span, "-")
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	return from, to, size, err1 == nil && err2 == nil && from >= 0 && to-from+1 == length && (size < 0 || to < size)
}

// rewrite copies an object, by as many requests as the options say.
func (s *Store) rewrite(q *request, b *bucket) response {
	into := s.buckets[q.into[0]]
	from := b.find(q.key, q.query.Get("sourceGeneration"))
	switch {
	case into == nil:
		return fails(http.StatusNotFound, noBucket)
	case from == nil:
		return fails(http.StatusNotFound, "notFound")
	}
	done := 0
	if token := q.query.Get("rewriteToken"); token != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(token, "T"))
		if err != nil {
			return fails(http.StatusGone, "")
		}
		done = n
	}
	if done < s.Rewrites {
		return response{status: http.StatusOK, document: map[string]any{"done": false, "rewriteToken": fmt.Sprintf("T%d", done+1)}}
	}
	o := *from
	o.key = q.into[1]
	if refusal, refused := s.writable(q, into, o.key); refused {
		return refusal
	}
	s.put(into, &o)
	return response{status: http.StatusOK, document: map[string]any{"done": true, "resource": s.resource(q.into[0], &o)}}
}

// compose makes an object of others.
func (s *Store) compose(q *request, b *bucket) response {
	var asked struct{ SourceObjects []struct{ Name string } }
	if json.Unmarshal(q.document, &asked) != nil || len(asked.SourceObjects) > 32 {
		return fails(http.StatusBadRequest, "")
	}
	o := &object{key: q.key, described: map[string]any{}}
	for _, source := range asked.SourceObjects {
		part := b.find(source.Name, "")
		if part == nil {
			return fails(http.StatusNotFound, "notFound")
		}
		o.size += part.size
		o.content = append(o.content, part.content...)
	}
	if refusal, refused := s.writable(q, b, q.key); refused {
		return refusal
	}
	s.put(b, o)
	return response{status: http.StatusOK, document: s.resource(q.bucket, o)}
}
